import type { Router } from 'express';
import { z } from 'zod';
import { controlRouter } from '../control-routes.ts';
import type { AccessGrants } from './access-grants.ts';
import type { AccessBehaviour } from './access-state.ts';
import type { Definition } from './listed-tools.ts';
import type { TicketCalls } from './ticket-calls.ts';

export interface TicketsControlDeps {
  calls: TicketCalls;
  grants: AccessGrants;
  behaviour: AccessBehaviour;
}

const name = z.string().min(1).max(200);
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((value) => value === 'true')]);
/** Members of a definition as the protocol names them; null removes one. Not checked further: servers list odd ones, too. */
const members = z.record(z.string(), z.unknown());
const change = z.strictObject({ tool: name, members });
const added = z.strictObject({ definition: z.looseObject({ name: z.string() }) });
const removed = z.strictObject({ tool: name });
const expiry = z.strictObject({ refresh: flag.default(false) });
const behaviour = z.strictObject({
  token_life_seconds: z.coerce.number().int().min(0).optional(),
  omit_refresh_token: flag.optional(),
  omit_iss: flag.optional(),
});

/** Test controls of the tracker, mounted at /sandbox/control/tickets. */
export function ticketsControlRoutes({ calls, grants, behaviour: current }: TicketsControlDeps): Router {
  const { router, post, state } = controlRouter();
  const { tools } = calls;
  state(() => ({ tools: tools.definitions.map((tool) => tool.name), received: calls.received, tokens: grants.summary() }));
  post('/tools/change', change, ({ tool, members: given }) => tools.change(tool, given));
  post('/tools/add', added, ({ definition }) => tools.add(definition as Definition));
  post('/tools/remove', removed, ({ tool }) => tools.remove(tool));
  post('/tools/reverse', z.unknown(), () => tools.reverse());
  post('/tools/reset', z.unknown(), () => tools.reset());
  post('/tokens/expire', expiry, ({ refresh }) => grants.expire(refresh ? ['access', 'refresh'] : ['access']));
  post('/received/clear', z.unknown(), () => calls.forget());
  post('/behaviour', behaviour, ({ token_life_seconds: life, omit_refresh_token: omit, omit_iss: omitIss }) => {
    current.tokenLifeSeconds = life ?? current.tokenLifeSeconds;
    current.omitRefreshToken = omit ?? current.omitRefreshToken;
    current.omitIss = omitIss ?? current.omitIss;
  });
  return router;
}
