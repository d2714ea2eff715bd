import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { variables } from '../../../src/config/environment.ts';
import { loadConfig } from '../../../src/config/load-config.ts';

const text = readFileSync(join(import.meta.dirname, '../../../.env.example'), 'utf8');
const assignments = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
const names = assignments.map((line) => line.slice(0, line.indexOf('=')));

/** The comment above each variable, or above the ones that directly precede it. */
function commentAbove(name: string): string {
  const lines = text.slice(0, text.search(new RegExp(`^${name}=`, 'm'))).split('\n');
  const block = lines.slice(lines.lastIndexOf('', lines.length - 2) + 1);
  return block.filter((line) => line.startsWith('#')).join('\n');
}

describe('.env.example', () => {
  it('lists exactly the variables that the service reads, each once', () => {
    expect(names.toSorted()).toEqual(Object.keys(variables.shape).toSorted());
  });

  it.each(names)('describes %s', (name) => {
    expect(commentAbove(name)).toMatch(/^# .*\w/m);
  });

  it('changes nothing if it is copied to .env unchanged', () => {
    const copied = parseEnv(text) as Record<string, string>;
    expect(loadConfig({ ...copied })).toEqual(loadConfig({}));
  });

  it('contains no value that looks like a secret', () => {
    const given = assignments.filter((line) => !line.endsWith('='));
    expect(given.filter((line) => /SECRET|MASTER_KEYS|DATABASE_URL|CREDENTIALS|CLIENT_ID/.test(line))).toEqual([]);
  });
});
