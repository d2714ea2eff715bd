import { z } from 'zod';
import type { Limits } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { ApprovalPreview } from '../executor/approval-preview.ts';
import type { Executor } from '../executor/executor.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoint-router.ts';
import { CALL_ERRORS, callResult } from './call-result.ts';

const SURFACE = 'http';

const viewer = z.object({
  kind: z.enum(['person', 'group', 'domain', 'anyone', 'unknown']),
  address: z.string().optional(),
  domain: z.string().optional(),
  relation: z.enum(['own', 'written_to', 'new']).optional().describe('How the user knows the person; absent: it could not be read.'),
});
const approval = z
  .object({
    id: z.uuid(),
    action: z.string(),
    account: z.string().describe('The account’s label.'),
    account_id: z.uuid(),
    summary: z.string().describe('One line: what will happen.'),
    audience: z.array(viewer).describe('Who else sees the effect.'),
    notices: z.array(z.string()).describe('What deserves attention.'),
    provenance: z
      .array(z.object({ action: z.string(), author: z.string().optional(), name: z.string().optional(), time: z.string().optional() }))
      .describe('What others wrote and was read before.'),
    input: z.unknown().describe('The arguments.'),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'Approval' });

type Approvals = Pick<Executor, 'approvals' | 'approve'>;

/** Pending approvals, for the user in person. */
export function approvalsRouter(
  executor: Approvals,
  limits: Pick<Limits, 'socketPayloadBytes'>,
  middleware: EndpointMiddleware,
): EndpointRouter {
  return endpointRouter('Approvals', [listApprovals(executor), readApproval(executor), decide(executor, limits)], middleware);
}

function listApprovals(executor: Approvals): Endpoint {
  return endpoint({
    method: 'get',
    path: '/approvals',
    summary: 'Pending approvals',
    description: 'Calls that wait for the user’s decision, oldest first.',
    auth: 'id_token',
    response: z.object({ approvals: z.array(approval) }).meta({ id: 'Approvals' }),
    handle: async ({ caller }) => ({ json: { approvals: (await executor.approvals(caller.userId)).map(shown) } }),
  });
}

function readApproval(executor: Approvals): Endpoint {
  return endpoint({
    method: 'get',
    path: '/approvals/:id',
    summary: 'One pending approval',
    auth: 'id_token',
    params: z.object({ id: z.uuid() }),
    response: approval,
    async handle({ caller, params }) {
      const found = (await executor.approvals(caller.userId)).find(({ approvalId }) => approvalId === params.id);
      if (found === undefined) throw new AppError('not_found', 'There is no such request for approval.');
      return { json: shown(found) };
    },
  });
}

function decide(executor: Approvals, { socketPayloadBytes }: Pick<Limits, 'socketPayloadBytes'>): Endpoint {
  return endpoint({
    method: 'post',
    path: '/approvals/:id/decision',
    summary: 'Approve or deny a call',
    description:
      'Approved: repeats every check, runs the call once and returns its result. Denied: `data` is `{"approved": false}`. With `input`, the user approves other arguments; if more people would see the changed call, the response is `approval_required` with the new question.',
    auth: 'id_token',
    params: z.object({ id: z.uuid() }),
    json: { limit: socketPayloadBytes },
    form: z
      .strictObject({
        approved: z.boolean(),
        input: z.looseObject({}).optional().describe('The arguments that the user puts in place of those shown.'),
      })
      .meta({ id: 'Decision' }),
    response: callResult,
    errors: CALL_ERRORS,
    async handle({ caller, params, form: { approved, input }, response }) {
      const leaving = new AbortController();
      response.once('close', () => leaving.abort());
      const decision = { user: caller, surface: SURFACE, approvalId: params.id, approved, signal: leaving.signal };
      return { json: await executor.approve({ ...decision, ...(input !== undefined && { input }) }) };
    },
  });
}

function shown({ approvalId, accountId, expiresAt, audience, notices, provenance, ...rest }: ApprovalPreview): z.input<typeof approval> {
  const { action, account, summary, input } = rest;
  return {
    id: approvalId,
    action,
    account,
    account_id: accountId,
    summary,
    audience: [...audience],
    notices: [...notices],
    provenance: [...provenance],
    input,
    expires_at: expiresAt,
  };
}
