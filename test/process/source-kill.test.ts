import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ownIntegrations } from '../support/inputs/own-integrations.ts';
import { sourceFile } from '../support/inputs/source-file.ts';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/processes/process.ts';
import { outcome } from '../support/scenes/flows.ts';
import { consentAt, openSource, sourceAccounts } from '../support/scenes/source-flows.ts';
import { freePort } from '../support/servers/free-port.ts';
import { SourceAuthorizationServer } from '../support/servers/source-authorization-server.ts';
import { eventually } from '../support/time/eventually.ts';

const server = new SourceAuthorizationServer();
let place: Place;
let child: TestProcess;
let port: string;

beforeAll(() => server.start());
afterAll(() => server.stop());

beforeEach(async () => {
  server.restart({ path: '', announcesIss: true });
  port = String(await freePort());
  place = await createPlace();
  await start();
});

afterEach(async () => {
  await child.kill('SIGKILL');
  await place.remove();
});

async function start(): Promise<void> {
  const file = sourceFile(`{ url: "${server.address}", label: Tickets }`, 'find: { tool: find, effect: read }');
  child = await startProcess({ ...place.env, PORT: port, INTEGRATIONS_FILE: ownIntegrations(file) });
}

/** The process ends while it waits for the answer of a path. @returns what was requested there */
async function killedWhileAsking(path: string, request: () => Promise<unknown>) {
  const release = server.hold(path);
  request().catch(() => {});
  await eventually(() => server.callsOf(path).length > 0);
  await child.kill('SIGKILL');
  release();
  return server.callsOf(path);
}

async function connect(token: string) {
  const { browser, callbackUrl } = await consentAt(server, child, token);
  return outcome(await browser.visit(callbackUrl));
}

/** One statement: each one opens the embedded database again. */
const stored = () =>
  place.sql(
    ['grants', 'source_accounts', 'source_tools', 'source_clients', 'revocations', 'oauth_flows']
      .map((table) => `select '${table}' as name from ${table}`)
      .join(' union all '),
  );

const connected = async (token: string) => (await sourceAccounts(child, token)).map(({ source, status }) => ({ source, status }));

describe('kill -9 while a source is being connected', () => {
  it('of the exchange of its code: nothing half, the callback is not taken again, and the user can start again', async () => {
    const token = await child.signIn('ana');
    const { browser, callbackUrl } = await consentAt(server, child, token);
    const [exchange] = await killedWhileAsking('/token', () => browser.visit(callbackUrl));
    expect(new URLSearchParams(exchange?.text).get('code')).toBe(new URL(callbackUrl).searchParams.get('code'));

    expect(await stored()).toEqual([{ name: 'source_clients' }, { name: 'oauth_flows' }]);
    const flows = await place.sql('select consumed_at is not null as consumed, secrets, outcome, pending from oauth_flows');
    expect(flows).toEqual([{ consumed: true, secrets: null, outcome: null, pending: null }]);

    await start();
    const late = await browser.visit(callbackUrl);
    expect(late.status).toBe(303);
    expect(outcome(late)).toMatchObject({ integration: 'mcp', status: 'error', code: 'expired' });
    expect(server.callsOf('/token')).toHaveLength(1);
    expect(await connected(token)).toEqual([]);

    expect(await connect(token)).toMatchObject({ status: 'connected' });
    expect(await connected(token)).toEqual([{ source: 'tickets', status: 'active' }]);
    // What was registered before is used again.
    expect(server.callsOf('/register')).toHaveLength(1);
    for (const secret of server.secrets) expect(child.output()).not.toContain(secret);
  });

  it('of its registration: there is no flow, and the next one registers', async () => {
    const token = await child.signIn('ana');
    await killedWhileAsking('/register', () => openSource(child, { token }));
    expect(await stored()).toEqual([]);
    await start();
    expect(await connect(token)).toMatchObject({ status: 'connected' });
    expect(await connected(token)).toEqual([{ source: 'tickets', status: 'active' }]);
    expect(server.callsOf('/register')).toHaveLength(2);
  });

  it('of its first list of tools: the connection holds, and they are read after the restart', async () => {
    const token = await child.signIn('ana');
    const { browser, callbackUrl } = await consentAt(server, child, token);
    const before = server.callsOf('/mcp').length;
    const release = server.hold('/mcp');
    expect(outcome(await browser.visit(callbackUrl))).toMatchObject({ status: 'connected' });
    await eventually(() => server.callsOf('/mcp').length > before);
    await child.kill('SIGKILL');
    release();
    // The lease of the process that is gone.
    await place.sql(`update source_accounts set list_after = now()`);
    const asked = server.callsOf('/mcp').length;
    await start();
    expect(await connected(token)).toEqual([{ source: 'tickets', status: 'active' }]);
    await eventually(() => server.callsOf('/mcp').length > asked);
  });
});
