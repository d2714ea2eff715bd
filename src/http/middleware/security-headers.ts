import cors, { type CorsOptions } from 'cors';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

const PREFLIGHT_SECONDS = 600;

/** Denies everything to browsers; a page that needs more sends its own content security policy. */
export function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"] },
    },
    // The link page is a popup that posts messages to its opener.
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
  });
}

/** CORS for the front ends on other origins; answers their OPTIONS requests itself. */
export function crossOrigin(allowsOrigin: (origin: string) => boolean): RequestHandler {
  return ofPages({
    origin: (origin, done) => done(null, origin !== undefined && allowsOrigin(origin)),
    credentials: true,
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
    exposedHeaders: ['x-request-id', 'retry-after', 'www-authenticate'],
    maxAge: PREFLIGHT_SECONDS,
  });
}

/** CORS of endpoints that programs in any browser page may call, with credentials of their own and never with cookies. */
export function anyOrigin(): RequestHandler {
  return ofPages({
    origin: '*',
    methods: ['GET', 'POST'],
    exposedHeaders: ['x-request-id', 'retry-after', 'www-authenticate'],
    maxAge: PREFLIGHT_SECONDS,
  });
}

/** A request without an origin isn't a page's, and gets the endpoint's own response, also to OPTIONS. */
function ofPages(options: CorsOptions): RequestHandler {
  const handler = cors(options);
  return (request, response, next) => (request.headers.origin === undefined ? next() : handler(request, response, next));
}
