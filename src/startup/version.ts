import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of this release. */
export function version(): string {
  return (JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string }).version;
}
