import { type ParseArgsConfig, parseArgs } from 'node:util';
import { readEnvironmentFile } from '../config/load-config.ts';
import { startupError } from '../startup/startup-error.ts';
import { inSession, type Session } from './session.ts';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Given extends Options> = ReturnType<typeof parseArgs<{ options: Given }>>['values'];

/** One sub-command. */
export interface Command<Given extends Options = Options> {
  /** What stands behind its name: `<id>`, `[file] [--force]`. */
  usage: string;
  /** One line. */
  summary: string;
  /** As `parseArgs` of node:util takes them. */
  options?: Given;
  /** Least and most arguments that aren't options; none unless told. */
  takes?: readonly [least: number, most: number];
  /** @throws StartRefused with the one line that tells the operator why not */
  run(session: Session, given: { values: Values<Given>; positionals: string[] }): Promise<void>;
}

/** `npm run <name> -- <command>`. */
export interface Program {
  name: string;
  summary: string;
  commands: Record<string, Command>;
}

/** Ties the types of a command's options to what it is run with. */
export function defineCommand<const Given extends Options>(command: Command<Given>): Command {
  return command as unknown as Command;
}

const FAILED = 1;
const MISUSED = 2;

/**
 * Runs the sub-command that the arguments name: results on standard output, everything else on standard error. The
 * process ends with 0 (done), 1 (failed, refused or interrupted) or 2 (called the wrong way).
 */
export async function runProgram(program: Program, args: readonly string[] = process.argv.slice(2)): Promise<void> {
  const [name = '', ...rest] = args;
  if (name === '--help' || name === '-h') {
    console.log(usageOf(program));
    return;
  }
  const command = Object.hasOwn(program.commands, name) ? program.commands[name] : undefined;
  const given = command && parse(command, rest);
  if (command === undefined || given instanceof Error || given === undefined) {
    const problem = given instanceof Error ? given.message : name === '' ? 'a command is missing' : `there is no command ${name}`;
    console.error(`${program.name}: ${problem}\n\n${usageOf(program)}`);
    process.exitCode = MISUSED;
    return;
  }
  if (given.values.help === true) console.log(usageOf(program));
  else await perform(command, given);
}

type Given = { values: Values<Options>; positionals: string[] };

function parse(command: Command, args: string[]): Given | Error {
  const [least, most] = command.takes ?? [0, 0];
  try {
    const options = { ...command.options, help: { type: 'boolean', short: 'h' } } as const;
    const given = parseArgs({ args, options, allowPositionals: true, strict: true });
    if (given.values.help === true) return given;
    if (given.positionals.length > most) return new Error(`unexpected argument ${given.positionals[most]}`);
    if (given.positionals.length < least) return new Error(`an argument is missing: ${command.usage}`);
    return given;
  } catch (error) {
    return error as Error;
  }
}

async function perform(command: Command, given: Given): Promise<void> {
  const interrupt = new AbortController();
  const stop = () => {
    // A second Ctrl+C means it.
    if (interrupt.signal.aborted) process.exit(FAILED);
    interrupt.abort(new Interrupted());
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  // A reader that has seen enough (`| head`) is no fault.
  process.stdout.on('error', () => process.exit());
  try {
    readEnvironmentFile();
    await inSession(interrupt.signal, (session) => command.run(session, given));
  } catch (error) {
    console.error(
      error instanceof Interrupted
        ? 'Interrupted. What was done stays done; run the command again to go on.'
        : startupError(error, 'The command failed.'),
    );
    process.exitCode = FAILED;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

class Interrupted extends Error {}

function usageOf({ name, summary, commands }: Program): string {
  const lines = Object.entries(commands).map(([command, { usage, summary: what }]) => [`${command} ${usage}`.trim(), what] as const);
  const width = Math.max(...lines.map(([usage]) => usage.length));
  return [
    `${name}: ${summary}`,
    '',
    `Usage: npm run ${name} -- <command>`,
    '',
    ...lines.map(([usage, what]) => `  ${usage.padEnd(width)}  ${what}`),
  ].join('\n');
}
