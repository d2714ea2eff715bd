import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockProblems } from '../../../scripts/checks/lock-rules.ts';
import { type LockFile, type Manifest, readJson } from '../../../scripts/lock-file.ts';

const ROOT = join(import.meta.dirname, '../../..');
const EXPRESS = 'node_modules/express';

/** The problems after one change. */
function tampered(change: (lock: LockFile, manifest: Manifest) => void): string {
  const [lock, manifest] = [readJson<LockFile>('package-lock.json'), readJson<Manifest>('package.json')];
  change(lock, manifest);
  return lockProblems(lock, manifest).join('\n');
}

describe('the lock file', () => {
  it('is in order', () => {
    expect(tampered(() => {})).toBe('');
  });

  it.each<[string, RegExp, (lock: LockFile, manifest: Manifest) => void]>([
    ['another place', /express names an address \(http:\)/, (lock) => change(lock, { resolved: 'http://registry.example/express.tgz' })],
    ['a repository', /express names an address \(git\+ssh:\)/, (lock) => change(lock, { resolved: 'git+ssh://git@github.com/a/b.git' })],
    ['a file', /express names an address \(file:\)/, (lock) => change(lock, { resolved: 'file:../express.tgz' })],
    ['a linked folder', /express is a folder of this machine/, (lock) => change(lock, { link: true })],
    ['a folder elsewhere', /^\.\.\/express is a folder/m, (lock) => add(lock, '../express')],
    ['another package of that name', /express is really evil/, (lock) => change(lock, { name: 'evil' })],
    ['no checksum', /express has no SHA-512/, (lock) => remove(lock, 'integrity')],
    ['a weak checksum', /express has no SHA-512/, (lock) => change(lock, { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' })],
    ['a bundled package', /express comes inside another/, (lock) => change(lock, { inBundle: true })],
    ['another version than asked for', /express: .* is asked for/, (lock) => change(lock, { version: '4.0.0' })],
    ['a range', /pg: \^8\.0\.0 is not an exact version/, (lock, manifest) => ask(lock, manifest, '^8.0.0')],
    ['an alias', /pg: npm:evil@1\.0\.0 is not an exact version/, (lock, manifest) => ask(lock, manifest, 'npm:evil@1.0.0')],
    ['a dependency that the manifest lacks', /pg: dependencies say undefined/, (_lock, manifest) => delete manifest.dependencies?.pg],
    ['an unlisted install script', /express has an install script/, (lock) => change(lock, { hasInstallScript: true })],
    [
      'a name that needs no listing',
      /express is in allowScripts/,
      (_lock, manifest) => Object.assign(manifest.allowScripts ?? {}, { express: true }),
    ],
    [
      'one platform only',
      /cli-darwin-arm64, which is not locked/,
      (lock) => delete lock.packages['node_modules/@biomejs/cli-darwin-arm64'],
    ],
    ['another format', /version 2/, (lock) => Object.assign(lock, { lockfileVersion: 2 })],
  ])('with %s is rejected', (_name, problem, alter) => {
    expect(tampered(alter)).toMatch(problem);
  });
});

function change(lock: LockFile, values: object): void {
  Object.assign(lock.packages[EXPRESS] ?? {}, values);
}

function remove(lock: LockFile, key: 'integrity'): void {
  delete lock.packages[EXPRESS]?.[key];
}

function add(lock: LockFile, path: string): void {
  lock.packages[path] = { version: '1.0.0' };
}

function ask(lock: LockFile, manifest: Manifest, version: string): void {
  Object.assign(manifest.dependencies ?? {}, { pg: version });
  Object.assign(lock.packages['']?.dependencies ?? {}, { pg: version });
}

describe('packages that are installed', () => {
  it('have no install script that is missing from the lock file', () => {
    const allowed = Object.keys(readJson<Manifest>('package.json').allowScripts ?? {});
    const scripted = globSync('node_modules/{*,@*/*}/package.json', { cwd: ROOT }).filter((file) => {
      const { scripts = {} } = readJson<{ scripts?: Record<string, string> }>(file);
      return ['preinstall', 'install', 'postinstall'].some((name) => name in scripts);
    });
    const names = scripted.map((file) => file.replace(/^node_modules\/|\/package\.json$/g, ''));
    expect(names.filter((name) => !allowed.includes(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(0);
  });
});

describe('scripts/generate/licenses.ts', () => {
  let folder: string;
  beforeAll(() => {
    folder = copyOfRepository();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('rejects a licence that is not on the list, and a missing one', () => {
    for (const [license, shown] of [
      ['AGPL-3.0-only', 'AGPL-3.0-only'],
      ['MIT AND SSPL-1.0', 'MIT AND SSPL-1.0'],
      [undefined, 'unknown'],
    ]) {
      alterLock(folder, (lock) => change(lock, { license }));
      const { status, stderr } = run(folder, 'scripts/generate/licenses.ts');
      expect(stderr).toMatch(new RegExp(`^express 5\\.\\S+: ${shown} is not on the list`));
      expect(status).toBe(1);
    }
  });

  it('accepts a choice of licences of which one is allowed, and reports an outdated list', () => {
    alterLock(folder, (lock) => change(lock, { license: '(GPL-3.0-only OR MIT)' }));
    expect(run(folder, 'scripts/generate/licenses.ts', '--check').status).toBe(1);
    expect(run(folder, 'scripts/generate/licenses.ts').status).toBe(0);
    expect(run(folder, 'scripts/generate/licenses.ts', '--check').status).toBe(0);
    expect(readFileSync(join(folder, 'THIRD_PARTY_LICENSES.md'), 'utf8')).toContain('(GPL-3.0-only OR MIT)');
  });
});

describe('scripts/sbom.ts', () => {
  it('lists the production packages, none of development, deterministically', () => {
    const folder = copyOfRepository();
    const read = () => readFileSync(join(folder, 'sbom.cdx.json'), 'utf8');
    try {
      expect(run(folder, 'scripts/sbom.ts')).toMatchObject({ status: 0, stderr: '' });
      const first = read();
      const { components, metadata } = JSON.parse(first);
      const names = components.map(({ purl }: { purl: string }) => purl.replace(/@[^@]*$/, ''));
      expect(names).toContain('pkg:npm/express');
      expect(names).not.toContain('pkg:npm/vitest');
      expect(metadata.component.name).toBe('steward');
      rmSync(join(folder, 'sbom.cdx.json'));
      expect(run(folder, 'scripts/sbom.ts').status).toBe(0);
      expect(read()).toBe(first);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** The input of the scripts, in a separate folder. */
function copyOfRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'steward-supply-'));
  for (const name of ['package.json', 'package-lock.json', 'scripts']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function alterLock(folder: string, alter: (lock: LockFile) => void): void {
  const lock = readJson<LockFile>('package-lock.json');
  alter(lock);
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
}

function run(cwd: string, ...args: string[]) {
  return spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
}
