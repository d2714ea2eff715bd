import { writeFileSync } from 'node:fs';
import { connect, createPublicToken, linkBank } from '../scenes/flows.ts';
import type { TestSteward } from '../steward.ts';
import { eventually } from '../time/eventually.ts';
import type { CallOptions, HttpResponse } from '../users/request.ts';
import { automationRuns } from './openapi-automation-runs.ts';
import { chatRuns } from './openapi-chat-runs.ts';
import { clientRuns } from './openapi-client-runs.ts';
import { notificationRuns } from './openapi-notification-runs.ts';
import {
  callEndpoint,
  connectedWorkspace,
  documented,
  integrationsFile,
  linkedBank,
  newToken,
  steward,
  tokenAt,
  UNKNOWN,
  unboundCallback,
  untilLimited,
  VALID_INTEGRATIONS,
  whileCut,
  whileHanging,
  whileMissing,
  withBankError,
} from './openapi-scene.ts';
import { signInRuns } from './openapi-sign-in-runs.ts';
import { sourceRuns } from './openapi-source-runs.ts';
import { threadRuns } from './openapi-thread-runs.ts';
import { webhookRuns } from './openapi-webhook-runs.ts';

const FORM = 'application/x-www-form-urlencoded';

/** One way to provoke one documented response. */
export interface Run {
  endpoint: string;
  /** Status, then the error's code. */
  response: string;
  provoke(options: CallOptions): Promise<HttpResponse>;
}

/** Responses that follow from an endpoint's inputs alone. */
export function generalRuns(): Run[] {
  return Object.entries<Record<string, any>>(documented.document.paths).flatMap(([path, operations]) =>
    Object.entries<any>(operations).flatMap(([method, operation]) => {
      const endpoint = `${method.toUpperCase()} ${path}`;
      const run = (response: string, provoke: Run['provoke']): Run => ({ endpoint, response, provoke });
      const runs = [
        run('405 method_not_allowed', (options) => callEndpoint(steward, `PUT ${path}`, options)),
        run('429 rate_limited', (options) => untilLimited(endpoint, options)),
      ];
      if (operation.security.length > 0) runs.push(...guardedRuns(endpoint));
      // A webhook's signature is verified before its body is parsed.
      if (operation.requestBody !== undefined && !path.startsWith('/webhooks/'))
        runs.push(...bodyRuns(endpoint, FORM in operation.requestBody.content));
      if (path.includes('{'))
        runs.push(
          run('404 not_found', async (options) =>
            // A thread that the user doesn't have is not being answered, and the callback of a source has no flow: neither is an error.
            callEndpoint(
              steward,
              endpoint,
              { ...withJson(endpoint, operation, options), token: await newToken() },
              /^\/(?:chat|auth\/sources\/callback)\//.test(path) ? 'no.id' : UNKNOWN,
            ),
          ),
        );
      return runs;
    }),
  );
}

const BODIES: Record<string, string> = {
  'POST /threads/{id}': '{"title":"Taxes"}',
  'PATCH /user/preferences': '{}',
  'PATCH /automations/{id}': '{}',
  'POST /auth/sources/{source}/connect': '{}',
  'POST /auth/sources/entry/{id}': '{"decision":"cancel"}',
  'POST /auth/sources/accounts/{account_id}/tools/{tool}': `{"decision":"block","hash":"tool.v1:${'0'.repeat(64)}"}`,
};

/** With a body that the endpoint takes; for most, that of a decision. */
function withJson(endpoint: string, { requestBody }: Record<string, any>, options: CallOptions): CallOptions {
  if (requestBody === undefined) return options;
  const body = BODIES[endpoint] ?? '{"approved":false}';
  return { ...options, body, headers: { ...options.headers, 'content-type': 'application/json' } };
}

function guardedRuns(endpoint: string): Run[] {
  const run = (response: string, provoke: Run['provoke']): Run => ({ endpoint, response, provoke });
  const withToken = (token: string, options: CallOptions) => callEndpoint(steward, endpoint, { ...options, token });
  return [
    // Without a token, a browser may be sent to sign in.
    run('401 invalid_token', (options) => (options.headers ? withToken('nonsense', options) : callEndpoint(steward, endpoint))),
    run('401 token_expired', async (options) => withToken(await tokenAt(-120), options)),
    run('403 forbidden', async (options) => withToken(await steward.signIn('stranger'), options)),
    run('500 internal', async (options) => {
      const token = await newToken();
      return whileMissing('users', () => withToken(token, options));
    }),
    run('503 unavailable', async (options) => {
      const token = await newToken();
      return whileCut(() => withToken(token, options));
    }),
  ];
}

