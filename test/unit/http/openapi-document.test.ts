import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../../../src/http/endpoints/endpoint.ts';
import { errorsOf, openApiDocument } from '../../../src/http/endpoints/openapi.ts';
import { integrationsRouter } from '../../../src/integrations/integrations-routes.ts';
import { PROVIDERS } from '../../../src/providers/providers.ts';
import { emailAddress, text } from '../../../src/validation/validate.ts';

const mask = z.object({ name: z.string(), mask: z.string() }).meta({ id: 'Mask' });
const account = z.object({ id: z.uuid(), bank_name: z.string(), mask: z.array(mask), limit: z.number().default(0) });

const list = endpoint({
  method: 'get',
  path: '/auth/bank/accounts',
  tag: 'Bank',
  summary: 'List bank accounts',
  auth: 'id_token',
  response: z.object({ accounts: z.array(account) }),
  errors: [],
  handle: async () => ({ json: { accounts: [] } }),
});

const remove = endpoint({
  method: 'delete',
  path: '/auth/bank/accounts/:account_id',
  tag: 'Bank',
  summary: 'Remove a bank account',
  auth: 'id_token',
  params: z.object({ account_id: z.uuid().meta({ description: 'The `id` of an entry.' }) }),
  response: z.object({ success: z.boolean() }),
  errors: ['relink_required', 'item_gone', 'not_configured'],
  handle: async () => ({ json: { success: true } }),
});

const login = endpoint({
  method: 'get',
  path: '/auth/workspace/login',
  tag: 'Workspace',
  summary: 'Go to the provider',
  description: 'For people’s browsers.',
  auth: 'none',
  browser: true,
  query: z.object({ token: text(8192), email: emailAddress.optional() }),
  pages: { 200: 'A page', 303: 'To the provider' },
  errors: ['invalid_token'],
  handle: async () => ({ redirect: 'https://example.com' }),
});

const waitlist = endpoint({
  method: 'post',
  path: '/waitlist',
  tag: 'Waitlist',
  summary: 'Join the waitlist',
  auth: 'none',
  form: z.object({ email: emailAddress, tries: z.coerce.number().default(1) }),
  response: z.object({ status: z.enum(['success', 'error']), message: z.string().optional() }),
  errors: [],
  handle: async () => ({ json: { status: 'success' as const } }),
});

const home = endpoint({
  method: 'get',
  path: '/',
  tag: 'Service',
  summary: 'Home',
  auth: 'none',
  pages: { 200: 'The page' },
  errors: [],
  handle: async () => ({ redirect: 'https://example.com' }),
});

const pass = () => {};
const middleware = { requireCredential: () => pass, admit: pass } as never;

const endpoints: Endpoint[] = [
  list,
  remove,
  login,
  waitlist,
  home,
  ...integrationsRouter({ providers: PROVIDERS } as never, middleware).endpoints.slice(0, 1),
];

interface Operation {
  operationId: string;
  tags: string[];
  security: unknown[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: unknown }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<string, { description: string; headers: Record<string, unknown>; content?: Record<string, { schema: unknown }> }>;
}

const document = openApiDocument(endpoints, { publicUrl: 'https://steward.example.com', version: '1.2.3', environment: 'production' });
const paths = document.paths as Record<string, Record<string, Operation>>;

function operation(method: string, path: string): Operation {
  const found = paths[path]?.[method];
  if (found === undefined) throw new Error(`no ${method} ${path}`);
  return found;
}

function codesOf(of: Operation, status: number): string[] {
  const schema = of.responses[status]?.content?.['application/json']?.schema as
    | { allOf: [unknown, { properties: { code: { enum: string[] } } }] }
    | undefined;
  return schema?.allOf[1].properties.code.enum ?? [];
}

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => (key === '$ref' ? [child as string] : refsIn(child)));
}

function resolve(ref: string): unknown {
  const steps = ref.replace(/^#\//, '').split('/');
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document);
}

describe('the OpenAPI document', () => {
  it('has the parts that OpenAPI 3.1 requires', () => {
    expect(document).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\.\d$/),
      info: { title: 'Steward', version: '1.2.3' },
      servers: [{ url: 'https://steward.example.com', description: 'production' }],
      components: { securitySchemes: { idToken: { type: 'apiKey', in: 'header', name: 'Authorization' } } },
    });
    expect(document.tags).toEqual(['Bank', 'Workspace', 'Waitlist', 'Service'].map((name) => ({ name })));
  });

  it('is plain JSON in which every $ref resolves', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    const refs = refsIn(document);
    expect(refs).toContain('#/components/schemas/Mask');
    for (const ref of refs) expect(resolve(ref), ref).toBeTypeOf('object');
    expect(JSON.stringify(document)).not.toMatch(/\$defs|\$schema/);
  });

  it('has each endpoint once, with a unique id and its path parameters', () => {
    const operations = Object.entries(paths).flatMap(([path, methods]) => Object.values(methods).map((each) => ({ path, ...each })));
    expect(operations).toHaveLength(endpoints.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(endpoints.length);
    for (const { path, parameters = [], responses, operationId } of operations) {
      expect(operationId).toMatch(/^[a-z][A-Za-z0-9]+$/);
      const declared = parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name);
      expect([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(declared);
      for (const [status, response] of Object.entries(responses)) {
        expect(status).toMatch(/^[2-5]\d\d$/);
        expect(response.description).not.toBe('');
        expect(response.headers['x-request-id']).toBeDefined();
      }
    }
  });

  it('requires an ID token or a session only where the endpoint does', () => {
    expect(operation('get', '/auth/bank/accounts').security).toEqual([{ idToken: [] }, { session: [] }]);
    expect(operation('get', '/update_integrations').security).toEqual([]);
  });
});

