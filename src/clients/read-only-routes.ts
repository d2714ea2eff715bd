import { z } from 'zod';
import type { Clock } from '../clock/clock.ts';
import type { ReadOnlyRow } from '../executor/call/read-only-repository.ts';
import { assertRecentSignIn } from '../http/access/recent-sign-in.ts';
import { type Endpoint, endpoint, SUCCEEDED, success } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import { uuid } from '../validation/validate.ts';
import type { ReadOnlySwitches } from './read-only-switches.ts';

const LIMIT = 4 * 1024;

const readOnly = z
  .object({
    id: z.uuid(),
    account_id: z.uuid(),
    client_id: z.uuid().nullable().describe('The token or connected app for which it holds; null: for everything.'),
    since: z.iso.datetime({ offset: true }),
  })
  .meta({ id: 'ReadOnly' });

/**
 * Accounts and banks that the user has set to read-only. A switch is lifted by its id: in a query, a misspelt client would
 * mean "for everything".
 */
export function readOnlyRouter(switches: ReadOnlySwitches, middleware: EndpointMiddleware): EndpointRouter {
  return endpointRouter('Accounts', [listReadOnly(switches), setReadOnly(switches), liftReadOnly(switches, middleware.clock)], middleware);
}

function listReadOnly(switches: ReadOnlySwitches): Endpoint {
  return endpoint({
    method: 'get',
    path: '/read-only',
    summary: 'Read-only accounts',
    description: 'Accounts and banks on which the user permits no changes, oldest setting first.',
    auth: 'id_token',
    response: z.object({ read_only: z.array(readOnly) }).meta({ id: 'ReadOnlyAccounts' }),
    handle: async ({ caller }) => ({ json: { read_only: (await switches.list(caller.userId)).map(shown) } }),
  });
}

function setReadOnly(switches: ReadOnlySwitches): Endpoint {
  return endpoint({
    method: 'post',
    path: '/read-only',
    essential: true,
    summary: 'Set an account to read-only',
    description:
      'No action changes anything in the account or at the bank afterwards, for every caller or for one token or connected app; changes that have started run to their end. Pending approvals for it end. It holds until it is lifted or the account is disconnected.',
    auth: 'id_token',
    json: { limit: LIMIT },
    form: z
      .strictObject({
        account_id: uuid,
        client_id: uuid.optional().describe('Id in `GET /clients`; absent: it holds for every caller.'),
      })
      .meta({ id: 'ReadOnlyRequest' }),
    response: readOnly,
    handle: async ({ caller, form }) => ({
      json: shown(await switches.set(caller.userId, form.account_id, form.client_id ?? null)),
    }),
  });
}

function liftReadOnly(switches: ReadOnlySwitches, clock: Clock): Endpoint {
  return endpoint({
    method: 'delete',
    path: '/read-only/:id',
    summary: 'Permit changes again',
    description: 'Requires a sign-in within the last five minutes.',
    auth: 'id_token',
    params: z.object({ id: z.uuid() }),
    response: success,
    errors: ['recent_login_required'],
    async handle({ caller, params }) {
      assertRecentSignIn(clock, caller, 'to permit changes');
      await switches.lift(caller.userId, params.id);
      return SUCCEEDED;
    },
  });
}

function shown({ id, accountId, clientId, since }: ReadOnlyRow): z.input<typeof readOnly> {
  return { id, account_id: accountId, client_id: clientId, since: since.toISOString() };
}
