import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FormBrowser } from '../browser/browser.ts';
import { connect, consent, linkBank, openConsent, outcome, queueInstalled } from '../scenes/flows.ts';
import { type ProductionSteward, startProduction } from '../scenes/production.ts';
import { type FaultyDatabase, startFaultyDatabase } from '../servers/database-proxy.ts';
import { startSteward, type TestSteward } from '../steward.ts';
import { eventually } from '../time/eventually.ts';
import type { CallOptions, HttpResponse } from '../users/request.ts';
import { DocumentedResponses } from './documented-responses.ts';

export const UNKNOWN = '00000000-0000-4000-8000-000000000000';
export const VALID_INTEGRATIONS =
  'version: 1\nsources:\n  tickets: { url: sandbox, label: Tickets }\n  keyed: { url: "http://127.0.0.1:1/mcp", auth: header, header: x-api-key, label: Keyed }\nagents:\n  tickets: { provider: mcp, source: tickets, description: Tickets., actions: { search: { tool: search_tickets, effect: read } } }\n  bank: { provider: bank, description: Balances., products: [auth], actions: { balances: { use: bank.balances }, numbers: { use: bank.numbers, policy: { approval: always } } } }\n';
const PROVIDER_TIMEOUT_MS = 10_000;
const USERS = Array.from({ length: 1_000 }, (_, index) => `user-${index}@example.com`);

let folder: string;
export let integrationsFile: string;
let database: FaultyDatabase;
export let steward: TestSteward;
let limited: TestSteward;
export let production: ProductionSteward;
export let documented: DocumentedResponses;
export let inProduction: DocumentedResponses;
let users = 0;

/** Three services: one whose every part can fail, one that takes a single request a minute, and production with nothing configured. */
export async function startScene(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'steward-openapi-'));
  integrationsFile = join(folder, 'integrations.yaml');
  writeFileSync(integrationsFile, VALID_INTEGRATIONS);
  database = await startFaultyDatabase();
  const env = {
    ALLOWED_USERS: USERS.join(','),
    OPERATORS: USERS.join(','),
    INTEGRATIONS_FILE: integrationsFile,
    LIMIT_PROVIDER_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
  };
  steward = await startSteward({ ...database.env, ...env });
  await queueInstalled(steward);
  limited = await startSteward({ LIMIT_REQUESTS_PER_MINUTE: '1', LIMIT_WAITLIST_PER_MINUTE: '1', LIMIT_PROBES_PER_MINUTE: '1' });
  production = await startProduction();
  documented = new DocumentedResponses((await steward.call('/openapi.json')).body);
  inProduction = new DocumentedResponses((await production.call('/openapi.json')).body);
}

export async function stopScene(): Promise<void> {
  await Promise.all([steward.stop(), limited.stop(), production.stop()]);
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** A token of a user whom no other request has used, so that nothing is remembered of it. */
export function newToken(): Promise<string> {
  users += 1;
  return steward.signIn(`user-${users}`);
}

/** A token signed while the sandbox's clock was moved. */
export async function tokenAt(minutes: number, user?: string): Promise<string> {
  await steward.control('clock', { advance_ms: minutes * 60_000 });
  try {
    return user === undefined ? await newToken() : await steward.signIn(user);
  } finally {
    await steward.control('clock', { advance_ms: -minutes * 60_000 });
  }
}

/** Calls an endpoint by its documented name; path parameters become `id`. */
export function callEndpoint(on: TestSteward, endpoint: string, options: CallOptions = {}, id = UNKNOWN): Promise<HttpResponse> {
  const [method = '', path = ''] = endpoint.split(' ');
  return on.call(path.replace(/\{\w+\}/g, id), { method, ...options });
}

/** Asks until it is too much. Where a minute ends just then, the next request is taken, and uses the new one up. */
export async function untilLimited(endpoint: string, options: CallOptions): Promise<HttpResponse> {
  let response = await callEndpoint(limited, endpoint, options);
  for (let more = 0; response.status !== 429 && more < 5; more += 1) response = await callEndpoint(limited, endpoint, options);
  return response;
}

export async function whileCut(work: () => Promise<HttpResponse>): Promise<HttpResponse> {
  database.cut();
  try {
    return await work();
  } finally {
    database.restore();
  }
}

export async function whileMissing(table: string, work: () => Promise<HttpResponse>): Promise<HttpResponse> {
  await steward.sql(`alter table ${table} rename to ${table}_away`);
  try {
    return await work();
  } finally {
    await steward.sql(`alter table ${table}_away rename to ${table}`);
  }
}

/** While the aggregator receives requests and never responds, until the service’s patience is over. */
export async function whileHanging(work: () => Promise<HttpResponse>): Promise<HttpResponse> {
  const received = async () => JSON.stringify((await steward.control('bank/state')).calls);
  const before = await received();
  await steward.control('faults', { part: 'bank', kind: 'hang' });
  try {
    const working = work();
    await eventually(async () => (await received()) !== before);
    await steward.clock.advance(PROVIDER_TIMEOUT_MS);
    return await working;
  } finally {
    await steward.control('faults/clear', {});
  }
}

export async function withBankError(code: string, path: string, work: () => Promise<HttpResponse>): Promise<HttpResponse> {
  await steward.control('bank/error', { code, path });
  return work();
}

export async function linkedBank(): Promise<{ token: string; id: string; itemId: string }> {
  const token = await newToken();
  await linkBank(steward, token);
  const { accounts } = (await steward.call('/auth/bank/accounts', { token })).body;
  return { token, id: accounts[0].id, itemId: (await steward.control('bank/state')).items.at(-1).item_id };
}

export async function connectedWorkspace(): Promise<{ token: string; id: string }> {
  const { callback, token } = await connect(steward, { token: await newToken() });
  return { token, id: outcome(callback).account_id as string };
}

/** A flow at its end, in a browser without the user's cookie. */
export async function unboundCallback(options: CallOptions = {}): Promise<{ browser: FormBrowser; url: string; page: HttpResponse }> {
  const opened = await openConsent(steward, { token: await newToken() });
  const url = await consent(opened.browser, opened.consentUrl);
  const browser = new FormBrowser(steward.url);
  return { browser, url, page: await browser.visit(url, options) };
}
