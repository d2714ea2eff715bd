import { z } from 'zod';
import type { Clock } from '../clock/clock.ts';
import { loadOnce } from '../concurrency/load-once.ts';
import type { Limits } from '../config/config.ts';
import type { Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { CALL_ERRORS, callResult } from '../executor/call/call-result.ts';
import type { Executor, LinkedPreview } from '../executor/executor.ts';
import { type Endpoint, endpoint, leavingSignal } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import { prefersPage } from '../http/middleware/error-handler.ts';
import { uuid } from '../validation/validate.ts';
import { approval, approvalWithForm, outcome, shown } from './approval-schemas.ts';
import { decisionForm } from './decision-form.ts';
import { assertShown, findQuestion } from './open-question.ts';
import type { QuestionReplies } from './question-replies.ts';

const SURFACE = 'http';

export interface ApprovalsDeps {
  executor: Pick<Executor, 'approvals' | 'approve' | 'outcome' | 'mayBeAllowed' | 'ended' | 'inputSchema'>;
  clock: Clock;
  db: Queryable;
}

/** Pending approvals, for the user in person: as JSON, and as pages of the service's own. How they ended, for the caller that asked. */
export function approvalsRouter(
  deps: ApprovalsDeps,
  limits: Pick<Limits, 'socketPayloadBytes'>,
  middleware: EndpointMiddleware,
): EndpointRouter {
  const replies = loadOnce(async () => new (await import('./question-replies.ts')).QuestionReplies(deps));
  const { executor } = deps;
  const endpoints = [
    listApprovals(executor, replies),
    readApproval(executor, replies),
    decide(executor, replies, limits),
    readOutcome(executor),
  ];
  return endpointRouter('Approvals', endpoints, middleware);
}

const PAGES = { 200: 'The page, where `Accept` prefers HTML', 303: 'Redirect of a browser to the sign-in' };

type Approvals = ApprovalsDeps['executor'];
/** Loaded with the first page: each start would pay for them. */
type Replies = () => Promise<QuestionReplies>;

function listApprovals(executor: Approvals, replies: Replies): Endpoint {
  return endpoint({
    method: 'get',
    path: '/approvals',
    summary: 'Pending approvals',
    description: 'Calls that wait for the user’s decision, oldest first.',
    auth: 'first_party',
    browser: true,
    response: z.object({ approvals: z.array(approval) }).meta({ id: 'Approvals' }),
    pages: PAGES,
    async handle({ caller, request }) {
      if (prefersPage(request)) return (await replies()).list(caller);
      const approvals = await executor.approvals(caller.userId);
      return { json: { approvals: approvals.map(shown) } };
    },
  });
}

function readApproval(executor: Approvals, replies: Replies): Endpoint {
  return endpoint({
    method: 'get',
    path: '/approvals/:id',
    summary: 'One pending approval',
    auth: 'first_party',
    browser: true,
    params: z.object({ id: uuid }),
    query: z.strictObject({ change: z.literal('yes').optional().describe('The page with the form of the action.') }),
    response: approvalWithForm,
    pages: PAGES,
    async handle({ caller, params, query, request }) {
      const found = await findQuestion(executor, caller.userId, params.id);
      if (prefersPage(request)) {
        const pages = await replies();
        return found === undefined ? pages.ended(caller, params.id) : pages.question(caller, found, query.change === 'yes');
      }
      if (found === undefined) throw new AppError('not_found', 'There is no such request for approval.');
      const { formOfQuestion } = await import('./change-form.ts');
      return { json: { ...shown(found), form: await formOfQuestion(executor, caller.userId, found) } };
    },
  });
}

function decide(executor: Approvals, replies: Replies, { socketPayloadBytes }: Pick<Limits, 'socketPayloadBytes'>): Endpoint {
  return endpoint({
    method: 'post',
    path: '/approvals/:id',
    essential: true,
    summary: 'Approve or deny a call',
    description:
      'Approved: repeats every check, runs the call once and returns its result. Denied: `data` is `{"approved": false}`. With `input`, the user approves other arguments; if more people would see the changed call, the response is `approval_required` with the new question. With `remember_for`, later calls of the action on the account run without a question if nobody sees them but the people who see this one or, for `drive.create`, `copy` and `move`, if they are for the same folder; a call for which that is not possible is not run (`invalid_request`). A session decides on the question that it was shown (`shown`).',
    auth: 'first_party',
    browser: true,
    params: z.object({ id: uuid }),
    json: { limit: socketPayloadBytes, orForm: true },
    form: decisionForm,
    response: callResult,
    pages: { 200: 'The page, where `Accept` prefers HTML; without a session, one that leads to the sign-in' },
    errors: CALL_ERRORS,
    async handle({ caller, params, form, request, response }) {
      const { approved, remember_for: rememberFor, shown: digest } = form;
      const isPage = digest !== undefined || caller.session !== undefined;
      const shownOnPage = isPage && { assertShown: (question: LinkedPreview) => assertShown(question, digest) };
      const decision = { user: caller, surface: SURFACE, approvalId: params.id, approved, signal: leavingSignal(response), ...shownOnPage };
      const approve = (input: object | undefined) =>
        executor.approve({ ...decision, ...(input !== undefined && { input }), ...(rememberFor !== undefined && { rememberFor }) });
      if (prefersPage(request)) return (await replies()).decided(caller, params.id, form, approve);
      const { argumentsOf } = await import('./decision-arguments.ts');
      return { json: await approve(await argumentsOf(form)) };
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
    params: z.object({ id: uuid }),
    response: outcome,
    handle: async ({ caller, params }) => ({ json: await executor.outcome(caller, params.id) }),
  });
}
