import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponseObject } from 'zod-openapi';
import { ERROR_STATUS, type ErrorCode } from '../../errors.ts';
import { MERGE_PATCH } from '../bodies/body.ts';
import type { Endpoint } from './endpoint.ts';

const CODES = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]];
const ALL: readonly ErrorCode[] = ['method_not_allowed', 'rate_limited', 'internal', 'unavailable'];
const FORM: readonly ErrorCode[] = ['invalid_request', 'too_large', 'unsupported_media_type'];
const AUTHENTICATED: readonly ErrorCode[] = ['invalid_token', 'token_expired', 'forbidden'];

const error = z.looseObject({
  status: z.literal('error'),
  code: z.enum(CODES),
  message: z.string().describe('For people.'),
  request_id: z.string(),
  details: z.looseObject({}).optional().describe('Further facts for programs, if there are any.'),
});
const HTML = { 'text/html': { schema: z.string() } };

/** Every error that an endpoint can return: its own, and those that its inputs and its authentication add; by ascending status. */
export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  const codes = new Set([
    ...ALL,
    ...(endpoint.errors ?? []),
    ...(endpoint.params === undefined ? [] : (['not_found'] as const)),
    ...(endpoint.query === undefined ? [] : (['invalid_request'] as const)),
    ...(endpoint.form === undefined && endpoint.signed === undefined ? [] : FORM),
    ...(endpoint.auth === 'none' ? [] : AUTHENTICATED),
  ]);
  return CODES.filter((code) => codes.has(code));
}

/**
 * Describes endpoints as an OpenAPI 3.1 document. A schema with an `id` in its metadata becomes a component of that name.
 *
 * @param options.publicUrl the server's address, without a trailing slash
 * @param options.version the service's own version
 */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  options: { publicUrl: string; version: string; environment: 'development' | 'production' },
): ReturnType<typeof createDocument> {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method]: operation(endpoint) };
  }
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Steward',
        version: options.version,
        description: 'Connects users’ workspace and bank accounts for personal assistants. Every error has the form of the schema Error.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: options.publicUrl, description: options.environment }],
      tags: [...new Set(endpoints.flatMap(({ tag }) => tag ?? []))].map((name) => ({ name })),
      paths,
      components: { securitySchemes, headers, schemas: { Error: error } },
    },
    { override: ({ jsonSchema }) => keepFormat(jsonSchema) },
  );
}

const securitySchemes = {
  idToken: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The identity provider’s ID token as the bare header value; a Bearer prefix is tolerated.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-steward_session',
    description:
      'A session (`GET /sign-in`), for pages of the service’s own origin. Changes also need its CSRF token (`GET /auth/session`) in the header `x-csrf-token`, or in the form’s `csrf` at the service’s own pages. Where the header is sent, it has to be right.',
  },
  clientToken: { type: 'http', scheme: 'bearer', description: 'A personal access token, `stw_pat_…`.' },
} as const;

const SECURITY: Record<Endpoint['auth'], Record<string, []>[]> = {
  none: [],
  id_token: [{ idToken: [] }, { session: [] }],
  in_person: [{ idToken: [] }, { session: [] }],
  first_party: [{ idToken: [] }, { session: [] }],
  credential: [{ idToken: [] }, { session: [] }, { clientToken: [] }],
};

const headers = {
  RequestId: { description: 'Identifies the request in the service’s logs.', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds until the client may try again.', schema: { type: 'integer', minimum: 0 } },
  Challenge: { description: 'The credentials that the address accepts (RFC 6750, 3).', schema: { type: 'string' } },
  Allow: { description: 'The methods that the address accepts.', schema: { type: 'string' } },
  Location: { description: 'Target of the redirect.', schema: { type: 'string', format: 'uri' } },
} as const;

function header(name: keyof typeof headers) {
  return { $ref: `#/components/headers/${name}` };
}

function operation(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { tag, summary, description, params, query, signed } = endpoint;
  return {
    operationId: operationId(endpoint),
    ...(tag !== undefined && { tags: [tag] }),
    summary,
    ...(description !== undefined && { description }),
    security: SECURITY[endpoint.auth],
    ...((params ?? query) && { requestParams: { ...(params && { path: params }), ...(query && { query }) } }),
    ...(signed !== undefined && { parameters: [{ name: signed.header, in: 'header', required: true, schema: { type: 'string' } }] }),
    ...requestBody(endpoint),
    responses: responses(endpoint),
  };
}

/** `DELETE /auth/bank/accounts/:account_id` → `deleteAuthBankAccountsAccountId`. */
function operationId({ method, path }: Endpoint): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return method + (words.length === 0 ? 'Root' : words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(''));
}

function requestBody({ method, form, json, signed }: Endpoint): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  if (signed !== undefined) return { requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } } };
  if (form === undefined) return {};
  if (method === 'patch')
    return { requestBody: { required: true, content: { [MERGE_PATCH]: { schema: form }, 'application/json': { schema: form } } } };
  const content =
    json !== undefined && json.orForm !== true
      ? { 'application/json': { schema: form } }
      : { 'application/x-www-form-urlencoded': { schema: form }, 'application/json': { schema: form } };
  return { requestBody: { required: !form.safeParse({}).success, content } };
}

function responses(endpoint: Endpoint): Record<string, ZodOpenApiResponseObject> {
  const all: Record<string, ZodOpenApiResponseObject> = {};
  for (const [status, description] of Object.entries(endpoint.pages ?? {})) all[status] = page(Number(status), description);
  if (endpoint.stream !== undefined) all[200] = response(endpoint.stream, {}, { 'text/event-stream': { schema: z.string() } });
  if (endpoint.response !== undefined) {
    const { status = 200 } = endpoint;
    const content = { ...all[status]?.content, 'application/json': { schema: endpoint.response } };
    all[status] = response(all[status]?.description ?? 'Success', {}, content);
  }
  const byStatus = Map.groupBy(errorsOf(endpoint), (code) => ERROR_STATUS[code]);
  for (const [status, codes] of byStatus) all[status] = errorResponse(status, codes, endpoint.browser === true);
  return all;
}

function page(status: number, description: string): ZodOpenApiResponseObject {
  if (status === 204) return response(description);
  if (status >= 300 && status < 400) return response(description, { location: header('Location') });
  return response(description, {}, HTML);
}

function errorResponse(status: number, codes: ErrorCode[], browser: boolean): ZodOpenApiResponseObject {
  const schema = { allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }] };
  const own: Record<number, ZodOpenApiResponseObject['headers']> = {
    401: { 'www-authenticate': header('Challenge') },
    405: { allow: header('Allow') },
    429: { 'retry-after': header('RetryAfter') },
    503: { 'retry-after': header('RetryAfter') },
  };
  return response(codes.map((code) => `\`${code}\``).join(', '), own[status], { 'application/json': { schema }, ...(browser && HTML) });
}

function response(
  description: string,
  own: ZodOpenApiResponseObject['headers'] = {},
  content?: ZodOpenApiResponseObject['content'],
): ZodOpenApiResponseObject {
  return { description, headers: { 'x-request-id': header('RequestId'), ...own }, ...(content !== undefined && { content }) };
}

/** A format says more than zod's pattern of several hundred characters. */
function keepFormat(schema: { format?: unknown; pattern?: unknown }): void {
  if (schema.format !== undefined) delete schema.pattern;
}
