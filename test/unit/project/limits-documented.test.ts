import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { variables } from '../../../src/config/environment.ts';
import { loadConfig } from '../../../src/config/load-config.ts';

const ROOT = join(import.meta.dirname, '../../..');
const LIMITS = Object.keys(variables.shape).filter((name) => name.startsWith('LIMIT_'));
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

/** Variable → default, in the table of docs/limits.md. */
function documented(): [string, string][] {
  return [...read('docs/limits.md').matchAll(/^\| `(LIMIT_\w+)` +\| ([^|]+)\|/gm)].map(([, name = '', value = '']) => [name, value.trim()]);
}

describe('docs/limits.md', () => {
  it('names exactly the existing limits, each once', () => {
    expect(
      documented()
        .map(([name]) => name)
        .toSorted(),
    ).toEqual(LIMITS.toSorted());
    expect(LIMITS.length).toBeGreaterThan(30);
  });

  it('has the actual defaults', () => {
    const defaults = variables.parse({}) as Record<string, unknown>;
    for (const [name, value] of documented()) {
      if (defaults[name] === undefined) expect(value, name).toMatch(/[a-z]/);
      else expect(value, name).toBe(String(defaults[name]));
    }
  });
});

describe('.env.example', () => {
  it('names exactly the existing limits, with the actual defaults', () => {
    const given = Object.entries(parseEnv(read('.env.example'))).filter(([name]) => name.startsWith('LIMIT_'));
    expect(given.map(([name]) => name).toSorted()).toEqual(LIMITS.toSorted());
    const defaults = variables.parse({}) as Record<string, unknown>;
    for (const [name, value] of given) expect(value, name).toBe(defaults[name] === undefined ? '' : String(defaults[name]));
  });
});

describe('every limit', () => {
  it.each(LIMITS)('%s reaches the configuration, and is rejected unless it is a number', (name) => {
    expect(loadConfig({ [name]: '7' }).limits).not.toEqual(loadConfig({}).limits);
    for (const wrong of ['-1', 'many', '1.5', '1e999']) expect(() => loadConfig({ [name]: wrong }), wrong).toThrow(name);
  });
});