/** @param takesForms JSON only otherwise */
function bodyRuns(endpoint: string, takesForms: boolean): Run[] {
  // Decisions hold arguments: the form is as large as the JSON may be.
  const isSmall = endpoint === 'PATCH /user/preferences' || (takesForms && endpoint !== 'POST /approvals/{id}');
  const type = isSmall && takesForms ? FORM : 'application/json';
  const large = isSmall ? 'x'.repeat(20_000) : `"${'x'.repeat(9_000_000)}"`;
  const send = async (options: CallOptions, body: string, type: string) =>
    callEndpoint(steward, endpoint, { token: await newToken(), body, headers: { ...options.headers, 'content-type': type } });
  return [
    { endpoint, response: '400 invalid_request', provoke: (options) => send(options, '[]', 'application/json') },
    { endpoint, response: '413 too_large', provoke: (options) => send(options, large, type) },
    { endpoint, response: '415 unsupported_media_type', provoke: (options) => send(options, 'x', 'text/plain') },
  ];
}

/** Responses that are specific to an endpoint. */
export function ownRuns(): Run[] {
  return [
    ...openRuns(),
    ...userRuns(),
    ...workspaceRuns(),
    ...bankRuns(),
    ...sourceRuns(),
    ...webhookRuns(),
    ...clientRuns(),
    ...chatRuns(),
    ...threadRuns(),
    ...automationRuns(),
    ...notificationRuns(),
    ...signInRuns(),
  ];
}

function openRuns(): Run[] {
  const plain = ['GET /test', 'GET /health/live', 'GET /health/ready', 'GET /', 'GET /api-docs', 'GET /update_integrations'];
  return [
    ...plain.map((endpoint) => ({ endpoint, response: '200', provoke: () => callEndpoint(steward, endpoint) })),
    ...['POST /waitlist', 'POST /email'].flatMap((endpoint) => [
      { endpoint, response: '200', provoke: () => callEndpoint(steward, endpoint, { form: { email: 'a@example.com' } }) },
      {
        endpoint,
        response: '200',
        provoke: () => whileMissing('waitlist', () => callEndpoint(steward, endpoint, { form: { email: 'a@example.com' } })),
      },
    ]),
    { endpoint: 'GET /health/ready', response: '503 unavailable', provoke: () => whileCut(notReady) },
    {
      endpoint: 'GET /update_integrations',
      response: '422 invalid_configuration',
      async provoke(options) {
        writeFileSync(integrationsFile, 'version: 2');
        const response = await steward.call('/update_integrations', options);
        writeFileSync(integrationsFile, VALID_INTEGRATIONS);
        return response;
      },
    },
  ];
}

