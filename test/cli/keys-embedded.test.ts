import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../support/database/embedded-template.ts';
import { runCli } from '../support/processes/cli.ts';
import { startProcess, type TestProcess } from '../support/processes/process.ts';
import { linkBank } from '../support/scenes/flows.ts';
import { eventually } from '../support/time/eventually.ts';

let dataDir: string;
let child: TestProcess;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'steward-keys-embedded-'));
  await copyEmbeddedTemplate(dataDir);
  child = await startProcess({ DATA_DIR: dataDir });
});

afterEach(async () => {
  await child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

const keys = (...args: string[]) => runCli('keys', args, { DATA_DIR: dataDir });
const file = () => join(dataDir, 'master.key');
const ids = () =>
  readFileSync(file(), 'utf8')
    .trim()
    .split('\n')
    .map((entry) => entry.split(':')[0]);

describe('npm run keys on the embedded database', () => {
  it('rejects commands that need the database while the service runs, and says what to do', async () => {
    for (const command of [['status'], ['rewrap'], ['promote', ids()[0] ?? '']]) {
      const { code, stdout, stderr } = await keys(...command);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toBe(
        `The service is running on the data folder ${dataDir}, and only one process at a time can use the embedded database. Stop the service, run this command again, and start the service after it.\n`,
      );
    }
    expect(child.running()).toBe(true);
  });

  it('rotates the development key: it is added while the service runs, and the other steps run while it is stopped', async () => {
    const token = await child.signIn();
    expect((await linkBank(child, token)).body).toEqual({ success: true });
    const [first = ''] = ids();
    expect(await keys('add', 'second')).toMatchObject({ code: 0 });
    expect(ids()).toEqual([first, 'second']);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    await eventually(() => child.output().includes('master keys read again'));
    await child.kill();
    for (const command of [
      ['promote', 'second'],
      ['rewrap', '--new-user-keys'],
      ['retire', first],
    ]) {
      const end = await keys(...command);
      expect(end, end.stderr).toMatchObject({ code: 0 });
    }
    expect((await keys('status')).stdout).toMatch(/^second +here +yes +1 +0 +1 +0 +0 of 0$/m);
    child = await startProcess({ DATA_DIR: dataDir });
    const again = await child.signIn();
    const [entry] = (await child.call('/auth/bank/accounts', { token: again })).body.accounts;
    expect((await child.call(`/auth/bank/accounts/${entry.id}/refresh`, { method: 'POST', token: again })).body).toEqual({ success: true });
  });
});
