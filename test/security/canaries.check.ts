import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll } from 'vitest';
import { FormBrowser } from '../support/browser/browser.ts';
import { ProviderEmulator } from '../support/emulators/provider-emulator.ts';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/processes/process.ts';
import { openConsent } from '../support/scenes/flows.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startIssuer, type TestIssuer } from '../support/servers/issuer.ts';
import { type LoopbackServer, startLoopbackServer } from '../support/servers/loopback-server.ts';
import { eventually } from '../support/time/eventually.ts';
import type { HttpResponse } from '../support/users/request.ts';
import { SocketClient } from '../support/users/socket-client.ts';
import { check, type Outcome } from './support/check.ts';
import { Secrets } from './support/secrets.ts';

const secrets = new Secrets();
const provider = {
  clientSecret: secrets.hide('client secret'),
  accessToken: secrets.hide('workspace access token'),
  refreshToken: secrets.hide('workspace refresh token'),
  bankSecret: secrets.hide('bank secret'),
  bankAccessToken: secrets.hide('bank access token'),
};
const masterKey = secrets.hide('master key', randomBytes(32).toString('base64'));
const otlpHeader = secrets.hide('otlp header');
/** Personal data that is stored; it must not be in logs, metrics and traces. */
const PERSONAL = ['e-mail', 'waitlist e-mail'];
const person = { 'e-mail': secrets.hide('e-mail'), 'waitlist e-mail': secrets.hide('waitlist e-mail') };

let issuer: TestIssuer;
let emulator: ProviderEmulator;
let place: Place;
let collector: LoopbackServer & { received: Buffer[] };
let steward: TestProcess;
let reports: string;
let metricsPort: number;
const responses: { asked: string; answer: HttpResponse }[] = [];
const frames: string[] = [];
let metrics = '';

