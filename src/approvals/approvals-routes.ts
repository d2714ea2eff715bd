import { z } from 'zod';
import type { Limits } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { CALL_ERRORS, callResult } from '../executor/call/call-result.ts';
import type { Executor, LinkedPreview } from '../executor/executor.ts';
import { rememberDays } from '../executor/policy/remember-days.ts';
import { type Endpoint, endpoint, leavingSignal, type Reply } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import { prefersPage } from '../http/middleware/error-handler.ts';
import type { Page } from '../http/pages/own-page.ts';
import type { FirstParty } from '../principal.ts';
import { isObject } from '../validation/is-object.ts';
import { excessIn, LARGE_BYTES, parseLargeJson } from '../validation/json-budget.ts';
import { text, uuid } from '../validation/validate.ts';
import { type Attempt, approvalPage, approvalsPage, endPage } from './approval-page.ts';
import { approval, digestOf, outcome, shown } from './approval-schemas.ts';

const SURFACE = 'http';
const ASKED_AGAIN = 'Others would see the changed call, or what it is about has changed. This is the new question.';

type Approvals = Pick<Executor, 'approvals' | 'approve' | 'outcome' | 'mayBeAllowed'>;

/** Pending approvals, for the user in person: as JSON, and as pages of the service's own. How they ended, for the caller that asked. */
export function approvalsRouter(
  executor: Approvals,
  limits: Pick<Limits, 'socketPayloadBytes'>,
  middleware: EndpointMiddleware,
): EndpointRouter {
  const endpoints = [listApprovals(executor), readApproval(executor), decide(executor, limits), readOutcome(executor)];
  return endpointRouter('Approvals', endpoints, middleware);
}

const PAGES = { 200: 'The page, where `Accept` prefers HTML', 303: 'Redirect of a browser to the sign-in' };

function listApprovals(executor: Approvals): Endpoint {
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
      const approvals = await executor.approvals(caller.userId);
      if (prefersPage(request)) return withPage(approvalsPage(caller, approvals));
      return { json: { approvals: approvals.map(shown) } };
    },
  });
}

function readApproval(executor: Approvals): Endpoint {
  return endpoint({
    method: 'get',
    path: '/approvals/:id',
    summary: 'One pending approval',
    auth: 'first_party',
    browser: true,
    params: z.object({ id: uuid }),
    response: approval,
    pages: PAGES,
    async handle({ caller, params, request }) {
      const isPage = prefersPage(request);
      const found = await find(executor, caller.userId, params.id);
      if (found === undefined && isPage) return notPending(caller);
      if (found === undefined) throw new AppError('not_found', 'There is no such request for approval.');
      return isPage ? questionPage(executor, caller, found) : { json: shown(found) };
    },
  });
}

function decide(executor: Approvals, { socketPayloadBytes }: Pick<Limits, 'socketPayloadBytes'>): Endpoint {
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
    form: z
      .strictObject({
        approved: z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')]),
        input: z.looseObject({}).optional().describe('The arguments that the user puts in place of those shown.'),
        input_json: z.string().optional().describe('From the page’s form: `input` as JSON.'),
        remember_for: z
          .preprocess(daysOfForm, rememberDays.optional())
          .optional()
          .describe('Days for which calls like this one are allowed in advance, 1 to 30.'),
        shown: text(100).optional().describe('Of the question: another one than the one shown is not decided. Required with a session.'),
        csrf: text(100).optional().describe('From the page’s form.'),
      })
      .meta({ id: 'Decision' }),
    response: callResult,
    pages: { 200: 'The page, where `Accept` prefers HTML; without a session, one that leads to the sign-in' },
    errors: CALL_ERRORS,
    async handle({ caller, params, form, request, response }) {
      const { approved, remember_for: rememberFor, shown: digest } = form;
      const isPage = digest !== undefined || caller.session !== undefined;
      const shownOnPage = isPage && { assertShown: (question: LinkedPreview) => assertShown(question, digest) };
      const decision = { user: caller, surface: SURFACE, approvalId: params.id, approved, signal: leavingSignal(response), ...shownOnPage };
      const run = async () => {
        const input = await argumentsOf(form);
        const more = { ...(input !== undefined && { input }), ...(rememberFor !== undefined && { rememberFor }) };
        return executor.approve({ ...decision, ...more });
      };
      return prefersPage(request) ? endOf(executor, decision, form.input_json, run) : { json: await run() };
    },
  });
}

