import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { AgentAccountRow } from '../../executor/call/agent-accounts-repository.ts';
import { type Endpoint, endpoint, type Reply } from '../../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../../http/endpoints/endpoint-router.ts';
import type { FirstParty } from '../../principal.ts';
import { text, uuid } from '../../validation/validate.ts';
import { PATHS } from '../protocol.ts';
import { type Chosen, consentPage, DURATIONS, noticePage, USUAL } from './consent-page.ts';
import type { Consents, PendingConsent } from './consents.ts';

const params = z.object({ uid: z.string().regex(/^[\w-]{43}$/) });

export interface ConsentPagesDeps {
  consents: Consents;
  accounts(userId: string): Promise<readonly AgentAccountRow[]>;
}

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
      if ('answered' in pending) return decidedPage(pending.answered);
      if (pending.isDecided) return decidedPage(pending.interaction.returnTo);
      return questionPage(deps, caller, pending, USUAL);
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
      accounts: z.enum(['all', 'some']).default('some'),
      account: many(uuid),
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
      if ('answered' in pending) return pending.answered === undefined ? decidedPage(undefined) : { redirect: pending.answered };
      if (pending.isDecided) return { redirect: pending.interaction.returnTo };
      if (form.decision === 'deny') return { redirect: await consents.deny(pending) };
      // A ticked account overrides the radio button.
      const accounts = form.account.length > 0 ? 'some' : form.accounts;
      const accountIds = accounts === 'all' ? null : form.account;
      const { access, account, days, agent: agents } = form;
      const again = (problem: string) => questionPage(deps, caller, pending, { agents, access, accounts, account, days }, problem);
      if (agents.length === 0) return again('Tick at least one thing that the app may use, or deny it.');
      if (accountIds?.length === 0) return again('Tick at least one account, or select all of them.');
      const consent = { agents: form.agent, access: form.access, accountIds, days: form.days };
      return { redirect: await consents.allow(caller.userId, pending, consent) };
    },
  });
}

/** A field that a form may have several times. */
function many(one: z.ZodType<string>) {
  return z.preprocess((value) => (value === undefined ? [] : [value].flat()), z.array(one).max(100));
}

async function questionPage(
  deps: ConsentPagesDeps,
  user: FirstParty,
  pending: PendingConsent,
  chosen: Chosen,
  problem?: string,
): Promise<Reply<never>> {
  const { interaction, name, host, isUnreachable, target, scopes } = pending;
  const question = {
    user,
    uid: interaction.uid,
    name,
    host,
    isUnreachable,
    chosen,
    target,
    mayWrite: scopes.includes('write'),
    agents: deps.consents.agents(),
    accounts: await deps.accounts(user.userId),
  };
  const status = problem === undefined ? 200 : 400;
  return { page: consentPage(question, problem), status };
}

/** @param continueAt where the browser gets the answer; undefined: the app has it */
function decidedPage(continueAt: string | undefined): Reply<never> {
  return { page: noticePage('Decided', 'You have decided this already. Go back to the app.', continueAt) };
}

/** Consent is given on a page, by the user who sees it. @throws AppError `forbidden` */
function assertSession({ session }: FirstParty): void {
  if (session === undefined) throw new AppError('forbidden', 'Sign in to the service’s own pages to decide this.');
}
