import { type RequestHandler, Router } from 'express';
import type { Controls } from '../controls.ts';
import { type AccessRouteDeps, accessMetadata, accessRoutes } from './access-routes.ts';
import { SCOPES } from './authorization-desk.ts';
import type { Caller, TicketsServer } from './tickets-server.ts';

export interface TicketsRouteDeps extends AccessRouteDeps {
  /** The server's address. */
  resource: string;
  /** Where its metadata is (RFC 9728, 3.1). */
  metadataUrl: string;
  controls: Controls;
  /** Who sends a request with this token. */
  callerOf(token: string): Caller | undefined;
  server(): Promise<TicketsServer>;
}

/** The tracker, mounted at /sandbox/tickets. */
export function ticketsRoutes(deps: TicketsRouteDeps): Router {
  const router = Router();
  router.use(deps.controls.intercept('tickets'));
  router.use(accessRoutes(deps));
  router.all('/mcp', mcp(deps));
  return router;
}

/** Metadata at the places that their specifications name, mounted at /.well-known. */
export function ticketsWellKnown({ issuer, publicRoot, resource, controls, behaviour }: TicketsRouteDeps): Router {
  const router = Router();
  const counted = controls.intercept('tickets');
  router.get(`/oauth-authorization-server${new URL(issuer).pathname}`, counted, (_request, response) => {
    response.json(accessMetadata({ issuer, publicRoot, behaviour }));
  });
  router.get(`/oauth-protected-resource${new URL(resource).pathname}`, counted, (_request, response) => {
    response.json({
      resource,
      resource_name: 'Tickets',
      authorization_servers: [issuer],
      scopes_supported: SCOPES,
      bearer_methods_supported: ['header'],
    });
  });
  return router;
}

/** The server itself, for requests with a token of its own authorization server (MCP 2026-07-28, “Authorization”). */
function mcp({ callerOf, server, metadataUrl }: TicketsRouteDeps): RequestHandler {
  return async (request, response) => {
    const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const caller = token === undefined ? undefined : callerOf(token);
    if (caller !== undefined) return (await server()).serve(request, response, caller);
    const error = token === undefined ? undefined : 'invalid_token';
    response
      .status(401)
      .set('WWW-Authenticate', challenge(metadataUrl, SCOPES, error))
      .json({ error: error ?? 'unauthorized' });
  };
}

/** RFC 6750, 3; RFC 9728, 5.1. */
export function challenge(metadataUrl: string, scopes: readonly string[], error?: string): string {
  const problem = error === undefined ? '' : `error="${error}", `;
  return `Bearer ${problem}resource_metadata="${metadataUrl}", scope="${scopes.join(' ')}"`;
}