function userRuns(): Run[] {
  return [
    {
      endpoint: 'GET /integrations',
      response: '200',
      provoke: async () => steward.call('/integrations', { token: (await linkedBank()).token }),
    },
    {
      endpoint: 'GET /user/preferences',
      response: '200',
      provoke: async () => callEndpoint(steward, 'GET /user/preferences', { token: await newToken() }),
    },
    {
      endpoint: 'PATCH /user/preferences',
      response: '200',
      async provoke() {
        const headers = { 'content-type': 'application/merge-patch+json' };
        return callEndpoint(steward, 'PATCH /user/preferences', { token: await newToken(), body: '{"name":"Ana"}', headers });
      },
    },
    {
      endpoint: 'GET /user/export',
      response: '200',
      provoke: async () => callEndpoint(steward, 'GET /user/export', { token: (await linkedBank()).token }),
    },
    {
      endpoint: 'GET /user/audit',
      response: '200',
      provoke: async () => callEndpoint(steward, 'GET /user/audit', { token: await newToken() }),
    },
    {
      endpoint: 'GET /user/audit',
      response: '400 invalid_request',
      provoke: async () => callEndpoint(steward, 'GET /user/audit?limit=0', { token: await newToken() }),
    },
    {
      endpoint: 'GET /operator/status',
      response: '200',
      provoke: async () => callEndpoint(steward, 'GET /operator/status', { token: (await linkedBank()).token }),
    },
    {
      endpoint: 'DELETE /user',
      response: '200',
      provoke: async () => callEndpoint(steward, 'DELETE /user', { token: (await linkedBank()).token }),
    },
    {
      endpoint: 'DELETE /user',
      response: '403 recent_login_required',
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
      response: '200',
      provoke: async () => callEndpoint(steward, request, { token: await newToken(), form: { email: 'demo@example.com' } }),
    },
    { endpoint: login, response: '303', provoke: async () => loginWith(await newToken()) },
    { endpoint: login, response: '400 invalid_request', provoke: (options) => loginWith('', options) },
    { endpoint: login, response: '401 invalid_token', provoke: (options) => loginWith('nonsense', options) },
    { endpoint: login, response: '401 token_expired', provoke: async (options) => loginWith(await tokenAt(-120), options) },
    { endpoint: login, response: '403 forbidden', provoke: async (options) => loginWith(await steward.signIn('stranger'), options) },
    {
      endpoint: login,
      response: '500 internal',
      async provoke(options) {
        const token = await newToken();
        return whileMissing('users', () => loginWith(token, options));
      },
    },
    {
      endpoint: login,
      response: '503 unavailable',
      async provoke(options) {
        const token = await newToken();
        return whileCut(() => loginWith(token, options));
      },
    },
    { endpoint: callback, response: '200', provoke: async () => (await unboundCallback()).page },
    { endpoint: callback, response: '303', provoke: async () => (await connect(steward, { token: await newToken() })).callback },
    { endpoint: callback, response: '400 invalid_request', provoke: (options) => returnWith('state=%00', options) },
    {
      endpoint: callback,
      response: '500 internal',
      provoke: (options) => whileMissing('oauth_flows', () => returnWith('state=x&code=y', options)),
    },
    { endpoint: callback, response: '503 unavailable', provoke: (options) => whileCut(() => returnWith('state=x&code=y', options)) },
    ...[{ response: '200' }, { response: '303', headers: { accept: '*/*' } }].map(({ response, headers }) => ({
      endpoint: confirm,
      response,
      async provoke() {
        const { browser, url, page } = await unboundCallback();
        return browser.submit(page, url, (fields) => fields.set('decision', 'confirm'), headers);
      },
    })),
    { endpoint: confirm, response: '403 forbidden', provoke: (options) => decide(options) },
    ...(['500 internal', '503 unavailable'] as const).map((response) => ({
      endpoint: confirm,
      response,
      async provoke(options: CallOptions) {
        const { browser, url, page } = await unboundCallback();
        const submit = () =>
          browser.submit(page, url, (fields) => fields.set('decision', 'confirm'), { accept: 'application/json', ...options.headers });
        return response.startsWith('500') ? whileMissing('oauth_flows', submit) : whileCut(submit);
      },
    })),
    {
      endpoint: 'GET /auth/workspace/accounts',
      response: '200',
      provoke: async () => steward.call('/auth/workspace/accounts', { token: (await connectedWorkspace()).token }),
    },
    ...['DELETE /auth/workspace/accounts/{account_id}', 'POST /auth/workspace/accounts/{account_id}/default'].map((endpoint) => ({
      endpoint,
      response: '200',
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
    { endpoint: create, response: '200', provoke: () => fresh(create) },
    { endpoint: create, response: '404 not_found', provoke: () => fresh(create, { account_id: UNKNOWN }) },
    {
      endpoint: create,
      response: '409 item_gone',
      async provoke() {
        const { token, id, itemId } = await linkedBank();
        await steward.control('bank/remove-item', { item_id: itemId });
        return callEndpoint(steward, create, { token, form: { account_id: id } });
      },
    },
    {
      endpoint: create,
      response: '409 relink_required',
      provoke: () => withBankError('NO_ACCOUNTS', '/link/token/create', () => fresh(create)),
    },
    {
      endpoint: create,
      response: '422 unsupported_account',
      provoke: () => withBankError('PRODUCTS_NOT_SUPPORTED', '/link/token/create', () => fresh(create)),
    },
    {
      endpoint: create,
      response: '502 provider_error',
      provoke: () => withBankError('INTERNAL_SERVER_ERROR', '/link/token/create', () => fresh(create)),
    },
    {
      endpoint: create,
      response: '503 unavailable',
      provoke: () => withBankError('PLANNED_MAINTENANCE', '/link/token/create', () => fresh(create)),
    },
    { endpoint: create, response: '504 provider_timeout', provoke: () => whileHanging(() => fresh(create)) },
    { endpoint: set, response: '200', provoke: link },
    ...BANK_ERRORS.flatMap(([bankCode, response]) => [
      { endpoint: set, response, provoke: () => withBankError(bankCode, '/accounts/get', link) },
      { endpoint: refresh, response, provoke: async () => withBankError(bankCode, '/accounts/get', await refreshed()) },
    ]),
    {
      endpoint: set,
      response: '504 provider_timeout',
      async provoke() {
        const [token, publicToken] = [await newToken(), await createPublicToken(steward)];
        return whileHanging(() => callEndpoint(steward, set, { token, form: { public_token: publicToken } }));
      },
    },
    { endpoint: refresh, response: '200', provoke: async () => (await refreshed())() },
    { endpoint: refresh, response: '504 provider_timeout', provoke: async () => whileHanging(await refreshed()) },
    {
      endpoint: 'GET /auth/bank/accounts',
      response: '200',
      provoke: async () => steward.call('/auth/bank/accounts', { token: (await linkedBank()).token }),
    },
    {
      endpoint: 'DELETE /auth/bank/accounts/{account_id}',
      response: '200',
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

/** Readiness is cached for a moment. */
function notReady(): Promise<HttpResponse> {
  return eventually(async () => {
    const response = await steward.call('/health/ready');
    return response.status === 200 ? undefined : response;
  });
}
