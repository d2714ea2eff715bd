import { readFileSync } from 'node:fs';

/** Appends the address of each module that a process loads to a file, and `ready` when it logs that. */
const WATCH = (file: string) => `
import fs, { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
const note = (line) => appendFileSync(${JSON.stringify(file)}, line + '\\n');
registerHooks({ load(url, context, next) { note(url); return next(url, context); } });
const { writeSync } = fs;
fs.writeSync = (fd, data, ...rest) => {
  if (String(data).includes('"msg":"ready"')) note('ready');
  return writeSync(fd, data, ...rest);
};`;

/** `NODE_OPTIONS` of a process whose loads are written to a file. */
export function watchLoads(file: string): { NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WATCH(file))}` };
}

/** The modules that were loaded so far, in order; `ready` stands where the process said so. */
export function loadsIn(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean);
}

/** The package of a module; undefined: it is of the service itself. */
export function packageOf(url: string): string | undefined {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
}
