import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadModule } from 'libpg-query';
import { expect, it } from 'vitest';
import { readCatalog } from '../../../scripts/schema-catalog.ts';

const ROOT = join(import.meta.dirname, '../../..');
const VIEWS = ['connected_accounts'];

/** Table → distribution key, as docs/scale.md has them. */
function documented(): Map<string, string> {
  const [, section = ''] = /## Tables\n([\s\S]*?)\n## /.exec(readFileSync(join(ROOT, 'docs/scale.md'), 'utf8')) ?? [];
  const rows = section.matchAll(/^\| `(\w+)` *\| ([^|]*)\|/gm);
  return new Map([...rows].map(([, table = '', key = '']) => [table, key.trim()]));
}

it('docs/scale.md has a row for each table, with a key that the table has', async () => {
  await loadModule();
  const catalog = readCatalog(join(ROOT, 'migrations'));
  const rows = documented();
  expect([...rows.keys()].sort()).toEqual([...catalog.keys()].filter((name) => !VIEWS.includes(name)).sort());
  for (const [table, key] of rows) {
    const [, column] = /^`(\w+)`/.exec(key) ?? [];
    if (column !== undefined) expect(catalog.get(table)?.userColumn, table).toBe(column);
    else expect(key, table).toMatch(/^(global|reference|none)/);
  }
});