/** A form posts text, and an empty one where nothing is chosen. Anything else is left to the schema. */
function daysOfForm(value: unknown): unknown {
  if (value === '') return undefined;
  return typeof value === 'string' && /^[1-9]\d?$/.test(value) ? Number(value) : value;
}

interface Arguments {
  input?: object | undefined;
  input_json?: string | undefined;
}

/** @throws AppError `invalid_request`, `too_large` */
async function argumentsOf({ input, input_json: json }: Arguments): Promise<object | undefined> {
  if (json === undefined) return input;
  if (input !== undefined) throw new AppError('invalid_request', 'input: must not be sent beside input_json.');
  const bytes = Buffer.from(json);
  const excess = await excessIn(bytes);
  if (excess !== undefined) throw new AppError(excess.code, `The arguments have ${excess.reason}.`);
  const value = await parsedJson(bytes);
  if (!isObject(value)) throw new AppError('invalid_request', 'The arguments must be a JSON object: { … }.');
  return value;
}

/** @throws AppError `invalid_request` */
async function parsedJson(bytes: Buffer): Promise<unknown> {
  try {
    return bytes.length > LARGE_BYTES ? await parseLargeJson(bytes) : JSON.parse(bytes.toString());
  } catch (error) {
    // The rest of the message repeats the text.
    const [place] = /line \d{1,9} column \d{1,9}/.exec((error as SyntaxError).message) ?? [];
    throw new AppError('invalid_request', `The arguments are not valid JSON${place === undefined ? '' : `: ${place}`}.`);
  }
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

async function find(executor: Approvals, userId: string, id: string): Promise<LinkedPreview | undefined> {
  return (await executor.approvals(userId)).find(({ approvalId }) => approvalId === id);
}

/** @throws AppError `conflict` when a question is not the one that the page showed */
function assertShown(question: LinkedPreview, digest: string | undefined): void {
  if (digestOf(question) !== digest) throw new AppError('conflict', 'The question has changed since it was shown. Load it again.');
}

/**
 * The page after a decision.
 *
 * @param edited the arguments as the user wrote them, which are kept while the question is open
 */
async function endOf(
  executor: Approvals,
  { user, approvalId, approved }: { user: FirstParty; approvalId: string; approved: boolean },
  edited: string | undefined,
  run: () => Promise<unknown>,
): Promise<Reply<never>> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return afterError(executor, user, error, edited, await find(executor, user.userId, approvalId));
  }
  if (approved) return withPage(endPage(user, { heading: 'Done', text: 'You approved it, and it was done.' }));
  return withPage(endPage(user, { heading: 'Denied', text: 'You denied it. Nothing was done.' }));
}

/** The page of the question while that is open and is now another one, or has arguments to correct; else that of the end. */
function afterError(
  executor: Approvals,
  user: FirstParty,
  { code, message, status }: AppError,
  edited: string | undefined,
  pending: LinkedPreview | undefined,
): Reply<never> {
  if (pending !== undefined && code === 'approval_required') return questionPage(executor, user, pending, { problem: ASKED_AGAIN }, status);
  if (pending !== undefined && edited !== undefined) return questionPage(executor, user, pending, { problem: message, edited }, status);
  const heading = code === 'outcome_unknown' ? 'Not known' : 'Not done';
  return withPage(endPage(user, { heading, text: message, code, pending: pending?.approvalId }), status);
}

function questionPage(executor: Approvals, user: FirstParty, pending: LinkedPreview, attempt?: Attempt, status?: number): Reply<never> {
  const form = { user, approval: pending, shown: digestOf(pending), mayBeAllowed: executor.mayBeAllowed(pending) };
  return withPage(approvalPage(form, attempt), status);
}

function notPending(caller: FirstParty): Reply<never> {
  const text = 'This was decided already, has expired, or is another user’s.';
  return withPage(endPage(caller, { heading: 'Nothing to decide', text, code: 'not_found' }), 404);
}

function withPage(page: Page, status = 200): Reply<never> {
  return { page, status };
}
