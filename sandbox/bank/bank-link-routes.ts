import { type Response, Router, urlencoded } from 'express';
import { z } from 'zod';
import { bankLink as texts } from '../../public/language/en/sandbox.js';
import { leadOn } from '../../src/http/middleware/lead-on.ts';
import { isLoopbackOrigin } from '../guard.ts';
import { checkedValues, errorPage } from '../sandbox-page.ts';
import { type AccountsView, accountsPage, bankPage, donePage } from './bank-link-pages.ts';
import type { LinkResult, Links } from './bank-links.ts';
import type { LinkSession, ReturnTarget } from './bank-state.ts';

const PAGE_PATH = '/sandbox/bank/link';
const query = z.object({
  link_token: z.string().max(200),
  redirect_uri: z.string().max(2_000).optional(),
  origin: z.string().max(300).optional(),
});
const decision = z.object({
  link_token: z.string().max(200),
  step: z.enum(['bank', 'accounts']),
  decision: z.enum(['continue', 'back', 'cancel']),
  institution: z.string().optional(),
  account: checkedValues(20),
});
type Decision = z.output<typeof decision>;

export interface LinkRoutesOptions {
  links: Links;
  publicOrigin: string;
  allowedOrigins: readonly string[];
}

/** The Link page, in plain forms, mounted at /sandbox/bank. */
export function bankLinkRoutes(options: LinkRoutesOptions): Router {
  const { links } = options;
  const router = Router();

  router.get('/link', (request, response) => {
    const given = query.safeParse(request.query);
    const session = given.success ? links.open(given.data.link_token) : undefined;
    const target = given.success ? returnTarget(given.data, options) : undefined;
    if (!given.success || session === undefined) showError(response);
    else if (target === undefined) showError(response, texts.unknownOrigin);
    else {
      links.returnTo(session, target);
      showStep(links, response, session, given.data.link_token);
    }
  });

  router.post('/link', urlencoded({ extended: false, limit: '16kb' }), async (request, response) => {
    const form = decision.safeParse(request.body);
    const session = form.success ? links.open(form.data.link_token) : undefined;
    if (!form.success || session === undefined) showError(response);
    else if (form.data.decision === 'cancel') await end(response, session, links.cancel(session));
    else if (form.data.step === 'bank' || form.data.decision === 'back') await chooseBank(links, response, session, form.data);
    else await chooseAccounts(links, response, session, form.data);
  });
  return router;
}

/** Chooses a bank, or returns to the choice. Redirects afterwards, so that reloading submits nothing again. */
async function chooseBank(links: Links, response: Response, session: LinkSession, form: Decision): Promise<void> {
  const bank = form.decision === 'back' ? null : links.banksFor(session).find(({ id }) => id === form.institution);
  if (bank === undefined) {
    showStep(links, response, session, form.link_token, texts.noBank);
    return;
  }
  links.chooseBank(session, bank);
  await redirect(response, pageAddress(form.link_token, session.returnTo));
}

async function chooseAccounts(links: Links, response: Response, session: LinkSession, form: Decision): Promise<void> {
  const bank = links.bankOf(session);
  const chosen = (bank?.accounts ?? []).map(({ key }) => key).filter((key) => form.account.includes(key));
  const needed = session.update === null || session.update.selectAccounts;
  // A form submitted after "Another bank" names accounts of no chosen bank.
  if (bank === undefined) showStep(links, response, session, form.link_token, texts.noBank);
  else if (needed && chosen.length === 0) showStep(links, response, session, form.link_token, texts.noAccount);
  else await end(response, session, links.complete(session, bank, chosen));
}

function showStep(links: Links, response: Response, session: LinkSession, token: string, problem?: string): void {
  const bank = links.bankOf(session);
  const status = problem === undefined ? 200 : 400;
  const step = { session, token, problem };
  show(response, status, bank === undefined ? bankPage(step, links.banksFor(session)) : accountsStep(links, { ...step, bank }));
}

function accountsStep(links: Links, step: Omit<AccountsView, 'ticked'>): string {
  // After "choose at least one", the boxes stay unchecked.
  return accountsPage({ ...step, ticked: step.problem === undefined ? links.ticked(step.session, step.bank) : [] });
}

async function end(response: Response, { returnTo }: LinkSession, result: LinkResult): Promise<void> {
  if (returnTo.redirectUri === null) {
    show(response, 200, donePage(result, returnTo.origin));
    return;
  }
  const location = new URL(returnTo.redirectUri);
  location.searchParams.set('outcome', result.outcome);
  if (result.publicToken !== null) location.searchParams.set('public_token', result.publicToken);
  await redirect(response, location.href);
}

/** The policies are needed here, too, because a popup loses its opener at any step without them. */
function redirect(response: Response, location: string): Promise<void> {
  return leadOn(pageHeaders(response), location);
}

function showError(response: Response, reason = texts.unknownToken): void {
  show(response, 400, errorPage(texts.failed, reason));
}

function show(response: Response, status: number, html: string): void {
  pageHeaders(response).status(status).type('html').send(html);
}

function pageHeaders(response: Response): Response {
  return response.set({
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    // A popup of another origin must keep its opener, which receives the result.
    'Cross-Origin-Opener-Policy': 'unsafe-none',
    'Content-Security-Policy':
      "default-src 'none'; style-src 'self'; img-src data:; script-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  });
}

function pageAddress(token: string, { redirectUri, origin }: ReturnTarget): string {
  const parameters = new URLSearchParams({ link_token: token, origin });
  if (redirectUri !== null) parameters.set('redirect_uri', redirectUri);
  return `${PAGE_PATH}?${parameters}`;
}

/** Where the result is sent; undefined when the requested address is not allowed. */
function returnTarget(given: z.output<typeof query>, options: LinkRoutesOptions): ReturnTarget | undefined {
  const origin = given.origin ?? options.publicOrigin;
  if (URL.parse(origin)?.origin !== origin || !isAllowed(origin, options)) return undefined;
  if (given.redirect_uri === undefined) return { redirectUri: null, origin };
  const redirect = URL.parse(given.redirect_uri);
  if (redirect === null || redirect.username !== '' || redirect.password !== '' || !isAllowed(redirect.origin, options)) return undefined;
  return { redirectUri: redirect.href, origin };
}

function isAllowed(origin: string, { publicOrigin, allowedOrigins }: LinkRoutesOptions): boolean {
  return origin === publicOrigin || allowedOrigins.includes(origin) || isLoopbackOrigin(origin);
}
