import { z } from 'zod';
import { clientFields, clientResponse, namedClient } from '../executor/call/named-client.ts';
import type { Allowances, ListedAllowance } from '../executor/policy/allowances.ts';
import { type Endpoint, endpoint, SUCCEEDED, success } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';

const SURFACE = 'http';

const time = z.iso.datetime({ offset: true });
const allowance = z
  .object({
    id: z.uuid(),
    action: z.string(),
    account_id: z.uuid(),
    recipients: z
      .array(
        z.object({
          address: z.string(),
          relation: z.enum(['own', 'written_to', 'new']).optional().describe('How the user knew the person; absent: it could not be read.'),
        }),
      )
      .describe('Who may see the calls; for a folder, who saw what is in it.'),
    services: z.array(z.string()).describe('Hosts of other people’s servers that may be told the arguments.'),
    folder: z.object({ id: z.string(), name: z.string() }).nullable().describe('Into which the calls may put something.'),
    arguments: z
      .array(
        z.object({
          name: z.string().describe('Its path: `notify`, `attachments.name`.'),
          values: z
            .array(z.union([z.boolean(), z.number(), z.string()]))
            .optional()
            .describe('Where it is yes or no, a number or one of a fixed list; absent: any text.'),
        }),
      )
      .describe('The arguments that the calls have to give: these and no others, with these values.'),
    asker: z
      .enum(['user', 'assistant', 'client'])
      .describe('Whose calls: those of the user’s own front ends, of the assistant in any conversation, or of one client.'),
    client: z
      .object({ id: z.uuid(), ...clientFields })
      .nullable()
      .describe('That client.'),
    created_at: time,
    expires_at: time,
  })
  .meta({ id: 'Allowance' });

/** Calls that the user has allowed in advance, by approving one with `remember_for`. */
export function allowancesRouter(allowances: Allowances, middleware: EndpointMiddleware): EndpointRouter {
  return endpointRouter('Approvals', [listAllowances(allowances), revokeAllowance(allowances)], middleware);
}

function listAllowances(allowances: Allowances): Endpoint {
  return endpoint({
    method: 'get',
    path: '/allowances',
    summary: 'Calls allowed in advance',
    description:
      'What the user has allowed when approving a call, newest first. An allowance is for the caller that asked for that call, and ends when its time is up, when the client has ended, when the account is disconnected, or when the configuration of its action changes.',
    auth: 'id_token',
    response: z.object({ allowances: z.array(allowance) }).meta({ id: 'Allowances' }),
    handle: async ({ caller }) => ({ json: { allowances: (await allowances.list(caller.userId)).map(shown) } }),
  });
}

function revokeAllowance(allowances: Allowances): Endpoint {
  return endpoint({
    method: 'delete',
    path: '/allowances/:id',
    summary: 'Revoke an allowance',
    description: 'It takes effect for every call that has not started.',
    auth: 'id_token',
    params: z.object({ id: z.uuid() }),
    response: success,
    async handle({ caller, params }) {
      await allowances.revoke(caller.userId, params.id, SURFACE);
      return SUCCEEDED;
    },
  });
}

function shown(of: ListedAllowance): z.input<typeof allowance> {
  const { id, action, accountId, recipients, services = [], folder, arguments: given, asker, client, createdAt, expiresAt } = of;
  return {
    id,
    action,
    account_id: accountId,
    recipients: [...recipients],
    services: [...services],
    folder: folder ?? null,
    arguments: [...given],
    asker,
    client: client && { id: client.id, ...clientResponse(namedClient(client)) },
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}
