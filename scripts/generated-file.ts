import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes a generated file, or with `--check` on the command line only tells
 * (and exits with 1) when it is out of step with what it is made from.
 *
 * @param path from the repository's root
 * @param script how to make it again
 */
export function writeGenerated(path: string, content: string, script: string): void {
  const file = join(import.meta.dirname, '..', path);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, content);
    console.log(`${path} written.`);
    return;
  }
  if (readIfThere(file) === content) {
    console.log(`${path} is up to date.`);
    return;
  }
  console.error(`${path} is out of step with its sources: run node ${script}`);
  process.exitCode = 1;
}

/** JSON with one entry a line, by name, so that a change of it reads well. */
export function lines(entries: Record<string, unknown>): string {
  const sorted = Object.entries(entries).sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(',\n');
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
