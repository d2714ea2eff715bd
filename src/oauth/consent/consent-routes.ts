import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { AgentAccountRow } from '../../executor/call/agent-accounts-repository.ts';
import { type Endpoint, endpoint, type Reply } from '../../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../../http/endpoints/endpoint-router.ts';
import type { FirstParty } from '../../principal.ts';
import { text, uuid } from '../../validation/validate.ts';
import { PATHS } from '../protocol.ts';
import type { Chosen, ConsentProblem } from './consent-page.ts';
import { type Consent, type Consents, DURATIONS, type PendingConsent } from './consents.ts';

const params = z.object({ uid: z.string().regex(/^[\w-]{43}$/) });

export interface ConsentPagesDeps {
  consents: Consents;
  accounts(userId: string): Promise<readonly AgentAccountRow[]>;
}

/** With the first page: each start would load them. */
const loadPages = () => import('./consent-page.ts');

/** The pages on which a user decides what an OAuth client may do. */
export function consentRouter(deps: ConsentPagesDeps, middleware: EndpointMiddleware): EndpointRouter {
  return endpointRouter('Authorization', [showConsent(deps), decideConsent(deps)], middleware);
}

function showConsent(deps: ConsentPagesDeps): Endpoint {
  return endpoint({
    method: 'get',
    path: `${PATHS.consent}/:uid`,
    summary: 'Ask the user what a client may do',
    auth: 'first_party',
    browser: true,
    params,
    pages: { 200: 'The page', 303: 'Redirect of a browser to the sign-in' },
    async handle({ caller, params: { uid }, request, response }) {
      assertSession(caller);
      const pending = await deps.consents.find(uid, request, response);
      if ('answered' in pending) return decided(caller, pending.answered);
      if (pending.isDecided) return decided(caller, pending.interaction.returnTo, pending.target.name);
      return questionPage(deps, caller, pending);
    },
  });
}

function decideConsent(deps: ConsentPagesDeps): Endpoint {
  const { consents } = deps;
  return endpoint({
    method: 'post',
    path: `${PATHS.consent}/:uid`,
    essential: true,
    summary: 'Decide what a client may do',
    auth: 'first_party',
    browser: true,
    params,
    form: z.strictObject({
      csrf: text(100).optional(),
      decision: z.enum(['allow', 'deny']),
      agent: many(text(64)),
      access: z.enum(['read', 'write']).default('read'),
      account: many(uuid),
      later: z.literal('true').optional().describe('Also accounts that the user connects later.'),
      days: z.coerce
        .number()
        .pipe(z.literal([...DURATIONS]))
        .default(1),
    }),
    pages: { 200: 'A page that leads a browser back to the app, or to the sign-in', 303: 'Redirect of other clients back to the app' },
    async handle({ caller, params: { uid }, form, request, response }) {
      assertSession(caller);
      const pending = await consents.find(uid, request, response);
      // Of several decisions, the first counts.
      if ('answered' in pending) return pending.answered === undefined ? decided(caller, undefined) : { redirect: pending.answered };
      if (pending.isDecided) return { redirect: pending.interaction.returnTo };
      if (form.decision === 'deny') return { redirect: await consents.deny(pending) };
      const { access, account, days, agent: agents } = form;
      const later = form.later !== undefined;
      const again = (problem: ConsentProblem) => questionPage(deps, caller, pending, { agents, access, account, later, days }, problem);
      if (agents.length === 0) return again('noAgent');
      if (account.length === 0 && !later) return again('noAccount');
      const consent = { agents, access, ...(await accountsOf(deps, caller.userId, account, later)), days };
      return { redirect: await consents.allow(caller.userId, pending, consent) };
    },
  });
}

/** A field that a form may have several times. */
function many(one: z.ZodType<string>) {
  return z.preprocess((value) => (value === undefined ? [] : [value].flat()), z.array(one).max(100));
}

/** @throws AppError `invalid_request` for an account that isn't the user's */
async function accountsOf(
  { accounts }: ConsentPagesDeps,
  userId: string,
  ticked: readonly string[],
  later: boolean,
): Promise<Pick<Consent, 'accountIds' | 'exceptAccountIds'>> {
  const own = (await accounts(userId)).map(({ id }) => id);
  if (!ticked.every((id) => own.includes(id))) throw new AppError('invalid_request', 'accounts: no such account is connected.');
  if (!later) return { accountIds: ticked, exceptAccountIds: [] };
  return { accountIds: null, exceptAccountIds: own.filter((id) => !ticked.includes(id)) };
}

/** @param chosen by the user; left out: nothing yet */
async function questionPage(
  deps: ConsentPagesDeps,
  user: FirstParty,
  pending: PendingConsent,
  chosen?: Chosen,
  problem?: ConsentProblem,
): Promise<Reply<never>> {
  const { consentPage, usual } = await loadPages();
  const { interaction, name, host, isUnreachable, target, scopes } = pending;
  const offered = { agents: deps.consents.agents(), accounts: await deps.accounts(user.userId) };
  const question = {
    user,
    uid: interaction.uid,
    name,
    host,
    isUnreachable,
    chosen: chosen ?? usual(offered),
    target,
    mayWrite: scopes.includes('write'),
    ...offered,
  };
  return { page: consentPage(question, problem), status: problem === undefined ? 200 : 400 };
}

/** @param continueAt where the browser gets the answer; undefined: the app has it */
async function decided(user: FirstParty, continueAt: string | undefined, host?: string): Promise<Reply<never>> {
  const { decidedPage } = await loadPages();
  return { page: decidedPage(user, continueAt === undefined ? undefined : { url: continueAt, host }) };
}

/** Consent is given on a page, by the user who sees it. @throws AppError `forbidden` */
function assertSession({ session }: FirstParty): void {
  if (session === undefined) throw new AppError('forbidden', 'Sign in to the service’s own pages to decide this.');
}
