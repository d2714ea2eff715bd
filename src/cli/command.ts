import { Command, CommanderError } from 'commander';
import { readEnvironmentFile } from '../config/load-config.ts';
import { startupError } from '../startup/startup-error.ts';
import { openSession, type Session } from './session.ts';

export const FAILED = 1;
const MISUSED = 2;

/** A sub-command of {@link runProgram}, to be given its arguments, options and action. */
export function command(name: string, summary: string): Command {
  return new Command(name).description(summary).exitOverride().showHelpAfterError().helpOption('-h, --help', 'show this help');
}

/**
 * Runs the sub-command that the arguments name: results on standard output, everything else on standard error. The
 * process ends with 0 (done), 1 (failed, rejected or interrupted) or 2 (wrong arguments).
 *
 * @param name `npm run <name>`
 */
export async function runProgram(name: string, summary: string, commands: readonly Command[]): Promise<void> {
  const program = command(`npm run ${name} --`, summary).usage('<command>');
  for (const each of commands) program.addCommand(each);
  try {
    await program.helpCommand(false).parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : MISUSED;
  }
}

/**
 * Makes a sub-command's action: it runs in a session, until it ends or is interrupted.
 *
 * @param run gets the sub-command's arguments, then its options
 */
export function withSession<Given extends unknown[]>(run: (session: Session, ...given: Given) => Promise<void>) {
  return async (...given: Given): Promise<void> => {
    const interrupt = new AbortController();
    const stop = () => {
      // A second Ctrl+C ends the process immediately.
      if (interrupt.signal.aborted) process.exit(FAILED);
      interrupt.abort(new Interrupted());
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
    // A reader that closes the pipe early (`| head`) is no error.
    process.stdout.on('error', () => process.exit());
    try {
      readEnvironmentFile();
      await using resources = new AsyncDisposableStack();
      await run(openSession(interrupt.signal, resources), ...given);
    } catch (error) {
      console.error(
        error instanceof Interrupted
          ? 'Interrupted. Completed work is kept; run the command again to continue.'
          : startupError(error, 'The command failed.'),
      );
      process.exitCode = FAILED;
    } finally {
      process.off('SIGINT', stop).off('SIGTERM', stop);
    }
  };
}

class Interrupted extends Error {}