describe('parameters', () => {
  it('in the path are in braces and required', () => {
    expect(operation('delete', '/auth/bank/accounts/{account_id}').parameters).toEqual([
      {
        name: 'account_id',
        in: 'path',
        required: true,
        description: 'The `id` of an entry.',
        schema: { type: 'string', format: 'uuid', description: 'The `id` of an entry.' },
      },
    ]);
  });

  it('in the query are required or optional', () => {
    const { parameters } = operation('get', '/auth/workspace/login');
    expect(parameters).toMatchObject([
      { name: 'token', in: 'query', required: true, schema: { type: 'string', maxLength: 8192 } },
      { name: 'email', in: 'query', schema: { format: 'email' } },
    ]);
    expect(parameters?.[1]?.required ?? false).toBe(false);
  });
});

describe('a form', () => {
  it('is accepted urlencoded and as JSON, with defaults not yet applied', () => {
    const { requestBody } = operation('post', '/waitlist');
    expect(requestBody?.required).toBe(true);
    expect(Object.keys(requestBody?.content ?? {})).toEqual(['application/x-www-form-urlencoded', 'application/json']);
    for (const { schema } of Object.values(requestBody?.content ?? {})) {
      expect(schema).toMatchObject({
        type: 'object',
        required: ['email'],
        properties: { email: { type: 'string', format: 'email' }, tries: { default: 1 } },
      });
    }
  });

  it('is absent for an endpoint without a body', () => {
    expect(operation('get', '/auth/bank/accounts').requestBody).toBeUndefined();
  });
});

describe('responses', () => {
  it('have the body with defaults applied', () => {
    const response = operation('get', '/auth/bank/accounts').responses[200]?.content?.['application/json']?.schema;
    expect(response).toMatchObject({ properties: { accounts: { items: { required: ['id', 'bank_name', 'mask', 'limit'] } } } });
  });

  it('have HTML for pages and a Location for redirects', () => {
    const { responses } = operation('get', '/auth/workspace/login');
    expect(responses[200]).toMatchObject({ description: 'A page', content: { 'text/html': {} } });
    expect(responses[303]).toMatchObject({ description: 'To the provider', headers: { location: {} } });
    expect(responses[303]?.content).toBeUndefined();
  });

  it('have every error of the endpoint, grouped by status', () => {
    const of = operation('delete', '/auth/bank/accounts/{account_id}');
    expect(Object.keys(of.responses)).toEqual(['200', '401', '403', '404', '405', '409', '429', '500', '503']);
    expect(codesOf(of, 401)).toEqual(['invalid_token', 'token_expired']);
    expect(codesOf(of, 409)).toEqual(['relink_required', 'item_gone']);
    expect(codesOf(of, 503)).toEqual(['unavailable', 'not_configured']);
    const { Error: error } = (document.components as { schemas: Record<string, { required: string[] }> }).schemas;
    expect(error?.required).toEqual(['status', 'code', 'message', 'request_id']);
  });

  it('name the headers of each error', () => {
    const { responses } = operation('get', '/auth/bank/accounts');
    expect(responses[401]?.headers).toHaveProperty('www-authenticate');
    expect(responses[405]?.headers).toHaveProperty('allow');
    for (const status of [429, 503]) expect(responses[status]?.headers).toHaveProperty('retry-after');
    expect(responses[500]?.headers).not.toHaveProperty('retry-after');
  });

  it('have HTML errors only at addresses for browsers', () => {
    expect(Object.keys(operation('get', '/auth/workspace/login').responses[401]?.content ?? {})).toEqual(['application/json', 'text/html']);
    expect(Object.keys(operation('get', '/auth/bank/accounts').responses[401]?.content ?? {})).toEqual(['application/json']);
  });
});

describe('errorsOf', () => {
  it('adds the errors of every endpoint', () => {
    expect(errorsOf(home)).toEqual(['method_not_allowed', 'rate_limited', 'internal', 'unavailable']);
  });

  it('adds the errors of ID tokens, parameters, queries and forms', () => {
    const added = (one: Endpoint) => errorsOf(one).filter((code) => !errorsOf(home).includes(code));
    expect(added(list)).toEqual(['invalid_token', 'token_expired', 'forbidden']);
    expect(added(remove)).toContain('not_found');
    expect(added(login)).toEqual(['invalid_request', 'invalid_token']);
    expect(added(waitlist)).toEqual(['invalid_request', 'too_large', 'unsupported_media_type']);
  });

  it('names each code once', () => {
    expect(errorsOf({ ...home, errors: ['internal', 'internal'] })).toEqual(errorsOf(home));
  });
});
