import { z } from 'zod';
import type { Limits } from '../config/config.ts';
import { CALL_ERRORS, callResult } from '../executor/call/call-result.ts';
import type { Executor } from '../executor/executor.ts';
import { type Endpoint, endpoint, leavingSignal } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';

const SURFACE = 'http';

/** Actions for scripts, and for languages without a socket client. */
export function agentsRouter(
  executor: Pick<Executor, 'invoke'>,
  limits: Pick<Limits, 'socketPayloadBytes'>,
  middleware: EndpointMiddleware,
): EndpointRouter {
  return endpointRouter('Agents', [callAction(executor, limits)], middleware);
}

function callAction(executor: Pick<Executor, 'invoke'>, { socketPayloadBytes }: Pick<Limits, 'socketPayloadBytes'>): Endpoint {
  return endpoint({
    method: 'post',
    path: '/agents/:action',
    summary: 'Call an action',
    description:
      'Runs an action with the body as its arguments, like `call` on the WebSocket. By a tool’s name (`mail_search`), the body may name the `account`, too. A change with an `Idempotency-Key` header runs once within 24 hours; each token has keys of its own, and the user’s own front ends share theirs. `approval_required`: the user has to approve the call first; `details` describes it.',
    auth: 'credential',
    params: z.object({ action: z.string().min(1).max(100) }),
    query: z.strictObject({ account: z.string().min(1).max(254).optional().describe('Id or label; absent: the default account.') }),
    form: z.looseObject({}).meta({ id: 'ActionInput' }),
    // As on the socket.
    json: { limit: socketPayloadBytes },
    response: callResult,
    errors: CALL_ERRORS,
    async handle({ caller, params, query, request, response }) {
      const idempotencyKey = request.get('idempotency-key');
      const json = await executor.invoke({
        user: caller,
        surface: SURFACE,
        action: params.action,
        input: request.body,
        signal: leavingSignal(response),
        ...(query.account !== undefined && { account: query.account }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      });
      return { json };
    },
  });
}
