import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FormBrowser } from './support/browser.ts';
import { type FaultyDatabase, startFaultyDatabase } from './support/database-proxy.ts';
import { DocumentedAnswers } from './support/documented-answers.ts';
import { connect, consent, createPublicToken, linkBank, openConsent, outcome } from './support/flows.ts';
import { type ProductionSteward, startProduction } from './support/production.ts';
import { type Answer, type CallOptions, startSteward, type TestSteward } from './support/steward.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const VALID_INTEGRATIONS = 'version: 1\nagents:\n  bank: { provider: bank, description: Balances., products: [auth] }\n';
const USERS = Array.from({ length: 300 }, (_, index) => `user-${index}@example.com`);

/** Endpoints of the interface and of the contract. */
const ENDPOINTS = [
  'GET /',
  'GET /test',
  'POST /waitlist',
  'POST /email',
  'GET /update_integrations',
  'POST /workspace_access_request',
  'GET /auth/workspace/login',
  'GET /auth/workspace/callback',
  'POST /auth/bank/create_link_token',
  'POST /auth/bank/set_access_token',
  'GET /auth/bank/accounts',
  'DELETE /auth/bank/accounts/{account_id}',
  'GET /auth/workspace/accounts',
  'DELETE /auth/workspace/accounts/{account_id}',
  'POST /auth/workspace/accounts/{account_id}/default',
  'POST /auth/bank/accounts/{account_id}/refresh',
  'POST /webhooks/bank',
  'GET /integrations',
  'GET /health/live',
  'GET /health/ready',
  'DELETE /user',
];

/** Documented answers that no request can provoke on a service in order, and why. */
const NOT_PROVOKED: { why: string; answers: RegExp }[] = [
  { why: 'probes stand before the rate limit', answers: /^GET \/(test|health\/live|health\/ready) 429 / },
  { why: 'uses nothing that can fail: no database, no provider', answers: /^GET \/(test|health\/live|api-docs)? (500|503) / },
  { why: 'every failure of the file is a 422, and no database is used', answers: /^GET \/update_integrations (500|503) / },
  { why: 'asks the database one constant question, whose every failure is unavailable', answers: /^GET \/health\/ready 500 / },
  { why: 'a failed insertion is the interface’s 200 with status error', answers: /^POST \/(waitlist|email) (500|503) / },
];

interface Run {
  endpoint: string;
  /** Status, then the error's code. */
  answer: string;
  provoke(options: CallOptions): Promise<Answer>;
}

let folder: string;
let integrationsFile: string;
let database: FaultyDatabase;
let steward: TestSteward;
let limited: TestSteward;
let production: ProductionSteward;
let documented: DocumentedAnswers;
let inProduction: DocumentedAnswers;
let users = 0;
const seen = new Set<string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-openapi-'));
  integrationsFile = join(folder, 'integrations.yaml');
  writeFileSync(integrationsFile, VALID_INTEGRATIONS);
  database = await startFaultyDatabase();
  const env = { ALLOWED_USERS: USERS.join(','), INTEGRATIONS_FILE: integrationsFile, LIMIT_PROVIDER_TIMEOUT_MS: '1500' };
  steward = await startSteward({ ...database.env, ...env });
  limited = await startSteward({ LIMIT_REQUESTS_PER_MINUTE: '1', LIMIT_WAITLIST_PER_MINUTE: '1' });
  await limited.call('/');
  production = await startProduction();
  documented = new DocumentedAnswers((await steward.call('/openapi.json')).body);
  inProduction = new DocumentedAnswers((await production.call('/openapi.json')).body);
});

