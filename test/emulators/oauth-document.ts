import type { ApiDocument, DocumentedMethod, Schema } from './documents.ts';

const TEXT = { type: 'string', minLength: 1 };
const TRUTH = { type: 'boolean' };
/** Characters of codes and descriptions (RFC 6749, 5.2). */
const ERROR_TEXT = { type: 'string', pattern: '^[\\x20-\\x21\\x23-\\x5b\\x5d-\\x7e]+$' };

const CREDENTIALS = { client_id: TEXT, client_secret: TEXT };
const REQUESTS: Schema = {
  type: 'object',
  required: ['grant_type'],
  properties: { grant_type: { enum: ['authorization_code', 'refresh_token'] } },
  if: { properties: { grant_type: { const: 'refresh_token' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: object({ grant_type: TEXT, refresh_token: TEXT, scope: TEXT, ...CREDENTIALS }, ['scope', ...Object.keys(CREDENTIALS)]),
  // RFC 6749, 4.1.3; RFC 7636, 4.1 and 4.5.
  else: object(
    { grant_type: TEXT, code: TEXT, redirect_uri: TEXT, code_verifier: { type: 'string', pattern: '^[\\w.~-]{43,128}$' }, ...CREDENTIALS },
    Object.keys(CREDENTIALS),
  ),
};
/** RFC 6749, 5.1; OpenID Connect Core, 3.1.3.3; developers.google.com/identity/protocols/oauth2/web-server. */
const TOKENS = object(
  {
    access_token: TEXT,
    token_type: { const: 'Bearer' },
    expires_in: { type: 'integer', minimum: 1 },
    scope: { type: 'string', pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+(?: [\\x21\\x23-\\x5b\\x5d-\\x7e]+)*$' },
    refresh_token: TEXT,
    id_token: { type: 'string', pattern: '^[\\w-]+\\.[\\w-]+\\.[\\w-]+$' },
  },
  ['scope', 'refresh_token', 'id_token'],
);
/** OpenID Connect Core, 5.1. */
const CLAIMS = object(
  {
    sub: { type: 'string', pattern: '^[\\x20-\\x7e]{1,255}$' },
    name: TEXT,
    picture: { format: 'url' },
    email: TEXT,
    email_verified: TRUTH,
  },
  ['name', 'picture', 'email', 'email_verified'],
);
const TOKEN_ERRORS = ['invalid_request', 'invalid_grant', 'unauthorized_client', 'unsupported_grant_type', 'invalid_scope'];

const METHODS: Record<string, DocumentedMethod> = {
  // "The authorization server MAY return an HTTP 401" for a client only (RFC 6749, 5.2); redirect_uri_mismatch is the provider's.
  'POST /token': method('token', REQUESTS, TOKENS, { 400: [...TOKEN_ERRORS, 'redirect_uri_mismatch'], 401: ['invalid_client'] }),
  // RFC 7009, 2; the provider's error for a token that it does not know (Revoking a token).
  'POST /revoke': method('revoke', object({ token: TEXT, token_type_hint: TEXT }, ['token_type_hint']), object({}), {
    400: ['invalid_token', 'invalid_request'],
  }),
  // RFC 6750, 3.1.
  'GET /userinfo': method('userinfo', undefined, CLAIMS, { 401: ['invalid_token', 'invalid_request'], 403: ['insufficient_scope'] }),
};

/** The provider's OAuth endpoints, as the RFCs describe them: there is no document of them for machines. */
export function readOAuthDocument(): ApiDocument {
  return { $defs: {}, find: (verb, path) => METHODS[`${verb} ${path}`] };
}

/** @param errors codes by status */
function method(id: string, body: Schema | undefined, response: Schema, errors: Record<number, string[]>): DocumentedMethod {
  const schemas = new Map(
    Object.entries(errors).map(([status, codes]) => [
      Number(status),
      object({ error: { enum: codes }, error_description: ERROR_TEXT }, ['error_description']),
    ]),
  );
  return { id: `oauth.${id}`, ...(body !== undefined && { body }), response, errorOf: (status) => schemas.get(status) ?? NO_ERROR };
}

/** Of a status that is not described. */
const NO_ERROR: Schema = { not: {} };

/** @param optional members that may be missing */
function object(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}
