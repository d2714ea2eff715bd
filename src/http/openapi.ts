import { z } from 'zod';
import { ERROR_STATUS, type ErrorCode } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';

type Json = Record<string, unknown>;

const CODES = Object.keys(ERROR_STATUS) as ErrorCode[];
const ALL: readonly ErrorCode[] = ['method_not_allowed', 'rate_limited', 'internal', 'unavailable'];
const FORM: readonly ErrorCode[] = ['invalid_request', 'too_large', 'unsupported_media_type'];
const AUTHENTICATED: readonly ErrorCode[] = ['invalid_token', 'token_expired', 'forbidden'];

/** Every error that an endpoint can return: its own, and those that its inputs and its authentication add; by ascending status. */
export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  const codes = new Set([
    ...ALL,
    ...endpoint.errors,
    ...(endpoint.params === undefined ? [] : (['not_found'] as const)),
    ...(endpoint.query === undefined ? [] : (['invalid_request'] as const)),
    ...(endpoint.form === undefined && endpoint.signed === undefined ? [] : FORM),
    ...(endpoint.auth === 'id_token' ? AUTHENTICATED : []),
  ]);
  return CODES.filter((code) => codes.has(code));
}

/**
 * Describes endpoints as an OpenAPI 3.1 document.
 *
 * @param options.publicUrl the server's address, without a trailing slash
 * @param options.version the service's own version
 */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  options: { publicUrl: string; version: string; environment: 'development' | 'production' },
): Json {
  const schemas: Json = { Error: errorSchema() };
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method]: operation(endpoint, schemas) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Steward',
      version: options.version,
      description: 'Connects users’ workspace and bank accounts for personal assistants. Every error has the form of the schema Error.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.publicUrl, description: options.environment }],
    tags: [...new Set(endpoints.map((endpoint) => endpoint.tag))].map((name) => ({ name })),
    paths,
    components: { securitySchemes, headers, schemas },
  };
}

const securitySchemes = {
  idToken: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The identity provider’s ID token as the bare header value; a Bearer prefix is tolerated.',
  },
};

const headers = {
  RequestId: { description: 'Names the request in the service’s logs.', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds until another try makes sense.', schema: { type: 'integer', minimum: 0 } },
  Challenge: { description: 'Which credentials the address takes (RFC 6750, 3).', schema: { type: 'string' } },
  Allow: { description: 'The methods the address takes.', schema: { type: 'string' } },
  Location: { description: 'Where the browser goes next.', schema: { type: 'string', format: 'uri' } },
};

function header(name: keyof typeof headers): Json {
  return { $ref: `#/components/headers/${name}` };
}

function errorSchema(): Json {
  return {
    type: 'object',
    required: ['status', 'code', 'message', 'request_id'],
    properties: {
      status: { type: 'string', const: 'error' },
      code: { type: 'string', enum: CODES },
      message: { type: 'string', description: 'For people.' },
      request_id: { type: 'string' },
      details: { type: 'object', description: 'Facts for programs beside the message, where there are any.' },
    },
  };
}

function operation(endpoint: Endpoint, schemas: Json): Json {
  const parameters = [
    ...parametersIn('path', endpoint.params, schemas),
    ...parametersIn('query', endpoint.query, schemas),
    ...(endpoint.signed === undefined ? [] : [{ name: endpoint.signed.header, in: 'header', required: true, schema: { type: 'string' } }]),
  ];
  return {
    operationId: operationId(endpoint),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    security: endpoint.auth === 'id_token' ? [{ idToken: [] }] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.form !== undefined && { requestBody: requestBody(endpoint.form, schemas) }),
    ...(endpoint.signed !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    }),
    responses: responses(endpoint, schemas),
  };
}

/** `DELETE /auth/bank/accounts/:account_id` → `deleteAuthBankAccountsAccountId`. */
function operationId({ method, path }: Endpoint): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return method + (words.length === 0 ? 'Root' : words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(''));
}

function parametersIn(place: 'path' | 'query', shape: z.ZodObject | undefined, schemas: Json): Json[] {
  if (shape === undefined) return [];
  const { properties, required } = objectSchema(shape, schemas);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

function requestBody(form: z.ZodObject, schemas: Json): Json {
  const schema = objectSchema(form, schemas);
  return {
    required: schema.required.length > 0,
    content: { 'application/x-www-form-urlencoded': { schema }, 'application/json': { schema } },
  };
}

function responses(endpoint: Endpoint, schemas: Json): Json {
  const all: Record<string, Json> = {};
  for (const [status, description] of Object.entries(endpoint.pages ?? {})) all[status] = page(Number(status), description);
  if (endpoint.response !== undefined) {
    const content = { 'application/json': { schema: jsonSchema(endpoint.response, 'output', schemas) } };
    all[200] = response(all[200]?.description ?? 'Success', {}, { ...(all[200]?.content as Json | undefined), ...content });
  }
  const byStatus = Map.groupBy(errorsOf(endpoint), (code) => ERROR_STATUS[code]);
  for (const [status, codes] of byStatus) all[status] = errorResponse(status, codes, endpoint.browser === true);
  return all;
}

function page(status: number, description: string): Json {
  if (status >= 300 && status < 400) return response(description, { location: header('Location') });
  return response(description, {}, { 'text/html': { schema: { type: 'string' } } });
}

function errorResponse(status: number, codes: ErrorCode[], browser: boolean): Json {
  const schema = { allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }] };
  const html = browser ? { 'text/html': { schema: { type: 'string' } } } : {};
  const own: Record<number, Json> = {
    401: { 'www-authenticate': header('Challenge') },
    405: { allow: header('Allow') },
    429: { 'retry-after': header('RetryAfter') },
    503: { 'retry-after': header('RetryAfter') },
  };
  return response(codes.map((code) => `\`${code}\``).join(', '), own[status] ?? {}, { 'application/json': { schema }, ...html });
}

function response(description: unknown, own: Json, content?: Json): Json {
  return { description, headers: { 'x-request-id': header('RequestId'), ...own }, ...(content !== undefined && { content }) };
}

function objectSchema(shape: z.ZodObject, schemas: Json) {
  const schema = jsonSchema(shape, 'input', schemas);
  return {
    ...schema,
    properties: (schema.properties ?? {}) as Record<string, Json>,
    required: (schema.required ?? []) as string[],
  };
}

/** Schemas that zod sets apart (`$defs`) move to the document's components. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const whole: Json = z.toJSONSchema(schema, { io, target: 'draft-2020-12', override: keepFormat });
  const { $schema: _, $defs, ...own } = JSON.parse(JSON.stringify(whole).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
  Object.assign(schemas, $defs);
  return own;
}

/** Where a format says it, zod's pattern of several hundred characters only hides it. */
function keepFormat({ jsonSchema: schema }: { jsonSchema: { format?: unknown; pattern?: unknown } }): void {
  if (schema.format !== undefined) delete schema.pattern;
}