afterAll(async () => {
  await Promise.all([steward.stop(), limited.stop(), production.stop()]);
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A token of a user whom no other request has used, so that nothing is remembered of it. */
function newToken(): Promise<string> {
  users += 1;
  return steward.signIn(`user-${users}`);
}

/** A token signed while the sandbox's clock was moved. */
async function tokenAt(minutes: number, user?: string): Promise<string> {
  await steward.control('clock', { advance_ms: minutes * 60_000 });
  try {
    return user === undefined ? await newToken() : await steward.signIn(user);
  } finally {
    await steward.control('clock', { advance_ms: -minutes * 60_000 });
  }
}

/** Calls an endpoint by its documented name; path parameters become `id`. */
function callEndpoint(on: TestSteward, endpoint: string, options: CallOptions = {}, id = UNKNOWN): Promise<Answer> {
  const [method = '', path = ''] = endpoint.split(' ');
  return on.call(path.replace(/\{\w+\}/g, id), { method, ...options });
}

async function whileCut(work: () => Promise<Answer>): Promise<Answer> {
  database.cut();
  try {
    return await work();
  } finally {
    database.restore();
  }
}

async function whileMissing(table: string, work: () => Promise<Answer>): Promise<Answer> {
  await steward.sql(`alter table ${table} rename to ${table}_away`);
  try {
    return await work();
  } finally {
    await steward.sql(`alter table ${table}_away rename to ${table}`);
  }
}

async function whileHanging(work: () => Promise<Answer>): Promise<Answer> {
  await steward.control('faults', { part: 'bank', kind: 'hang' });
  try {
    return await work();
  } finally {
    await steward.control('faults/clear', {});
  }
}

async function withBankError(code: string, path: string, work: () => Promise<Answer>): Promise<Answer> {
  await steward.control('bank/error', { code, path });
  return work();
}

async function linkedBank(): Promise<{ token: string; id: string; itemId: string }> {
  const token = await newToken();
  await linkBank(steward, token);
  const { accounts } = (await steward.call('/auth/bank/accounts', { token })).body;
  return { token, id: accounts[0].id, itemId: (await steward.control('bank/state')).items.at(-1).item_id };
}

async function connectedWorkspace(): Promise<{ token: string; id: string }> {
  const { callback, token } = await connect(steward, { token: await newToken() });
  return { token, id: outcome(callback).account_id as string };
}

/** A flow at its end, in a browser without the user's cookie. */
async function unboundCallback(options: CallOptions = {}): Promise<{ browser: FormBrowser; url: string; page: Answer }> {
  const opened = await openConsent(steward, { token: await newToken() });
  const url = await consent(opened.browser, opened.consentUrl);
  const browser = new FormBrowser(steward.url);
  return { browser, url, page: await browser.visit(url, options) };
}

/** What follows from an endpoint's inputs alone. */
function generalRuns(): Run[] {
  return Object.entries<Record<string, any>>(documented.document.paths).flatMap(([path, operations]) =>
    Object.entries<any>(operations).flatMap(([method, operation]) => {
      const endpoint = `${method.toUpperCase()} ${path}`;
      const run = (answer: string, provoke: Run['provoke']): Run => ({ endpoint, answer, provoke });
      const runs = [
        run('405 method_not_allowed', (options) => callEndpoint(steward, `PUT ${path}`, options)),
        run('429 rate_limited', (options) => callEndpoint(limited, endpoint, options)),
      ];
      if (operation.security.length > 0) runs.push(...guardedRuns(endpoint));
      if (operation.requestBody !== undefined) runs.push(...formRuns(endpoint));
      if (path.includes('{'))
        runs.push(run('404 not_found', async (options) => callEndpoint(steward, endpoint, { ...options, token: await newToken() })));
      return runs.filter(({ answer }) => !(answer.startsWith('429') && /^GET \/(test|health\/\w+)$/.test(endpoint)));
    }),
  );
}

function guardedRuns(endpoint: string): Run[] {
  const run = (answer: string, provoke: () => Promise<Answer>): Run => ({ endpoint, answer, provoke });
  const withToken = (token: string) => callEndpoint(steward, endpoint, { token });
  return [
    run('401 invalid_token', () => callEndpoint(steward, endpoint)),
    run('401 token_expired', async () => withToken(await tokenAt(-120))),
    run('403 forbidden', async () => withToken(await steward.signIn('stranger'))),
    run('500 internal', async () => {
      const token = await newToken();
      return whileMissing('users', () => withToken(token));
    }),
    run('503 unavailable', async () => {
      const token = await newToken();
      return whileCut(() => withToken(token));
    }),
  ];
}

function formRuns(endpoint: string): Run[] {
  const send = async (options: CallOptions, body: string, type: string) =>
    callEndpoint(steward, endpoint, { token: await newToken(), body, headers: { ...options.headers, 'content-type': type } });
  return [
    { endpoint, answer: '400 invalid_request', provoke: (options) => send(options, '[]', 'application/json') },
    { endpoint, answer: '413 too_large', provoke: (options) => send(options, 'x'.repeat(20_000), 'application/x-www-form-urlencoded') },
    { endpoint, answer: '415 unsupported_media_type', provoke: (options) => send(options, 'x', 'text/plain') },
  ];
}

/** What an endpoint does of its own; `{}` as answer options. */
function ownRuns(): Run[] {
  return [...openRuns(), ...userRuns(), ...workspaceRuns(), ...bankRuns()];
}

function openRuns(): Run[] {
  const plain = ['GET /test', 'GET /health/live', 'GET /health/ready', 'GET /', 'GET /api-docs', 'GET /update_integrations'];
  return [
    ...plain.map((endpoint) => ({ endpoint, answer: '200', provoke: () => callEndpoint(steward, endpoint) })),
    ...['POST /waitlist', 'POST /email'].flatMap((endpoint) => [
      { endpoint, answer: '200', provoke: () => callEndpoint(steward, endpoint, { form: { email: 'a@example.com' } }) },
      {
        endpoint,
        answer: '200',
        provoke: () => whileMissing('waitlist', () => callEndpoint(steward, endpoint, { form: { email: 'a@example.com' } })),
      },
    ]),
    { endpoint: 'GET /health/ready', answer: '503 unavailable', provoke: () => whileCut(() => steward.call('/health/ready')) },
    {
      endpoint: 'GET /update_integrations',
      answer: '422 invalid_configuration',
      async provoke() {
        writeFileSync(integrationsFile, 'version: 2');
        const answer = await steward.call('/update_integrations');
        writeFileSync(integrationsFile, VALID_INTEGRATIONS);
        return answer;
      },
    },
  ];
}

function userRuns(): Run[] {
  return [
    {
      endpoint: 'GET /integrations',
      answer: '200',
      provoke: async () => steward.call('/integrations', { token: (await linkedBank()).token }),
    },
    {
      endpoint: 'DELETE /user',
      answer: '200',
      provoke: async () => callEndpoint(steward, 'DELETE /user', { token: (await linkedBank()).token }),
    },
    {
      endpoint: 'DELETE /user',
      answer: '403 recent_login_required',
      provoke: async () => callEndpoint(steward, 'DELETE /user', { token: await tokenAt(-10) }),
    },
  ];
}

function workspaceRuns(): Run[] {
  const login = 'GET /auth/workspace/login';
  const callback = 'GET /auth/workspace/callback';
  const confirm = 'POST /auth/workspace/confirm';
  const request = 'POST /workspace_access_request';
  const loginWith = (token: string, options: CallOptions = {}, on: TestSteward = steward) =>
    on.call(`/auth/workspace/login?token=${token}`, options);
  const returnWith = (query: string, options: CallOptions = {}, on: TestSteward = steward) =>
    on.call(`/auth/workspace/callback?${query}`, options);
  const decide = (options: CallOptions, on: TestSteward = steward) =>
    on.call('/auth/workspace/confirm', { ...options, form: { confirmation: 'x', decision: 'confirm' } });
  return [
    {
      endpoint: request,
      answer: '200',
      provoke: async () => callEndpoint(steward, request, { token: await newToken(), form: { email: 'demo@example.com' } }),
    },
    { endpoint: login, answer: '303', provoke: async () => loginWith(await newToken()) },
    { endpoint: login, answer: '400 invalid_request', provoke: (options) => loginWith('', options) },
    { endpoint: login, answer: '401 invalid_token', provoke: (options) => loginWith('nonsense', options) },
    { endpoint: login, answer: '401 token_expired', provoke: async (options) => loginWith(await tokenAt(-120), options) },
    { endpoint: login, answer: '403 forbidden', provoke: async (options) => loginWith(await steward.signIn('stranger'), options) },
    {
      endpoint: login,
      answer: '500 internal',
      async provoke(options) {
        const token = await newToken();
        return whileMissing('users', () => loginWith(token, options));
      },
    },
    {
      endpoint: login,
      answer: '503 unavailable',
      async provoke(options) {
        const token = await newToken();
        return whileCut(() => loginWith(token, options));
      },
    },
    { endpoint: callback, answer: '200', provoke: async () => (await unboundCallback()).page },
    { endpoint: callback, answer: '303', provoke: async () => (await connect(steward, { token: await newToken() })).callback },
    { endpoint: callback, answer: '400 invalid_request', provoke: (options) => returnWith('state=%00', options) },
    {
      endpoint: callback,
      answer: '500 internal',
      provoke: (options) => whileMissing('oauth_flows', () => returnWith('state=x&code=y', options)),
    },
    { endpoint: callback, answer: '503 unavailable', provoke: (options) => whileCut(() => returnWith('state=x&code=y', options)) },
    {
      endpoint: confirm,
      answer: '303',
      async provoke() {
        const { browser, url, page } = await unboundCallback();
        return browser.submit(page, url, (fields) => fields.set('decision', 'confirm'));
      },
    },
    { endpoint: confirm, answer: '403 forbidden', provoke: (options) => decide(options) },
    ...(['500 internal', '503 unavailable'] as const).map((answer) => ({
      endpoint: confirm,
      answer,
      async provoke(options: CallOptions) {
        const { browser, url, page } = await unboundCallback();
        const submit = () =>
          browser.submit(page, url, (fields) => fields.set('decision', 'confirm'), { accept: 'application/json', ...options.headers });
        return answer.startsWith('500') ? whileMissing('oauth_flows', submit) : whileCut(submit);
      },
    })),
    {
      endpoint: 'GET /auth/workspace/accounts',
      answer: '200',
      provoke: async () => steward.call('/auth/workspace/accounts', { token: (await connectedWorkspace()).token }),
    },
    ...['DELETE /auth/workspace/accounts/{account_id}', 'POST /auth/workspace/accounts/{account_id}/default'].map((endpoint) => ({
      endpoint,
      answer: '200',
      async provoke() {
        const { token, id } = await connectedWorkspace();
        return callEndpoint(steward, endpoint, { token }, id);
      },
    })),
  ];
}

function bankRuns(): Run[] {
  const create = 'POST /auth/bank/create_link_token';
  const set = 'POST /auth/bank/set_access_token';
  const refresh = 'POST /auth/bank/accounts/{account_id}/refresh';
  const fresh = async (endpoint: string, form?: Record<string, string>) =>
    callEndpoint(steward, endpoint, { token: await newToken(), ...(form && { form }) });
  const link = async () => linkBank(steward, await newToken());
  const refreshed = async () => {
    const { token, id } = await linkedBank();
    return () => callEndpoint(steward, refresh, { token }, id);
  };
  return [
    { endpoint: create, answer: '200', provoke: () => fresh(create) },
    { endpoint: create, answer: '404 not_found', provoke: () => fresh(create, { account_id: UNKNOWN }) },
    {
      endpoint: create,
      answer: '409 item_gone',
      async provoke() {
        const { token, id, itemId } = await linkedBank();
        await steward.control('bank/remove-item', { item_id: itemId });
        return callEndpoint(steward, create, { token, form: { account_id: id } });
      },
    },
    {
      endpoint: create,
      answer: '409 relink_required',
      provoke: () => withBankError('NO_ACCOUNTS', '/link/token/create', () => fresh(create)),
    },
    {
      endpoint: create,
      answer: '422 unsupported_account',
      provoke: () => withBankError('PRODUCTS_NOT_SUPPORTED', '/link/token/create', () => fresh(create)),
    },
    {
      endpoint: create,
      answer: '502 provider_error',
      provoke: () => withBankError('INTERNAL_SERVER_ERROR', '/link/token/create', () => fresh(create)),
    },
    {
      endpoint: create,
      answer: '503 unavailable',
      provoke: () => withBankError('PLANNED_MAINTENANCE', '/link/token/create', () => fresh(create)),
    },
    { endpoint: create, answer: '504 provider_timeout', provoke: () => whileHanging(() => fresh(create)) },
    { endpoint: set, answer: '200', provoke: link },
    ...BANK_ERRORS.flatMap(([bankCode, answer]) => [
      { endpoint: set, answer, provoke: () => withBankError(bankCode, '/accounts/get', link) },
      { endpoint: refresh, answer, provoke: async () => withBankError(bankCode, '/accounts/get', await refreshed()) },
    ]),
    {
      endpoint: set,
      answer: '504 provider_timeout',
      async provoke() {
        const [token, publicToken] = [await newToken(), await createPublicToken(steward)];
        return whileHanging(() => callEndpoint(steward, set, { token, form: { public_token: publicToken } }));
      },
    },
    { endpoint: refresh, answer: '200', provoke: async () => (await refreshed())() },
    { endpoint: refresh, answer: '504 provider_timeout', provoke: async () => whileHanging(await refreshed()) },
    {
      endpoint: 'GET /auth/bank/accounts',
      answer: '200',
      provoke: async () => steward.call('/auth/bank/accounts', { token: (await linkedBank()).token }),
    },
    {
      endpoint: 'DELETE /auth/bank/accounts/{account_id}',
      answer: '200',
      async provoke() {
        const { token, id } = await linkedBank();
        return callEndpoint(steward, 'DELETE /auth/bank/accounts/{account_id}', { token }, id);
      },
    },
  ];
}

const BANK_ERRORS = [
  ['ITEM_LOGIN_REQUIRED', '409 relink_required'],
  ['ITEM_NOT_FOUND', '409 item_gone'],
  ['NO_AUTH_ACCOUNTS', '422 unsupported_account'],
  ['INTERNAL_SERVER_ERROR', '502 provider_error'],
  ['INSTITUTION_DOWN', '503 unavailable'],
] as const;

/** Runs one and remembers it; where people's browsers come, errors are asked for as pages too. */
async function check({ endpoint, answer, provoke }: Run): Promise<void> {
  const asJson = documented.check(endpoint, await provoke({}));
  expect(asJson.replace(/ html$/, '')).toBe(`${endpoint} ${answer}`);
  seen.add(asJson);
  if (!documented.answers.includes(`${endpoint} ${answer} html`) || answer.startsWith('200')) return;
  const asPage = documented.check(endpoint, await provoke({ headers: { accept: 'text/html' } }));
  expect(asPage).toBe(`${endpoint} ${answer} html`);
  seen.add(asPage);
}

describe('GET /openapi.json', () => {
  it('is an OpenAPI 3.1 document in which every $ref leads somewhere', () => {
    expect(documented.document.openapi).toMatch(/^3\.1\.\d+$/);
    const refs = [...JSON.stringify(documented.document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref as string);
    expect(refs.length).toBeGreaterThan(50);
    for (const ref of new Set(refs)) {
      const target = ref
        .replace(/^#\//, '')
        .split('/')
        .reduce<any>((value, step) => value?.[step.replaceAll('~1', '/')], documented.document);
      expect(target, ref).toBeTypeOf('object');
    }
  });

  it('holds every endpoint of the interface and its additions', () => {
    expect(ENDPOINTS.filter((endpoint) => !documented.endpoints.includes(endpoint))).toEqual([]);
    const development = ['GET /api-docs'];
    expect(ENDPOINTS.filter((endpoint) => !inProduction.endpoints.includes(endpoint))).toEqual([]);
    expect(documented.endpoints.filter((endpoint) => !inProduction.endpoints.includes(endpoint))).toEqual(development);
  });

  it('names the server as browsers reach it, and its environment', () => {
    expect(documented.document.servers).toEqual([{ url: steward.url, description: 'development' }]);
    expect(inProduction.document.servers).toEqual([{ url: 'https://steward.example.com', description: 'production' }]);
  });
});

describe('every documented answer', () => {
  it('that follows from an endpoint’s inputs is given as documented', async () => {
    for (const run of generalRuns()) await check(run);
  }, 300_000);

  it.each(ownRuns().map((run) => [run.endpoint, run.answer, run] as const))('%s %s', async (_endpoint, _answer, run) => check(run));

  it('of what is not configured is given as documented', async () => {
    const token = await production.issuer.token();
    const open: Record<string, CallOptions> = {
      'POST /workspace_access_request': { token, form: { email: 'a@example.com' } },
      'GET /auth/workspace/login': {},
      'GET /auth/workspace/callback': {},
      'POST /auth/workspace/confirm': { form: { confirmation: 'x', decision: 'confirm' } },
      'POST /auth/bank/create_link_token': { token },
      'POST /auth/bank/set_access_token': { token, form: { public_token: 'x' } },
      'POST /auth/bank/accounts/{account_id}/refresh': { token },
    };
    for (const [endpoint, options] of Object.entries(open)) {
      const [method = '', path = ''] = endpoint.split(' ');
      const address = path.replace('{account_id}', UNKNOWN) + (path.endsWith('/login') ? `?token=${token}` : '');
      for (const accept of ['application/json', 'text/html']) {
        const name = inProduction.check(endpoint, await production.call(address, { method, ...options, headers: { accept } }));
        expect(name.replace(/ html$/, '')).toBe(`${endpoint} 503 not_configured`);
        seen.add(name);
      }
    }
    seen.add(inProduction.check('GET /', await production.call('/')));
  });

  it('is run above, or listed with the reason why it can’t be', () => {
    const all = [...new Set([...documented.answers, ...inProduction.answers])];
    const listed = all.filter((answer) => NOT_PROVOKED.some(({ answers }) => answers.test(answer)));
    expect(all.filter((answer) => !seen.has(answer) && !listed.includes(answer))).toEqual([]);
    expect(listed.filter((answer) => seen.has(answer))).toEqual([]);
    for (const { why, answers } of NOT_PROVOKED)
      expect(
        listed.some((answer) => answers.test(answer)),
        why,
      ).toBe(true);
  });
});
