import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import { BankEmulator } from '../../support/emulators/bank-emulator.ts';
import { WorkspaceEmulator } from '../../support/emulators/workspace-emulator.ts';
import { newName } from '../../support/scenes/flows.ts';
import { type FaultyDatabase, startFaultyDatabase } from '../../support/servers/database-proxy.ts';
import { sendJson } from '../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

let database: FaultyDatabase;
let workspace: WorkspaceEmulator;
let bank: BankEmulator;
let steward: TestSteward;

beforeAll(async () => {
  database = await startFaultyDatabase();
  [workspace, bank] = [await new WorkspaceEmulator().start(), await new BankEmulator().start()];
  steward = await startSteward({ ...workspace.env, ...bank.env, ...database.env, LIMIT_REVOCATION_RETRY_SECONDS: '1' });
});

afterAll(async () => {
  await Promise.all([workspace.stop(), bank.stop(), database.stop()]);
});

/** A consent whose tokens have arrived when the database becomes unavailable. @returns the callback's outcome, and the refresh token */
async function connectUntilCut() {
  const browser = new FormBrowser(steward.url);
  const token = await steward.signIn(newName());
  const email = `${newName()}@example.com`;
  const { body } = await browser.visit('/workspace_access_request', { token, form: { email } });
  const consentUrl = (await browser.visit(body.login_url)).headers.get('location') ?? '';
  workspace.on('/userinfo', (response) => {
    database.cut();
    response.writeHead(503).end();
  });
  const { status } = await browser.visit(workspace.approve(consentUrl, email));
  workspace.reset();
  return { status, refreshToken: workspace.issued.at(-1) ?? '' };
}

describe('tokens issued while the database became unavailable', () => {
  it('a consent is revoked once the database is available', async () => {
    const { status, refreshToken } = await connectUntilCut();
    expect(status).toBe(503);
    database.restore();
    // It tries again after a pause.
    await eventually(async () => {
      await steward.clock.advance(1_000);
      return workspace.revoked.includes(refreshToken);
    });
    await eventually(async () => (await steward.sql('select from revocations')).length === 0);
  });

  it('a bank’s item is removed once the database is available', async () => {
    const token = await steward.signIn(newName());
    bank.on('/accounts/get', (response) => {
      database.cut();
      sendJson(response, 503, {});
    });
    const { status } = await steward.call('/auth/bank/set_access_token', { token, form: { public_token: 'public-1' } });
    expect(status).toBeGreaterThanOrEqual(500);
    expect(bank.calls.map(({ path }) => path)).toContain('/item/public_token/exchange');
    database.restore();
    await eventually(() => bank.calls.some(({ path }) => path === '/item/remove'), 60_000);
  });

  it('do not delay a stop', async () => {
    const { refreshToken } = await connectUntilCut();
    await steward.stop();
    expect(workspace.revoked).not.toContain(refreshToken);
    expect(steward.logs.join('')).toContain('a token could not be revoked');
  });
});
