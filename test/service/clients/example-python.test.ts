import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programOf } from '../../support/processes/debian-packages.ts';
import { programsMissing } from '../../support/processes/programs.ts';
import { connect, newName } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

const SCRIPT = join(import.meta.dirname, '../../../examples/python/steward.py');
const JSON_TYPE = { 'content-type': 'application/json' };

describe.skipIf(programsMissing('python3'))('examples/python/steward.py', () => {
  let steward: TestSteward;
  let idToken: string;
  let email: string;
  let token: string;

  beforeAll(async () => {
    steward = await startSteward();
    const user = newName();
    email = `${user}@example.com`;
    idToken = await steward.signIn(user);
    await connect(steward, { token: idToken, email });
    const request = { name: 'Script', actions: ['mail.*'], access: 'write' };
    token = (await steward.call('/tokens', { token: idToken, body: JSON.stringify(request), headers: JSON_TYPE })).body.token;
  });

  afterAll(() => steward.stop());

  function start(...args: string[]): { child: ChildProcess; stdout: Promise<string>; stderr: Promise<string>; read(): string } {
    const env = { STEWARD_URL: steward.url, STEWARD_TOKEN: token, PYTHONIOENCODING: 'utf-8' };
    const child = spawn(programOf('python3'), [SCRIPT, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let seen = '';
    child.stderr.on('data', (chunk) => (seen += chunk));
    return { child, stdout: text(child.stdout), stderr: text(child.stderr), read: () => seen };
  }

  async function run(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
    const { child, stdout, stderr } = start(...args);
    const [status] = await once(child, 'close');
    return { status, stdout: await stdout, stderr: await stderr };
  }

  /** Starts a call that needs approval, decides on it when the script asks, and returns its end. */
  async function decided(approved: boolean): Promise<{ status: number; stdout: string; stderr: string }> {
    const mail = JSON.stringify({ to: [email], subject: `Hello ${approved}`, body: 'From Python' });
    const { child, stdout, stderr, read } = start('mail.send', mail);
    const ended = once(child, 'close');
    await eventually(() => read().includes('Approve it at'));
    const [, id = ''] = /approvals\/(\S+)/.exec(read()) ?? [];
    await steward.call(`/approvals/${id}`, { token: idToken, body: JSON.stringify({ approved }), headers: JSON_TYPE });
    const [status] = await ended;
    return { status, stdout: await stdout, stderr: await stderr };
  }

  it('has less than 60 lines, and imports nothing but the standard library', () => {
    const source = readFileSync(SCRIPT, 'utf8');
    expect(source.trimEnd().split('\n').length).toBeLessThan(60);
    const imported = [...source.matchAll(/^(?:import|from) (\w+)/gm)].map(([, name]) => name);
    expect([...new Set(imported)]).toEqual(['json', 'os', 'sys', 'time', 'urllib', 'uuid']);
  });

  it('lists the tools of the token', async () => {
    const { status, stdout } = await run();
    expect(status).toBe(0);
    expect(stdout).toMatch(/^mail_search - /m);
    expect(stdout).not.toMatch(/^calendar_/m);
  });

  it('runs an action, and reports an error', async () => {
    const found = await run('mail.search', '{"max": 2}');
    expect(JSON.parse(found.stdout).data.items).toHaveLength(2);
    expect(await run('calendar.list', '{}')).toMatchObject({ status: 1, stderr: expect.stringMatching(/^forbidden: /) });
  });

  it('waits for the user’s approval', async () => {
    const { status, stdout } = await decided(true);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ data: { id: expect.any(String) }, meta: { account: email } });
  });

  it('ends when the user denies the call', async () => {
    expect(await decided(false)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('denied: it was not run') });
  });
});
