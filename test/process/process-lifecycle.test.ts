import { once } from 'node:events';
import { connect as connectTcp, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProviderEmulator } from '../support/emulators/provider-emulator.ts';
import { createPlace, type Place, runProcess, startProcess, type TestProcess } from '../support/processes/process.ts';
import { connect, linkBank, openConsent, outcome } from '../support/scenes/flows.ts';
import { freePort } from '../support/servers/free-port.ts';
import { eventually } from '../support/time/eventually.ts';

let place: Place;
const running: TestProcess[] = [];

beforeEach(async () => {
  place = await createPlace();
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((child) => child.kill('SIGKILL')));
  await place.remove();
});

async function start(env: Record<string, string> = {}): Promise<TestProcess> {
  const child = await startProcess({ ...place.env, ...env });
  running.push(child);
  return child;
}

async function connectBoth(child: TestProcess) {
  const { callback, token } = await connect(child, { email: 'demo@example.com' });
  expect(outcome(callback)).toMatchObject({ status: 'connected' });
  expect((await linkBank(child, token)).body).toEqual({ success: true });
  return accountsOf(child, token);
}

async function accountsOf(child: TestProcess, token?: string) {
  const signedIn = token ?? (await child.signIn());
  const workspace = await child.call('/auth/workspace/accounts', { token: signedIn });
  const bank = await child.call('/auth/bank/accounts', { token: signedIn });
  expect([workspace.status, bank.status]).toEqual([200, 200]);
  return { workspace: workspace.body.accounts, bank: bank.body.accounts };
}

describe('starting', () => {
  it('prints the address and which providers are the sandbox', async () => {
    const child = await start();
    expect(child.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await child.call('/test')).body).toEqual({ status: 'success', service: 'steward', environment: 'development', connections: 0 });
    for (const part of ['identity', 'workspace', 'bank'])
      expect(child.output()).toMatch(new RegExp(`^ +${part} +sandbox \\(local\\)$`, 'm'));
    expect(child.output()).toMatch(/^ +database +(embedded, in |Postgres)/m);
  });

  it('names the real provider if one is configured', async () => {
    const child = await start({ PLAID_CLIENT_ID: 'client', PLAID_SECRET: 'bank-secret-value', ALLOW_MIXED: '1' });
    expect(child.output()).toMatch(/^ +bank +real aggregator$/m);
    expect(child.output()).toMatch(/^ +workspace +sandbox/m);
    expect(child.output()).not.toContain('bank-secret-value');
  });

  it('reports that the port is in use and exits with 1', async () => {
    const occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const { port } = occupant.address() as { port: number };
    const exit = await runProcess({ ...place.env, PORT: String(port) });
    occupant.close();
    expect(exit.code).toBe(1);
    expect(exit.stderr).toMatch(new RegExp(`^The port is taken by another program: ${port} at 127\\.0\\.0\\.1\\. .*set PORT`));
    expect(exit.stderr).not.toContain('    at ');
  });
});

describe('stopping and starting again', () => {
  it('exits with 0 on SIGTERM, and lists the accounts after a restart on the same and on another port', async () => {
    const port = await freePort();
    const first = await start({ PORT: String(port) });
    const before = await connectBoth(first);
    expect(before.workspace).toHaveLength(1);
    expect(before.bank).toHaveLength(1);
    expect(await first.kill('SIGTERM')).toMatchObject({ code: 0, signal: null });

    const second = await start({ PORT: String(port) });
    expect(await accountsOf(second)).toEqual(before);
    expect(await second.kill('SIGINT')).toMatchObject({ code: 0, signal: null });

    const third = await start();
    expect(third.url).not.toBe(first.url);
    expect(await accountsOf(third)).toEqual(before);
  });

  it('finds the accounts after kill -9, and can decrypt their tokens', async () => {
    const first = await start();
    const before = await connectBoth(first);
    expect(await first.kill('SIGKILL')).toMatchObject({ code: null, signal: 'SIGKILL' });

    const second = await start();
    expect(await accountsOf(second)).toEqual(before);
    const token = await second.signIn();
    const refreshed = await second.call(`/auth/bank/accounts/${before.bank[0].id}/refresh`, { method: 'POST', token });
    expect(refreshed.body).toEqual({ success: true });
  });

  it('finishes a callback in progress at SIGTERM', async () => {
    const emulator = await new ProviderEmulator({
      clientSecret: 'client-secret',
      accessToken: 'access-token',
      refreshToken: 'refresh-token',
      bankSecret: 'bank-secret',
      bankAccessToken: 'bank-access-token',
    }).start();
    try {
      const child = await start({ ...emulator.env, ALLOW_MIXED: '1' });
      const { browser, consentUrl } = await openConsent(child, { email: 'demo@example.com' });
      const state = new URL(consentUrl).searchParams.get('state') ?? '';
      const release = emulator.hold('/token');
      const callback = browser.visit(`/auth/workspace/callback?${new URLSearchParams({ state, code: 'code' })}`);
      await eventually(() => emulator.callsOf('/token').length > 0);
      const exit = child.kill('SIGTERM');
      await eventually(() => isRefused(child.url));
      release();
      expect(outcome(await callback)).toMatchObject({ status: 'connected' });
      expect(await exit).toMatchObject({ code: 0, signal: null });
    } finally {
      await emulator.stop();
    }
    expect(await place.sql('select email from workspace_accounts')).toEqual([{ email: 'demo@example.com' }]);
  });
});

/** Whether the port is free again. */
async function isRefused(url: string): Promise<boolean> {
  const socket = connectTcp({ host: '127.0.0.1', port: Number(new URL(url).port) });
  try {
    await once(socket, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
}

describe('a second start on the same data folder', () => {
  it('exits with 1, while the first continues and loses nothing', async () => {
    const first = await start();
    const before = await connectBoth(first);
    const exit = await runProcess(place.env);
    expect(exit.code).toBe(1);
    expect(exit.stderr).toContain(`Another Steward is running on the data folder ${place.dataDir}.`);
    expect(exit.stderr).toContain('DATA_DIR');
    expect(exit.stderr).not.toContain('    at ');

    const token = await first.signIn();
    expect(await accountsOf(first, token)).toEqual(before);
    expect((await linkBank(first, token, 'ins_109511')).body).toEqual({ success: true });
    expect(await first.kill('SIGTERM')).toMatchObject({ code: 0 });
    const second = await start();
    expect((await accountsOf(second)).bank).toHaveLength(2);
  });
});
