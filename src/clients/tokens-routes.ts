import { z } from 'zod';
import type { Clock } from '../clock/clock.ts';
import type { ClientGrantRow } from '../executor/call/client-grants-repository.ts';
import { resemblesOwnName } from '../executor/taint/own-name.ts';
import { assertRecentSignIn } from '../http/access/recent-sign-in.ts';
import { type Endpoint, endpoint, SUCCEEDED, success } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import { text, uuid } from '../validation/validate.ts';
import type { ClientTokens } from './client-tokens.ts';
import { grantFields, grantResponse } from './grant-response.ts';

const DEFAULT_DAYS = 90;
const MAX_DAYS = 366;
const MAX_LISTED = 50;
const LIMIT = 64 * 1024;
const PATTERN = /^(?:\*|[a-z0-9_-]{1,60}\.(?:\*|[a-z0-9_-]{1,60}))$/;
const RECENT = 'Requires a sign-in within the last five minutes.';

const token = z.object({ ...grantFields, last_four: z.string().describe('The last characters of the token.') }).meta({ id: 'ClientToken' });

/** Personal access tokens: made, listed and revoked with an ID token. */
export function tokensRouter(tokens: ClientTokens, middleware: EndpointMiddleware): EndpointRouter {
  const { clock } = middleware;
  return endpointRouter('Tokens', [listTokens(tokens), createToken(tokens, clock), revokeToken(tokens, clock)], middleware);
}

function listTokens(tokens: ClientTokens): Endpoint {
  return endpoint({
    method: 'get',
    path: '/tokens',
    summary: 'Personal access tokens',
    description: 'The user’s tokens, newest first, without the tokens themselves. Those that have ended are listed for 30 days.',
    auth: 'id_token',
    response: z.object({ tokens: z.array(token) }).meta({ id: 'ClientTokens' }),
    handle: async ({ caller }) => ({ json: { tokens: (await tokens.list(caller.userId)).map(shown) } }),
  });
}

function createToken(tokens: ClientTokens, clock: Clock): Endpoint {
  return endpoint({
    method: 'post',
    path: '/tokens',
    summary: 'New personal access token',
    description: `A credential for a script or an assistant, which can list and call the actions it names and fetch the results of calls that the user has approved: at \`GET /tools\`, \`POST /agents/{action}\`, \`GET /approvals/{id}/result\`, \`/mcp\` and over the WebSocket. It can do nothing else. The token is returned once. ${RECENT}`,
    auth: 'id_token',
    json: { limit: LIMIT },
    form: z
      .strictObject({
        name: text(100)
          .refine((name) => !resemblesOwnName(name), 'must not be, or look like, the name of this service')
          .describe('What the user knows it by.'),
        actions: z
          .array(z.string().regex(PATTERN, 'must be *, all actions of an agent (mail.*) or one action (calendar.list)'))
          .min(1)
          .max(MAX_LISTED)
          .describe('`*`, `mail.*` or `calendar.list`.'),
        access: z.enum(['read', 'write']).default('read').describe('`read`: only actions that change nothing.'),
        accounts: z.array(uuid).min(1).max(MAX_LISTED).optional().describe('Ids of accounts; absent: all, also later ones.'),
        expires_in_days: z.int().min(1).max(MAX_DAYS).default(DEFAULT_DAYS).describe(`1 to ${MAX_DAYS}; ${DEFAULT_DAYS} by default.`),
      })
      .meta({ id: 'TokenRequest' }),
    response: token.extend({ token: z.string().describe('`stw_pat_…`') }).meta({ id: 'NewClientToken' }),
    errors: ['recent_login_required', 'conflict'],
    async handle({ caller, form: { expires_in_days: days, ...request } }) {
      assertRecentSignIn(clock, caller, 'to make a token');
      const made = await tokens.create(caller.userId, { ...request, days });
      return { json: { ...shown(made.grant), token: made.token } };
    },
  });
}

function revokeToken(tokens: ClientTokens, clock: Clock): Endpoint {
  return endpoint({
    method: 'delete',
    path: '/tokens/:id',
    summary: 'Revoke a personal access token',
    description: `It counts for the next request; changes that have started run to their end. Pending approvals that it requested end. ${RECENT}`,
    auth: 'id_token',
    params: z.object({ id: z.uuid() }),
    response: success,
    errors: ['recent_login_required'],
    async handle({ caller, params }) {
      assertRecentSignIn(clock, caller, 'to revoke a token');
      await tokens.revoke(caller.userId, params.id);
      return SUCCEEDED;
    },
  });
}

function shown(row: ClientGrantRow): z.input<typeof token> {
  return { ...grantResponse(row), last_four: row.lastFour ?? '' };
}
