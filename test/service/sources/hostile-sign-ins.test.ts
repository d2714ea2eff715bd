import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { sourceFile } from '../../support/inputs/source-file.ts';
import { newName, outcome } from '../../support/scenes/flows.ts';
import { consentAt, openSource, sourceAccounts } from '../../support/scenes/source-flows.ts';
import { SourceAuthorizationServer } from '../../support/servers/source-authorization-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

/** Longer than a user waits for any step at a server. */
const LONG_MS = 31_000;

const server = new SourceAuthorizationServer();
let steward: TestSteward;
let token: string;

beforeAll(async () => {
  await server.start();
  const file = sourceFile(`{ url: "${server.address}", label: Tickets }`, 'find: { tool: find, effect: read }');
  steward = await startSteward({ INTEGRATIONS_FILE: ownIntegrations(file), LIMIT_REVOCATION_RETRY_SECONDS: '1' });
});

beforeEach(async () => {
  server.restart({ path: '', announcesIss: true });
  await steward.sql('delete from source_clients');
  token = await steward.signIn(newName());
});

afterAll(async () => {
  await steward?.stop();
  await server.stop();
});

const connect = async () => {
  const { browser, callbackUrl } = await consentAt(server, steward, token);
  return outcome(await browser.visit(callbackUrl));
};
const states = async () => (await sourceAccounts(steward, token)).map(({ status }) => status);

/** Holds a path while something is done there, until it is given up on. */
async function held<Result>(path: string, work: () => Promise<Result>): Promise<{ result: Result; release: () => void }> {
  const before = server.callsOf(path).length;
  const release = server.hold(path);
  const working = work();
  await eventually(() => server.callsOf(path).length > before);
  await steward.clock.advance(LONG_MS);
  return { result: await working, release };
}

describe('a server that hangs while it is connected', () => {
  it.each(['/mcp', '/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server', '/register'])(
    'at %s is given up on, and can be connected later',
    async (path) => {
      const { result, release } = await held(path, () => openSource(steward, { token }));
      expect(result.request.body).toMatchObject({ status: 'error', code: 'provider_timeout' });
      expect(await steward.sql('select 1 from oauth_flows where consumed_at is null and source is not null')).toEqual([]);
      release();
      expect(await connect()).toMatchObject({ status: 'connected' });
    },
  );

  it('at the exchange of the code is given up on, and what it gives later is revoked', async () => {
    const { browser, callbackUrl } = await consentAt(server, steward, token);
    const { result, release } = await held('/token', () => browser.visit(callbackUrl));
    expect(outcome(result)).toMatchObject({ status: 'error', code: 'provider_error' });
    expect(await states()).toEqual([]);
    release();
    await eventually(() => server.revoked.length > 0);
    for (const revoked of server.revoked) expect(server.secrets).toContain(revoked);
    expect(await states()).toEqual([]);
  });
});

describe('a server that refuses the token that it has just renewed', () => {
  it('needs its user after one try, and is asked nothing more', async () => {
    // It refuses each request to its tools.
    expect(await connect()).toMatchObject({ status: 'connected' });
    await eventually(async () => (await states())[0] === 'reauth_required');
    const grants = server.callsOf('/token').map(({ text }) => new URLSearchParams(text).get('grant_type'));
    expect(grants).toEqual(['authorization_code', 'refresh_token']);
    const before = server.calls.length;
    await steward.sql('update source_accounts set list_after = now()');
    await steward.tick();
    expect(server.calls).toHaveLength(before);
    const events = await steward.sql<{ data: object }>(
      `select e.data from events e join source_accounts a on a.id = (e.data->>'account')::uuid
       where e.event = 'account.status' and a.id = $1`,
      [(await sourceAccounts(steward, token))[0]?.id],
    );
    expect(events).toMatchObject([{ data: { status: 'reauth_required' } }]);
    expect(
      await steward.sql(`select 1 from source_accounts where id = $1 and listed_at is not null`, [
        (await sourceAccounts(steward, token))[0]?.id,
      ]),
    ).toEqual([]);
  });
});

describe('a server that grants what is no scope', () => {
  const scopes = async () => {
    const [row] = await steward.sql<{ scopes: string[] }>(
      'select scopes from grants where provider = $1 order by created_at desc limit 1',
      ['mcp'],
    );
    return row?.scopes;
  };

  it('is connected and renewed without that', async () => {
    server.answer = { scope: `read a\u0000b \ud800 ${'c'.repeat(1_000)} write` };
    expect(await connect()).toMatchObject({ status: 'connected' });
    expect(await scopes()).toEqual(['read', 'write']);
    // The server refuses the first token, and the renewed one.
    await eventually(async () => (await states())[0] === 'reauth_required');
    expect(await scopes()).toEqual(['read', 'write']);
    expect(server.callsOf('/token')).toHaveLength(2);
  });
});
