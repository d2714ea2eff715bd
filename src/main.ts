import type { Config } from './config/config.ts';
import { loadConfig, readEnvironmentFile } from './config/load-config.ts';
import { createLogger, describeError, type Logger } from './observability/logger.ts';
import { type Steward, startServer } from './server.ts';
import type { LoadSandbox, Sandbox } from './startup/open-sandbox.ts';
import { startupError } from './startup/startup-error.ts';

try {
  for (const name of readEnvironmentFile())
    console.error(`.env: ${name} is not a variable of Steward’s. Is it misspelt? .env.example lists them all.`);
  const config = loadConfig();
  const logger = createLogger(config.logLevel);
  outliveRejections(logger);
  warnOfOpenDoor(config, logger);
  const steward = await startServer(config, config.environment === 'production' ? { logger } : { logger, loadSandbox });
  // Before the announcement: whoever waits for it may want it stopped at once.
  stopOnSignal(steward, config, logger);
  announce(config, steward, logger);
} catch (error) {
  console.error(startupError(error, 'Steward could not start.'));
  process.exit(1);
}

/** What nobody waits for, in a library of ours too, must not end everybody's work; Node would end the process. */
function outliveRejections(logger: Logger): void {
  process.on('unhandledRejection', (reason) => logger.error({ err: describeError(reason) }, 'something failed that nobody waits for'));
}

/** Development only: the production image doesn't even hold the sandbox. */
async function loadSandbox(options: Parameters<LoadSandbox>[0]): Promise<Sandbox> {
  // biome-ignore lint/style/noRestrictedImports: the one import of the sandbox; dynamic, so that production starts without it
  const { createSandbox } = await import('../sandbox/sandbox.ts');
  return createSandbox(options);
}

/** Long before the announcement: a line waits until the one before it is written, and meanwhile background work begins. */
function warnOfOpenDoor({ environment, allowedUsers }: Config, logger: Logger): void {
  if (environment !== 'production' || allowedUsers.length > 0) return;
  logger.warn('ALLOWED_USERS is empty: everyone with an account at the identity provider may use this service');
}

function announce(config: Config, steward: Steward, logger: Logger): void {
  if (config.environment === 'production') {
    logger.info(
      { url: steward.url, address: steward.address, workspace: config.workspace !== undefined, bank: config.bank !== undefined },
      'ready',
    );
    return;
  }
  const part = (name: string, value: unknown, real: string) =>
    `  ${name.padEnd(10)} ${value === 'sandbox' ? 'sandbox (local stand-in)' : real}`;
  console.log(
    [
      `Steward is ready at ${steward.url}${steward.url === steward.address ? '' : ` (listening at ${steward.address})`}`,
      part('identity', config.identity, 'real provider'),
      part('workspace', config.workspace, 'real provider'),
      part('bank', config.bank, 'real aggregator'),
      `  ${'database'.padEnd(10)} ${config.databaseUrl === undefined ? `embedded, in ${config.dataDir}` : 'Postgres'}`,
      'Stop it with Ctrl+C; everything connected is still there at the next start.',
    ].join('\n'),
  );
}

function stopOnSignal(steward: Steward, { limits: { stopMs } }: Config, logger: Logger): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // A second Ctrl+C means it: don't wait for anything.
      if (stopping) process.exit(1);
      stopping = true;
      // Whoever sent the signal kills after a while, without a word: better to say what happened.
      setTimeout(() => {
        logger.error({ milliseconds: stopMs }, 'stopping took too long; what was still under way is cut off');
        process.exit(1);
      }, stopMs).unref();
      void steward.stop().then(() => process.exit(0));
    });
  }
}
