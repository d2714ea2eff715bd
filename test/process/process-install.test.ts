import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
/** The machine's Node, which may be older than the pinned one. */
const SYSTEM_NODE = spawnSync('/usr/bin/node', ['--version']).status === 0 ? '/usr/bin/node' : process.execPath;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-install-'));
  mkdirSync(join(folder, 'scripts'));
  mkdirSync(join(folder, 'bin'));
  for (const file of ['package.json', 'package-lock.json', 'scripts/install.mjs']) copyFileSync(join(ROOT, file), join(folder, file));
  stubNpm(0);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** An npm that only records its arguments. */
function stubNpm(status: number): void {
  const npm = join(folder, 'bin/npm');
  writeFileSync(npm, `#!/bin/sh\necho "$@" >> "${folder}/asked"\nexit ${status}\n`);
  chmodSync(npm, 0o755);
}

function install(env: Record<string, string> = {}) {
  const path = `${join(folder, 'bin')}:/usr/bin:/bin`;
  const result = spawnSync(SYSTEM_NODE, ['scripts/install.mjs'], { cwd: folder, encoding: 'utf8', env: { PATH: path, ...env } });
  return { ...result, asked: askedOfNpm() };
}

function askedOfNpm(): string[] {
  try {
    return readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

/** The files of an installation, with the given age. */
function installed(seconds: number): void {
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/.bin/node'), '');
  const record = join(folder, 'node_modules/.package-lock.json');
  writeFileSync(record, '{}');
  utimesSync(record, seconds, seconds);
}

const NOW = 1_900_000_000;

describe('npm start on a fresh clone', () => {
  it('installs the locked dependencies, including the pinned Node, with the machine’s Node', () => {
    const { status, asked } = install({ NODE_ENV: 'production' });
    expect(status).toBe(0);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(/^ci --include=dev /);
  });

  it('prints the reason and exits with npm’s code if that fails', () => {
    stubNpm(7);
    const { status, stderr } = install();
    expect(status).toBe(7);
    expect(stderr).toContain('could not be installed');
    expect(stderr).not.toContain('    at ');
  });
});

describe('npm start on an installation', () => {
  it('does nothing if it is as new as the lock file', () => {
    utimesSync(join(folder, 'package-lock.json'), NOW, NOW);
    installed(NOW);
    const { status, asked, stdout } = install();
    expect({ status, asked, stdout }).toEqual({ status: 0, asked: [], stdout: '' });
  });

  it('installs again if the lock file is newer', () => {
    utimesSync(join(folder, 'package-lock.json'), NOW, NOW);
    installed(NOW - 1);
    expect(install().asked).toHaveLength(1);
  });

  it('installs again if the pinned Node is missing', () => {
    utimesSync(join(folder, 'package-lock.json'), NOW, NOW);
    installed(NOW);
    rmSync(join(folder, 'node_modules/.bin/node'));
    expect(install().asked).toHaveLength(1);
  });
});
