import { z } from 'zod';
import { AppError } from '../errors.ts';
import type { ApprovalPreview } from '../executor/approval-preview.ts';
import type { Executor } from '../executor/executor.ts';
import { rememberDays } from '../executor/remember-days.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoint-router.ts';
import { CALL_ERRORS, callResult } from './call-result.ts';

const SURFACE = 'http';
/** As on the socket. */
const LIMIT = 64 * 1024;

const viewer = z.object({
  kind: z.enum(['person', 'group', 'domain', 'anyone', 'unknown']),
  address: z.string().optional(),
  domain: z.string().optional(),
  relation: z.enum(['own', 'written_to', 'new']).optional().describe('How the user knows the person; absent: it could not be read.'),
});
const provenance = z.object({
  action: z.string(),
  author: z.string().optional(),
  name: z.string().optional(),
  time: z.string().optional(),
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
    provenance: z.array(provenance).describe('What others wrote and was read before.'),
    matches: z
      .array(provenance.extend({ field: z.string(), text: z.string() }))
      .describe('Parts of the arguments that repeat what others wrote: `field` is the path of the argument.'),
    input: z.unknown().describe('The arguments.'),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'Approval' });

const outcome = z
  .object({
    status: z
      .enum(['pending', 'denied', 'expired', 'ended', 'running', 'done', 'failed'])
      .describe('`ended`: it can’t be decided any more, for another reason than its time.'),
    edited: z.literal(true).optional().describe('The user changed the arguments before approving.'),
    result: callResult.optional().describe('If `done`.'),
    error: z.object({ code: z.string(), message: z.string() }).optional().describe('If `failed`.'),
  })
  .meta({ id: 'ApprovalOutcome' });

type Approvals = Pick<Executor, 'approvals' | 'approve' | 'outcome'>;

/** Pending approvals, for the user in person, and how they ended, for the caller that asked. */
export function approvalsRouter(executor: Approvals, middleware: EndpointMiddleware): EndpointRouter {
  const endpoints = [listApprovals(executor), readApproval(executor), decide(executor), readOutcome(executor)];
  return endpointRouter('Approvals', endpoints, middleware);
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

function decide(executor: Approvals): Endpoint {
  return endpoint({
    method: 'post',
    path: '/approvals/:id/decision',
    summary: 'Approve or deny a call',
    description:
      'Approved: repeats every check, runs the call once and returns its result. Denied: `data` is `{"approved": false}`. With `input`, the user approves other arguments; if more people would see the changed call, the response is `approval_required` with the new question. With `remember_for`, later calls of the action on the account run without a question if nobody sees them but the people who see this one or, for `drive.create`, `copy` and `move`, if they are for the same folder; a call for which that is not possible is not run (`invalid_request`).',
    auth: 'id_token',
    params: z.object({ id: z.uuid() }),
    json: { limit: LIMIT },
    form: z
      .strictObject({
        approved: z.boolean(),
        input: z.looseObject({}).optional().describe('The arguments that the user puts in place of those shown.'),
        remember_for: rememberDays.optional().describe('Days for which calls like this one are allowed in advance, 1 to 30.'),
      })
      .meta({ id: 'Decision' }),
    response: callResult,
    errors: CALL_ERRORS,
    async handle({ caller, params, form: { approved, input, remember_for: rememberFor }, response }) {
      const leaving = new AbortController();
      response.once('close', () => leaving.abort());
      const decision = { user: caller, surface: SURFACE, approvalId: params.id, approved, signal: leaving.signal };
      const more = { ...(input !== undefined && { input }), ...(rememberFor !== undefined && { rememberFor }) };
      return { json: await executor.approve({ ...decision, ...more }) };
    },
  });
}

function readOutcome(executor: Approvals): Endpoint {
  return endpoint({
    method: 'get',
    path: '/approvals/:id/result',
    summary: 'How an approval ended',
    description:
      'For the token, or the user in person, that made the call: whether the user has decided, and for an hour after the run its result or its error. Reading a result counts as making the call: text of others in it marks the reader.',
    auth: 'credential',
    params: z.object({ id: z.uuid() }),
    response: outcome,
    handle: async ({ caller, params }) => ({ json: await executor.outcome(caller, params.id) }),
  });
}

function shown({
  approvalId,
  accountId,
  expiresAt,
  audience,
  notices,
  provenance: sources,
  matches,
  ...rest
}: ApprovalPreview): z.input<typeof approval> {
  const { action, account, summary, input } = rest;
  return {
    id: approvalId,
    action,
    account,
    account_id: accountId,
    summary,
    audience: [...audience],
    notices: [...notices],
    provenance: [...sources],
    matches: [...matches],
    input,
    expires_at: expiresAt,
  };
}
