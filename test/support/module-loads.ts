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

/**
 * Modules by package, by room of the service, or by file of the bundle, with their number: `express 8`. Node's own modules
 * are omitted.
 */
export function summarizeLoads(urls: readonly string[]): string[] {
  const owners = urls.filter((url) => url.startsWith('file:')).map(ownerOf);
  return [...Map.groupBy(owners, (owner) => owner)].map(([owner, all]) => `${owner} ${all.length}`).toSorted();
}

function ownerOf(url: string): string {
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  return inPackage ?? /\/(src(?:\/[^/]+(?=\/))?)\//.exec(url)?.[1] ?? /\/(dist\/[^/]+)$/.exec(url)?.[1] ?? 'others';
}
