import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** Where a report of docs/reports is. */
export function reportFile(name: string): string {
  return join(ROOT, 'docs/reports', name);
}

/** Writes a report of docs/reports, formatted as `npm run check` requires. */
export function writeReport(name: string, text: string): void {
  const file = reportFile(name);
  writeFileSync(file, text);
  execFileSync(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', file], { cwd: ROOT, stdio: 'ignore' });
}
