import { z } from 'zod';
import type { Clock } from '../clock/clock.ts';
import { isLoopback } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { type Endpoint, endpoint, type RequestHandler } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import type { Principal } from '../principal.ts';
import type { ClientLimits } from './client-limits.ts';
import type { McpClient } from './mcp-deps.ts';
import { BODY_BYTES, type McpEndpoint } from './mcp-endpoint.ts';

export const MCP_PATH = '/mcp';
const METADATA_PATH = '/.well-known/oauth-protected-resource';
/** Where clients learn how to sign in (RFC 9728, 3.1: the resource's path follows; MCP also knows the root). */
export const RESOURCE_PATHS: readonly string[] = [METADATA_PATH, METADATA_PATH + MCP_PATH];
const SCOPES = ['read', 'write'] as const;
const NOT_A_CLIENT = 'A client’s token is required here: one of its own sign-in, or a personal access token.';

const protectedResource = z
  .object({
    resource: z.url(),
    resource_name: z.string(),
    authorization_servers: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    bearer_methods_supported: z.array(z.string()),
  })
  .meta({ id: 'ProtectedResource' });

export interface McpRouteDeps {
  mcp: McpEndpoint;
  clock: Clock;
  limits: ClientLimits;
  /** Longest response, milliseconds. */
  streamMs: number;
  /** {base_url}; its path follows the addresses here. */
  publicUrl: string;
  /** Issuers of the tokens that are accepted. */
  authorizationServers: readonly string[];
  /** Host names in development may be any of this machine. */
  development: boolean;
  allowsOrigin(origin: string): boolean;
  /** The client of an Authorization header, counted. @throws AppError */
  authenticate(header: string | undefined): Promise<Principal>;
}

/** Actions for every client of the Model Context Protocol, and how such a client finds its sign-in. */
export function mcpRouter(deps: McpRouteDeps, middleware: EndpointMiddleware): EndpointRouter {
  const endpoints = RESOURCE_PATHS.map((path) => resourceMetadata(path, deps));
  const router = endpointRouter('MCP', endpoints, middleware);
  const limit = middleware.limitBytes(BODY_BYTES);
  router.all(MCP_PATH, challenge(deps), ownHost(deps), ownOrigin(deps), authenticated(deps), middleware.admit, limit, serve(deps));
  return router;
}

function resourceMetadata(path: string, { publicUrl, authorizationServers }: McpRouteDeps): Endpoint {
  return endpoint({
    method: 'get',
    path,
    summary: 'How clients of /mcp sign in',
    description: 'Metadata of the protected resource (RFC 9728).',
    auth: 'none',
    response: protectedResource,
    async handle() {
      return {
        json: {
          resource: publicUrl + MCP_PATH,
          resource_name: 'Steward',
          authorization_servers: [...authorizationServers],
          scopes_supported: [...SCOPES],
          bearer_methods_supported: ['header'],
        },
      };
    },
  });
}

/** What an error 401 says besides: where the sign-in is, and what to ask for there (RFC 9728, 5.1; RFC 6750, 3). */
function challenge({ publicUrl }: McpRouteDeps): RequestHandler {
  const parameters = `resource_metadata="${publicUrl}${METADATA_PATH}${MCP_PATH}", scope="${SCOPES.join(' ')}"`;
  return (_request, response, next) => {
    response.locals.challenge = parameters;
    next();
  };
}

/** A page that has its own name resolve to this machine must not reach it (DNS rebinding). */
function ownHost({ publicUrl, development }: McpRouteDeps): RequestHandler {
  const { protocol, origin } = new URL(publicUrl);
  return (request, _response, next) => {
    // Letters of either case and the usual port name the same host (RFC 9110, 4.2.3).
    const url = URL.parse(`${protocol}//${request.host ?? ''}`);
    const isOwn = url !== null && (url.href === `${origin}/` || (development && isLoopback(url.hostname)));
    if (!isOwn) throw new AppError('forbidden', 'This host name is not the service’s. A proxy has to pass on the Host header.');
    next();
  };
}

/** Browsers name the page that sends a request; other clients name none. */
function ownOrigin({ allowsOrigin }: McpRouteDeps): RequestHandler {
  return ({ headers: { origin } }, _response, next) => {
    if (origin !== undefined && !allowsOrigin(origin)) throw new AppError('forbidden', 'Pages of this origin may not call the service.');
    next();
  };
}

function authenticated({ authenticate }: McpRouteDeps): RequestHandler {
  return async ({ headers }, response, next) => {
    const caller = await authenticate(headers.authorization);
    if (caller.clientId === undefined) throw new AppError('invalid_token', NOT_A_CLIENT);
    response.locals.caller = caller;
    next();
  };
}

function serve({ mcp, clock, limits, streamMs }: McpRouteDeps): RequestHandler {
  return async (request, response) => {
    const client = response.locals.caller as McpClient;
    // It left while it was authenticated: its `close` has been emitted already, and would never end what begins here.
    if (response.closed) return;
    const end = limits.begin(client);
    // What ends a client's access ends a stream that is open no later than this.
    const timer = clock.after(streamMs, () => response.destroy());
    response.once('close', () => {
      timer.cancel();
      end();
    });
    response.setHeader('cache-control', 'no-store');
    // Of nginx, which else collects a stream before it passes it on.
    response.setHeader('x-accel-buffering', 'no');
    const handler = await mcp.handler();
    await handler.serve(request, response, client);
  };
}
