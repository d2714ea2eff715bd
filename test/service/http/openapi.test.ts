import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generalRuns, ownRuns, type Run } from '../../support/openapi/openapi-runs.ts';
import { documented, inProduction, production, startScene, steward, stopScene, UNKNOWN } from '../../support/openapi/openapi-scene.ts';
import type { CallOptions } from '../../support/users/request.ts';

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
  'GET /auth/sources/accounts',
  'POST /auth/sources/{source}/connect',
  'GET /auth/sources/login',
  'GET /auth/sources/callback',
  'GET /auth/sources/callback/{source}',
  'POST /auth/sources/confirm',
  'GET /auth/sources/entry/{id}',
  'POST /auth/sources/entry/{id}',
  'DELETE /auth/sources/accounts/{account_id}',
  'POST /auth/sources/accounts/{account_id}/default',
  'GET /auth/sources/accounts/{account_id}/tools',
  'POST /auth/sources/accounts/{account_id}/tools/{tool}',
  'GET /oauth/client.json',
  'POST /webhooks/bank',
  'GET /integrations',
  'GET /health/live',
  'GET /health/ready',
  'GET /user/preferences',
  'PATCH /user/preferences',
  'GET /user/export',
  'GET /user/audit',
  'DELETE /user',
  'GET /tokens',
  'POST /tokens',
  'DELETE /tokens/{id}',
  'GET /automations',
  'POST /automations',
  'GET /automations/{id}',
  'PATCH /automations/{id}',
  'DELETE /automations/{id}',
  'POST /automations/{id}/run',
  'GET /automations/{id}/runs',
  'GET /notifications/channels',
  'POST /notifications/channels',
  'DELETE /notifications/channels/{id}',
  'POST /notifications/channels/{id}/test',
  'GET /notifications/confirm/{secret}',
  'POST /notifications/confirm/{secret}',
  'POST /agents/{action}',
  'GET /approvals',
  'GET /approvals/{id}',
  'GET /approvals/{id}/result',
  'POST /approvals/{id}',
  'GET /sign-in',
  'GET /auth/session/callback',
  'GET /auth/session',
  'GET /signed-in',
  'GET /operator/status',
  'POST /auth/session',
  'DELETE /auth/session',
  'POST /sign-out',
];

/** With which a call may end, and which the executor's tests provoke. */
const EXECUTOR_ERRORS = [
  ...['403 missing_scopes', '409 reauth_required', '409 relink_required', '409 item_gone', '409 conflict', '409 approval_required'],
  ...['409 aborted', '502 provider_error', '502 outcome_unknown', '503 not_configured', '504 provider_timeout'],
];

/** Documented responses that no request can cause on a healthy service, and why. */
const NOT_PROVOKED: { why: string; responses: RegExp }[] = [
  { why: 'needs another Host header, which fetch does not send: home.test.ts', responses: /^GET \/api-docs 302/ },
  {
    why: 'uses nothing that can fail: no database, no provider',
    responses: /^GET \/(test|health\/live|api-docs|oauth\/client\.json|\.well-known\/oauth-protected-resource(\/mcp)?)? (500|503) /,
  },
  { why: 'every failure of the file is a 422, and no database is used', responses: /^GET \/update_integrations (500|503) / },
  { why: 'asks the database one constant question, whose every failure is unavailable', responses: /^GET \/health\/ready 500 / },
  {
    why: 'is an error of the executor: test/service/executor',
    responses: new RegExp(`^POST /(agents/\\{action\\}|approvals/\\{id\\}) (${EXECUTOR_ERRORS.join('|')})`),
  },
  {
    why: 'needs a model that a test scripts, or none: test/service/assistant',
    responses: /^(POST \/chat|GET \/chat\/\{id\}\/stream) (409 approval_required|503 assistant_disabled)/,
  },
  {
    why: 'needs an issuer that the test controls: test/service/sign-in/code-flow.test.ts',
    responses: /^GET \/auth\/session\/callback (401|502) /,
  },
  { why: 'uses no database, and the issuer is always there', responses: /^GET \/sign-in (500 |503 unavailable)/ },
  {
    why: 'needs an authorization server that the test controls: test/service/sources, test/service/providers',
    responses: /^POST \/auth\/sources\/\{source\}\/connect (409 |502 |503 not_configured|504 )/,
  },
  { why: 'a failed insertion is the interface’s 200 with status error', responses: /^POST \/(waitlist|email) (500|503) / },
];

const seen = new Set<string>();

beforeAll(startScene);
afterAll(stopScene);

/** Runs one and records it; at addresses for browsers, errors are also requested as pages. */
async function check({ endpoint, response, provoke }: Run): Promise<void> {
  const asJson = documented.check(endpoint, await provoke({}));
  expect(asJson.replace(/ html$/, '')).toBe(`${endpoint} ${response}`);
  seen.add(asJson);
  if (!documented.responses.includes(`${endpoint} ${response} html`) || response.startsWith('200')) return;
  const asPage = documented.check(endpoint, await provoke({ headers: { accept: 'text/html' } }));
  expect(asPage).toBe(`${endpoint} ${response} html`);
  seen.add(asPage);
}

