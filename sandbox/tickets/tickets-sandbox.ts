import { join } from 'node:path';
import { loadOnce } from '../../src/concurrency/load-once.ts';
import type { EmulatorOptions } from '../emulator-options.ts';
import { Signer, type StoredKey } from '../identity/identity-keys.ts';
import { openStore } from '../store.ts';
import { AccessClients } from './access-clients.ts';
import { AccessGrants } from './access-grants.ts';
import { type AccessBehaviour, seedAccess } from './access-state.ts';
import { AccessTokens } from './access-tokens.ts';
import { AuthorizationDesk } from './authorization-desk.ts';
import { TicketCalls } from './ticket-calls.ts';
import { userOf } from './ticket-tool.ts';
import { ticketsControlRoutes } from './tickets-control-routes.ts';
import { challenge, ticketsRoutes, ticketsWellKnown } from './tickets-routes.ts';
import type { Caller, TicketsServer } from './tickets-server.ts';
import { seedTickets } from './tickets-state.ts';

export type TicketsSandbox = ReturnType<typeof createTicketsSandbox>;

const PATH = '/sandbox/tickets';
/** Users of the tracker who can sign in. */
const PEOPLE = ['dana', 'milo'];
const TOKEN_LIFE_SECONDS = 3_600;

/** Opens a tracker that somebody else runs: an MCP server with its own sign-in, with the data in `directory`. */
export function createTicketsSandbox(options: EmulatorOptions & { signingKey: StoredKey }) {
  const { directory, publicUrl, selfUrl, controls } = options;
  const [issuer, publicRoot] = [`${selfUrl}${PATH}`, `${publicUrl}${PATH}`];
  const resource = `${issuer}/mcp`;
  const metadataUrl = `${selfUrl}/.well-known/oauth-protected-resource${PATH}/mcp`;
  const store = openStore(join(directory, 'tickets.json'), () => seedTickets(controls.now()));
  const access = openStore(join(directory, 'tickets-access.json'), seedAccess);
  const userBy = (id: string) => userOf({ state: store.state }, id);
  const signer = new Signer(options.signingKey);
  const behaviour: AccessBehaviour = { tokenLifeSeconds: TOKEN_LIFE_SECONDS, omitRefreshToken: false, omitIss: false };
  const [clients, grants] = [new AccessClients(access), new AccessGrants(access, controls)];
  const desk = new AuthorizationDesk({ issuer, resource, clients, controls, behaviour });
  const tokens = new AccessTokens({ issuer, resource, clients, grants, desk, signer, controls, behaviour, userOf: userBy });
  const calls = new TicketCalls(store, controls);
  const refuse = (scope: string) =>
    new Response(null, { status: 403, headers: { 'www-authenticate': challenge(metadataUrl, [scope], 'insufficient_scope') } });
  let opened: TicketsServer | undefined;
  // The SDK's server is loaded when something first calls it.
  const server = loadOnce(async () => (opened = (await import('./tickets-server.ts')).ticketsServer(calls, refuse)));
  const callerOf = (token: string): Caller | undefined => {
    const grant = grants.ofAccess(token);
    return grant && { user: userBy(grant.user), scopes: grant.scopes };
  };
  const people = PEOPLE.map(userBy);
  const deps = {
    issuer,
    publicRoot,
    resource,
    metadataUrl,
    keySet: signer.keySet,
    clients,
    desk,
    tokens,
    people,
    controls,
    behaviour,
    callerOf,
    server,
  };
  return {
    /** To be mounted at /sandbox/tickets. */
    router: ticketsRoutes(deps),
    /** To be mounted at /.well-known. */
    wellKnown: ticketsWellKnown(deps),
    /** To be mounted at /sandbox/control/tickets. */
    controlRouter: ticketsControlRoutes({ calls, grants, behaviour }),
    /** The server's address. */
    url: resource,
    /** Ends open streams. */
    close: () => void opened?.close(),
  };
}
