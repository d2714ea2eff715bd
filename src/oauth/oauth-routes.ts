import { type Request, type RequestHandler, type Response, Router } from 'express';
import { AppError, type ErrorCode } from '../errors.ts';
import { limitPerAddress } from '../http/access/limits.ts';
import { anyBody } from '../http/bodies/body.ts';
import { rejectHeadAndPrefetch } from '../http/endpoints/endpoint-router.ts';
import { allowErrorPages } from '../http/middleware/error-handler.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { usedMetadata } from './clients/client-metadata.ts';
import { headerCredentials } from './header-credentials.ts';
import { metadataOf, PATHS } from './protocol.ts';
import { sameResources } from './request-parameters.ts';

const METADATA_SECONDS = 3600;
/** Error codes of RFC 6749, 5.2 and RFC 7591, 3.2.2; `temporarily_unavailable` and `server_error` are of RFC 6749, 4.1.2.1. */
const PROTOCOL_CODES: Partial<Record<ErrorCode, string>> = {
  internal: 'server_error',
  invalid_token: 'invalid_grant',
  rate_limited: 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
};

export interface ProtocolOptions {
  /** Largest body, bytes. */
  bodyBytes: number;
  /** Registrations per minute from one address. */
  registrationsPerMinute: number;
  /** Limit of authorization requests, which can make the service fetch a client's document. */
  limitAuthorizations: RequestHandler;
  /** Whose session at the service's own pages the browser has. */
  currentUser(request: Request): Promise<string | undefined>;
}

/** Paths that pages of other origins may call without cookies. */
export const PUBLIC_PATHS: readonly string[] = [PATHS.metadata, PATHS.jwks, PATHS.token, PATHS.register, PATHS.revoke];

/** All paths of {@link protocolRouter}. */
export const PROTOCOL_PATHS: readonly string[] = [...PUBLIC_PATHS, PATHS.authorize, `${PATHS.authorize}/:uid`];

/**
 * OAuth 2.1 as MCP clients use it: authorization, tokens, registration, revocation and metadata. Clients know these
 * endpoints from the metadata; they are not in the OpenAPI document.
 */
export function protocolRouter(server: AuthorizationServer, options: ProtocolOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const metadata = metadataOf(server.publicUrl);
  const resource = server.publicUrl + PATHS.resource;
  only(router, 'get', PATHS.metadata, (_request, response) => sendPublic(response, metadata));
  only(router, 'get', PATHS.jwks, async (_request, response) => sendPublic(response, await server.publicKeys()));
  const authorize: RequestHandler[] = [allowErrorPages, options.limitAuthorizations, rejectHeadAndPrefetch(['GET'])];
  only(router, 'get', PATHS.authorize, ...authorize, (request, response) => server.respond(request, response));
  only(router, 'get', `${PATHS.authorize}/:uid`, ...authorize, async (request, response) =>
    server.respond(request, response, await options.currentUser(request)),
  );
  const call: RequestHandler[] = [
    ...anyBody(options.bodyBytes),
    (request, response) => server.respond(withBody(request, resource), response),
  ];
  only(router, 'post', PATHS.token, ...call);
  only(router, 'post', PATHS.revoke, ...call);
  only(router, 'post', PATHS.register, limitPerAddress(server.clock, options.registrationsPerMinute), ...call);
  return router;
}

/** A route of one method; errors have the protocol's form. */
function only(router: Router, method: 'get' | 'post', path: string, ...handlers: RequestHandler[]): void {
  router.all(path, protocolErrors);
  router[method](path, ...handlers);
  const allow = method === 'get' ? ['GET', 'HEAD'] : ['POST'];
  router.all(path, allowErrorPages, () => {
    throw new AppError('method_not_allowed', `This address accepts ${allow[0]} only.`, { allow });
  });
}

const protocolErrors: RequestHandler = (_request, response, next) => {
  response.locals.errorBody = ({ code, message }: AppError) => ({
    error: PROTOCOL_CODES[code] ?? 'invalid_request',
    error_description: message,
  });
  next();
};

function sendPublic(response: Response, body: object): void {
  response.setHeader('cache-control', `public, max-age=${METADATA_SECONDS}`);
  response.json(body);
}

/** The request with its body put back, as the library reads it. */
function withBody(request: Request, resource: string): Request {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const { 'transfer-encoding': _, authorization: given, ...headers } = request.headers;
  const { authorization, id } = headerCredentials(given);
  const text = cleaned(request.path, bytes.toString(), resource, id);
  const body = Buffer.from(text);
  const credentials = authorization === undefined ? {} : { authorization };
  return Object.create(request, {
    headers: { value: { ...headers, ...credentials, 'content-length': String(body.length) } },
    readable: { value: true },
    iterator: {
      value: async function* () {
        yield body;
      },
    },
    text: { value: text },
  });
}

/** @param id of a client, instead of its header */
function cleaned(path: string, text: string, resource: string, id: string | undefined): string {
  if (path === PATHS.register) return usedMetadata(text);
  const form = new URLSearchParams(text);
  // Another one is not replaced: the library rejects two.
  if (id !== undefined && form.get('client_id') !== id) form.append('client_id', id);
  if (path === PATHS.token) cleanTokenForm(form, resource);
  return form.toString();
}

/**
 * The parameters of a token request. A refresh can't narrow the scope: what a client may do is what its user permitted, so
 * that the parameter is ignored, and the response states the scope (RFC 6749, 3.3).
 */
function cleanTokenForm(form: URLSearchParams, resource: string): void {
  const resources = sameResources(form.getAll('resource'), resource);
  for (const name of ['scope', 'resource']) form.delete(name);
  for (const one of resources) form.append('resource', one);
}
