import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Writes an integrations file into a folder that goes with the run (run-folder.ts). @returns its path, for INTEGRATIONS_FILE */
export function ownIntegrations(content: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'steward-integrations-')), 'integrations.yaml');
  writeFileSync(file, content);
  return file;
}