/** Runs all of them. @returns one line for each that differs from its documentation */
async function differences(runs: Run[]): Promise<string[]> {
  const found: string[] = [];
  for (const run of runs) await check(run).catch((error: Error) => found.push(`${run.endpoint} ${run.response}: ${error.message}`));
  return found;
}

describe('GET /openapi.json', () => {
  it('is an OpenAPI 3.1 document in which every $ref resolves', () => {
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

  it('names the schemas of bodies and responses, for generated clients', () => {
    const schemas = Object.entries<any>(documented.document.paths).flatMap(([path, operations]) =>
      Object.values<any>(operations).flatMap(({ requestBody, responses }) =>
        [requestBody, responses[200]].map((body) => body?.content?.['application/json']?.schema).filter(() => path !== '/webhooks/bank'),
      ),
    );
    expect(schemas.filter((schema) => schema !== undefined && schema.$ref === undefined)).toEqual([]);
    expect(Object.keys(documented.document.components.schemas)).toEqual(
      expect.arrayContaining(['BankAccount', 'WorkspaceAccount', 'LinkToken', 'AuditPage', 'UserExport', 'Error']),
    );
  });

  it('has every endpoint of the interface and its additions', () => {
    expect(ENDPOINTS.filter((endpoint) => !documented.endpoints.includes(endpoint))).toEqual([]);
    const development = ['GET /api-docs'];
    expect(ENDPOINTS.filter((endpoint) => !inProduction.endpoints.includes(endpoint))).toEqual([]);
    expect(documented.endpoints.filter((endpoint) => !inProduction.endpoints.includes(endpoint))).toEqual(development);
  });

  it.each(['POST /agents/{action}', 'POST /approvals/{id}'])('names every error with which %s may end a call', (endpoint) => {
    const named = documented.responses.filter((response) => response.startsWith(endpoint));
    expect([...EXECUTOR_ERRORS, '404 not_found'].filter((error) => !named.includes(`${endpoint} ${error}`))).toEqual([]);
  });

  it('names the server’s public address and its environment', () => {
    expect(documented.document.servers).toEqual([{ url: steward.url, description: 'development' }]);
    expect(inProduction.document.servers).toEqual([{ url: 'https://steward.example.com', description: 'production' }]);
  });
});

describe('every documented response', () => {
  it('that follows from an endpoint’s inputs is sent as documented', async () => {
    expect(await differences(generalRuns())).toEqual([]);
  });

  it('that is particular to an endpoint is sent as documented', async () => {
    expect(await differences(ownRuns())).toEqual([]);
  });

  it('of an unconfigured provider is sent as documented', async () => {
    const token = await production.issuer.sign('ada');
    const open: Record<string, CallOptions> = {
      'POST /workspace_access_request': { token, form: { email: 'a@example.com' } },
      'GET /auth/workspace/login': {},
      'GET /auth/workspace/callback': {},
      'POST /auth/workspace/confirm': { form: { confirmation: 'x', decision: 'confirm' } },
      'POST /auth/bank/create_link_token': { token },
      'POST /auth/bank/set_access_token': { token, form: { public_token: 'x' } },
      'POST /auth/bank/accounts/{account_id}/refresh': { token },
      'POST /webhooks/bank': { body: '{}', headers: { 'content-type': 'application/json' } },
      'GET /sign-in': {},
      'GET /auth/session/callback': {},
    };
    for (const [endpoint, options] of Object.entries(open)) {
      const [method = '', path = ''] = endpoint.split(' ');
      const address = path.replace('{account_id}', UNKNOWN) + (path.endsWith('/login') ? `?token=${token}` : '');
      for (const accept of ['application/json', 'text/html']) {
        const name = inProduction.check(
          endpoint,
          await production.call(address, { method, ...options, headers: { ...options.headers, accept } }),
        );
        expect(name.replace(/ html$/, '')).toBe(`${endpoint} 503 not_configured`);
        seen.add(name);
      }
    }
    seen.add(inProduction.check('GET /', await production.call('/')));
  });

  it('is tested above, or listed with the reason why not', () => {
    const all = [...new Set([...documented.responses, ...inProduction.responses])];
    const listed = all.filter((response) => NOT_PROVOKED.some(({ responses }) => responses.test(response)));
    expect(all.filter((response) => !seen.has(response) && !listed.includes(response))).toEqual([]);
    expect(listed.filter((response) => seen.has(response))).toEqual([]);
    for (const { why, responses } of NOT_PROVOKED)
      expect(
        listed.some((response) => responses.test(response)),
        why,
      ).toBe(true);
  });
});
