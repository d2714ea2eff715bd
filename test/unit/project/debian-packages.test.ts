import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { installation, missingPackages, programOf } from '../../support/processes/debian-packages.ts';

const ROOT = join(import.meta.dirname, '../../..');
const machine = mkdtempSync(join(tmpdir(), 'steward-machine-'));

afterAll(() => rmSync(machine, { recursive: true, force: true }));

describe('Debian’s packages that tests need', () => {
  it('are named, with the command that installs them', () => {
    const needed = ['postgresql', 'pgbouncer', 'libfaketime'] as const;
    expect(missingPackages(needed, machine)).toEqual(needed);
    for (const path of ['usr/lib/postgresql/15/bin/initdb', 'usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1']) {
      mkdirSync(dirname(join(machine, path)), { recursive: true });
      writeFileSync(join(machine, path), '');
    }
    expect(missingPackages(needed, machine)).toEqual(['pgbouncer']);
    expect(installation(['pgbouncer', 'nginx'])).toContain('apt-get install pgbouncer nginx');
    expect(programOf('postgresql', machine)).toBe(join(machine, 'usr/lib/postgresql/15/bin/initdb'));
    expect(() => programOf('pgbouncer', machine)).toThrow('apt-get install pgbouncer');
  });

  it.skipIf(missingPackages(['postgresql', 'pgbouncer', 'libfaketime']).length === 0)('stop the fault suite before it begins', () => {
    const { status, stderr } = spawnSync(process.execPath, ['test/faults/main.ts', '--only', 'nothing'], { cwd: ROOT, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Debian’s packages are missing: apt-get install [a-z ]+$/m);
  });
});
