import { z } from 'zod';
import type { ClientGrantRow } from '../executor/call/client-grants-repository.ts';
import { clientFields, clientResponse, namedClient } from '../executor/call/named-client.ts';
import type { ClientGrants } from '../executor/client-grants.ts';
import { type Endpoint, endpoint, SUCCEEDED, success } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import { grantFields, grantResponse } from './grant-response.ts';

const client = z
  .object({
    ...grantFields,
    ...clientFields,
    last_four: z.string().nullable().describe('Of a personal access token: its last characters.'),
    last_action: z.string().nullable().describe('The action that it called last.'),
  })
  .meta({ id: 'Client' });

/** Connected apps: personal access tokens and OAuth clients in one list, each of which the user can end. */
export function clientsRouter(grants: Pick<ClientGrants, 'list' | 'revoke'>, middleware: EndpointMiddleware): EndpointRouter {
  return endpointRouter('Clients', [listClients(grants), disconnectClient(grants)], middleware);
}

function listClients(grants: Pick<ClientGrants, 'list'>): Endpoint {
  return endpoint({
    method: 'get',
    path: '/clients',
    summary: 'Connected apps',
    description:
      'The user’s personal access tokens and the clients that signed in with OAuth, newest first. Those that have ended are listed for 30 days.',
    auth: 'id_token',
    response: z.object({ clients: z.array(client) }).meta({ id: 'Clients' }),
    handle: async ({ caller }) => ({ json: { clients: (await grants.list(caller.userId)).map(shown) } }),
  });
}

function disconnectClient(grants: Pick<ClientGrants, 'revoke'>): Endpoint {
  return endpoint({
    method: 'delete',
    path: '/clients/:id',
    summary: 'Disconnect an app',
    description:
      'Ends a personal access token, or one access of an app with all its tokens: an app that has signed in more than once is listed as often. It counts for the next request; changes that have started run to their end. Pending approvals that it requested end, and results that it could fetch are deleted. No recent sign-in is required: ending access always works.',
    auth: 'id_token',
    params: z.object({ id: z.uuid() }),
    response: success,
    async handle({ caller, params }) {
      await grants.revoke(caller.userId, params.id);
      return SUCCEEDED;
    },
  });
}

function shown(row: ClientGrantRow): z.input<typeof client> {
  const { lastFour, lastAction } = row;
  return { ...grantResponse(row), ...clientResponse(namedClient(row)), last_four: lastFour, last_action: lastAction };
}
