// Runs what makes files of the repository from its sources, one after another; with `--check` each only compares its own.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const GENERATORS = [
  'workspace-methods.ts',
  'sandbox-methods.ts',
  'built-ins.ts',
  'docs-tables.ts',
  'integrations-schema.ts',
  'http-reference.ts',
  'tools-size.ts',
  'mcp-clients.mjs',
  'client-package.ts',
  'licenses.ts',
];

for (const file of GENERATORS) {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'generate', file), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
}
