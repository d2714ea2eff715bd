import { systemClock } from './clock/clock.ts';
import type { Config } from './config/config.ts';
import { loadConfig, readEnvironmentFile } from './config/load-config.ts';
import type { Overrides } from './context.ts';
import type { DevelopmentLog } from './observability/development-log.ts';
import { createLogger, describeError, type Logger } from './observability/logger.ts';
import { type Steward, startServer } from './server.ts';
import { announce } from './startup/announce.ts';
import type { LoadSandbox } from './startup/open-sandbox.ts';
import { startupError } from './startup/startup-error.ts';

/** Signals within this time are one. */
const SAME_SIGNAL_MS = 500;
/** For what keeps the process though all has been stopped, for instance an idle socket of a library. */
const LINGER_MS = 1_000;

let developmentLog: DevelopmentLog | undefined;
let running: Steward | undefined;
try {
  for (const name of readEnvironmentFile()) console.error(`.env: ${name} is not a known variable. See .env.example for all variables.`);
  const config = loadConfig();
  if (config.logFormat === 'pretty') developmentLog = await (await import('./observability/development-log.ts')).openDevelopmentLog();
  const logger = createLogger(config.logLevel, developmentLog);
  logUnhandledRejections(logger);
  warnOfOpenSignUp(config, logger);
  const steward = await startServer(config, config.environment === 'production' ? { logger } : await development(logger));
  running = steward;
  // Before the announcement: a supervisor that waits for it may send a signal at once.
  stopOnSignal(steward, config, logger);
  announce(config, steward, logger);
  developmentLog?.release();
} catch (error) {
  developmentLog?.release();
  console.error(startupError(error, 'Steward could not start.'));
  endProcess(1);
}

/** Node would end the process. A promise that is not awaited, also in a library, must not end the work of all users. */
function logUnhandledRejections(logger: Logger): void {
  process.on('unhandledRejection', (reason) => logger.error({ err: describeError(reason) }, 'unhandled promise rejection'));
}

/** In development only: the sandbox, which the production image does not contain, and a clock that it can move. */
async function development(logger: Logger): Promise<Overrides> {
  const { AdjustableClock } = await import('./clock/adjustable-clock.ts');
  // What is due by the new time is seen at once, and not at the next turn of its poll.
  const clock = new AdjustableClock(systemClock, () => void running?.context.polls.tick());
  const loadSandbox: LoadSandbox = async (options) => {
    // The one import of the sandbox; dynamic, so that production starts without it.
    const { createSandbox } = await import('../sandbox/sandbox.ts');
    return createSandbox({ ...options, moveClock: (milliseconds) => clock.move(milliseconds) });
  };
  return { logger, clock, loadSandbox };
}

function warnOfOpenSignUp({ environment, allowedUsers }: Config, logger: Logger): void {
  if (environment !== 'production' || allowedUsers.length > 0) return;
  logger.warn('ALLOWED_USERS is empty: every user of the identity provider can use this service');
}

function stopOnSignal(steward: Steward, { limits: { stopMs } }: Config, logger: Logger): void {
  let stoppedAt: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // Below npm, Ctrl+C arrives twice: from the terminal, and from npm, which passes it on.
      if (signal === 'SIGINT' && stoppedAt !== undefined && systemClock.monotonic() - stoppedAt < SAME_SIGNAL_MS) return;
      // A second signal ends the process without waiting.
      if (stoppedAt !== undefined) process.exit(1);
      stoppedAt = systemClock.monotonic();
      // Process managers kill after a while; exit before that, with a log entry.
      const end = () => {
        logger.error({ milliseconds: stopMs }, 'the shutdown took too long; work in progress is cut off');
        process.exit(1);
      };
      systemClock.after(stopMs, end).unref();
      void steward.stop().then(() => endProcess(0));
    });
  }
}

/**
 * Ends the process as soon as nothing keeps it. `process.exit()` waits for V8’s compilers, and never ends if one of them
 * waits for a garbage collection meanwhile (nodejs/node#64274): after a second, none does any more.
 */
function endProcess(code: number): void {
  process.exitCode = code;
  systemClock.after(LINGER_MS, () => process.exit()).unref();
}