beforeAll(async () => {
  [issuer, emulator, place, collector, metricsPort] = await Promise.all([
    startIssuer(),
    new ProviderEmulator(provider).start(),
    createPlace(),
    startCollector(),
    freePort(),
  ]);
  reports = mkdtempSync(join(tmpdir(), 'steward-reports-'));
  steward = await startProcess({
    ...place.env,
    ...issuer.env,
    ...emulator.env,
    MASTER_KEYS: `k1:${masterKey}`,
    LOG_LEVEL: 'trace',
    METRICS_PORT: String(metricsPort),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${otlpHeader}`,
    OTEL_BSP_SCHEDULE_DELAY: '200',
    NODE_OPTIONS: `--report-on-signal --report-signal=SIGUSR2 --report-directory=${reports}`,
  });
  await journey();
});

afterAll(async () => {
  await steward.kill('SIGKILL');
  await place.remove();
  await emulator.stop();
  issuer.close();
  await collector.close();
  rmSync(reports, { recursive: true, force: true });
});

async function startCollector() {
  const received: Buffer[] = [];
  const server = await startLoopbackServer(async (request, response) => {
    const body = await buffer(request);
    received.push(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  return { ...server, received };
}

async function signIn(claims: Record<string, unknown> = {}): Promise<string> {
  const token = await issuer.sign(person['e-mail'], claims);
  const [, payload = '', signature = ''] = token.split('.');
  secrets.hide('id token payload', payload);
  secrets.hide('id token signature', signature);
  return token;
}

async function call(...[path, options]: Parameters<TestProcess['call']>): Promise<HttpResponse> {
  const response = await steward.call(path, options);
  responses.push({ asked: path.split('?')[0] ?? path, answer: response });
  return response;
}

/** All operations of a user, in order and with mistakes, with known tokens. */
async function journey(): Promise<void> {
  const token = await signIn();
  await call('/waitlist', { form: { email: `${person['waitlist e-mail']}@example.com` } });
  await connectAccount(token);
  await call('/auth/bank/set_access_token', { token, form: { public_token: secrets.hide('public token') } });
  emulator.on('/link/token/create', {
    status: 200,
    body: {
      link_token: secrets.hide('link token'),
      expiration: '2030-01-01T00:00:00Z',
      request_id: 'r1',
    },
  });
  await call('/auth/bank/create_link_token', { method: 'POST', token });
  const socket = await SocketClient.signedIn(steward.url, token);
  for (const frame of [
    { type: 'list' },
    { type: 'call', action: 'mail.search', input: { query: secrets.hide('searched words') } },
    { type: 'approvals' },
  ])
    frames.push(JSON.stringify(await socket.request(frame)));
  await socket.close();
  await mistakes(token);
  for (const path of ['/integrations', '/auth/workspace/accounts', '/auth/bank/accounts', '/user/audit', '/user/export'])
    await call(path, { token });
  metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
}

async function connectAccount(token: string): Promise<void> {
  const browser = new FormBrowser(steward.url);
  // The queue's first start keeps the one connection of the embedded database busy.
  await eventually(async () => (await steward.call('/auth/workspace/accounts', { token })).status === 200);
  const { request, login, consentUrl } = await openConsent(steward, { token, email: 'demo@example.com', browser });
  secrets.hide('ticket', new URL(request.body.login_url).searchParams.get('token') ?? '');
  for (const value of browser.cookies.values()) secrets.hide('binding cookie', value);
  const asked = new URL(consentUrl).searchParams;
  const [state, nonce] = [asked.get('state') ?? '', asked.get('nonce') ?? ''];
  // The browser sends both to the provider: they may be in that one address.
  secrets.hide('state', state);
  secrets.hide('nonce', nonce);
  responses.push({ asked: '/workspace_access_request', answer: request }, { asked: '/auth/workspace/login', answer: login });
  const callback = await browser.visit(`/auth/workspace/callback?${new URLSearchParams({ state, code: secrets.hide('code') })}`);
  responses.push({ asked: '/auth/workspace/callback', answer: callback });
  if (!callback.headers.get('location')?.includes('status=connected')) throw new Error(`not connected: ${callback.status}`);
}

/** Requests of attackers and careless clients, and errors of providers. */
async function mistakes(token: string): Promise<void> {
  await call('/auth/bank/accounts', { token: secrets.hide('wrong token') });
  await call('/auth/bank/accounts', { token: await signIn({ aud: 'another' }) });
  await call(`/auth/workspace/login?token=a.${secrets.hide('token in the query')}.c`);
  await call(`/auth/workspace/callback?state=${secrets.hide('unknown state')}&code=${secrets.hide('unknown code')}`);
  await call('/waitlist', { body: `{"email":"${secrets.hide('broken body')}`, headers: { 'content-type': 'application/json' } });
  await call('/webhooks/bank', {
    body: JSON.stringify({ item_id: secrets.hide('webhook body') }),
    headers: { 'content-type': 'application/json', 'plaid-verification': secrets.hide('webhook proof') },
  });
  emulator.on('/item/public_token/exchange', {
    status: 400,
    body: {
      error_code: 'INVALID_PUBLIC_TOKEN',
      error_type: 'INVALID_INPUT',
      error_message: secrets.hide('echo'),
      request_id: 'r',
    },
  });
  await call('/auth/bank/set_access_token', { token, form: { public_token: secrets.hide('refused public token') } });
}

function outcome(places: number, failed: string[]): Outcome {
  return { tried: secrets.size * places, failed };
}

check('canaries: responses, their headers and Location, and socket frames', () => {
  // What a step of the flow sends to its own browser, and a user's own data.
  const meant: Record<string, string[]> = {
    '/workspace_access_request': ['ticket', 'binding cookie'],
    '/auth/workspace/login': ['state', 'nonce'],
    '/auth/workspace/callback': ['binding cookie'],
    '/auth/bank/create_link_token': ['link token'],
    '/user/export': ['e-mail', 'waitlist e-mail'],
  };
  const failed = responses.flatMap(({ asked, answer: response }) => {
    const shown = `${[...response.headers].flat().join('\n')}\n${response.text}`;
    return secrets.foundIn(`the answer of ${asked}`, shown, meant[asked]);
  });
  return outcome(responses.length + frames.length, [...failed, ...frames.flatMap((frame) => secrets.foundIn('a frame', frame))]);
});

check('canaries: metrics', () =>
  outcome(1, [...secrets.foundIn('metrics', metrics), ...(metrics.includes('# TYPE') ? [] : ['no metrics'])]),
);

check('canaries: traces', async () => {
  await eventually(() => collector.received.length > 0, 30_000);
  return outcome(
    collector.received.length,
    collector.received.flatMap((span) => secrets.foundIn('a trace', span)),
  );
});

check('canaries: a diagnostic report', async () => {
  // This signal does not end it.
  void steward.kill('SIGUSR2');
  const file = await eventually(async () => {
    const [name] = readdirSync(reports);
    const content = name === undefined ? '' : readFileSync(join(reports, name), 'utf8');
    return content.trimEnd().endsWith('}') ? content : undefined;
  }, 30_000);
  const failed = file.includes('"environmentVariables"') ? [] : ['the report is another than expected'];
  return outcome(1, [...failed, ...secrets.foundIn('the report', file)]);
});

check('canaries: every table', async () => {
  await steward.kill('SIGABRT');
  const tables = await place.sql<{ schema: string; name: string }>(
    `select table_schema as schema, table_name as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const failed: string[] = [];
  let rows = 0;
  let control = false;
  for (const { schema, name } of tables) {
    const found = await place.sql<{ row: string }>(`select t::text as row from "${schema}"."${name}" t`);
    rows += found.length;
    for (const { row } of found) {
      control ||= row.includes(person['e-mail']);
      failed.push(...secrets.foundIn(`table ${schema}.${name}`, row, [...PERSONAL, 'searched words']));
    }
  }
  if (rows < 10 || !control) failed.push('what is stored as it is was not found either');
  return outcome(tables.length, failed);
});

check('canaries: logs, including those of a crash', async () => {
  const { output, signal } = await steward.exited;
  const failed = signal === 'SIGABRT' ? [] : [`it ended with ${signal} instead of a crash`];
  if (!output.includes('"path":"/auth/bank/set_access_token"')) failed.push('nothing was logged');
  return outcome(1, [...failed, ...secrets.foundIn('the log', output)]);
});

check('canaries: files of the data folder, database pages included', () => {
  const failed = secrets.foundInFiles(place.dataDir, [...PERSONAL, 'searched words']);
  const found = secrets.foundInFiles(place.dataDir).some((name) => name.startsWith('e-mail'));
  if (place.env.DATABASE_URL === undefined && !found) failed.push('what is stored as it is was not found either');
  if (place.env.DATABASE_URL !== undefined)
    return { ...outcome(1, failed), missing: 'the database is not in the data folder: run it without TEST_DATABASE_URL' };
  return outcome(1, failed);
});
