import { type Response, Router, urlencoded } from 'express';
import { z } from 'zod';
import { workspaceConsent as texts } from '../../public/language/en/sandbox.js';
import { AppError } from '../../src/errors.ts';
import { leadOn } from '../../src/http/middleware/lead-on.ts';
import { PAGE_POLICY } from '../../src/http/pages/html.ts';
import { checkedValues, errorPage } from '../sandbox-page.ts';
import type { PendingRequest } from './workspace-consent.ts';
import { consentPage } from './workspace-pages.ts';
import type { WorkspaceProvider } from './workspace-provider.ts';

// Forms send an empty text field as ''.
const filled = z
  .string()
  .max(1_024)
  .optional()
  .transform((value) => value?.trim() || undefined);
const decision = z.object({
  request: z.string(),
  decision: z.enum(['allow', 'deny']),
  account: filled,
  other_account: filled,
  scope: checkedValues(50),
});

/** The authorization endpoint and its consent page, mounted at /sandbox/workspace. */
export function consentRoutes(provider: WorkspaceProvider): Router {
  const router = Router();
  const show = (response: Response, status: number, html: string) => {
    response.status(status).set('Content-Security-Policy', PAGE_POLICY).type('html').send(html);
  };
  const ask = (response: Response, pending: PendingRequest, wrongAccount: boolean) => {
    show(response, wrongAccount ? 400 : 200, consentPage(pending, provider.grants.accounts, wrongAccount));
  };

  router.get('/auth', (request, response) => {
    try {
      ask(response, provider.desk.open(request.query), false);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      show(response, error.status, errorPage(texts.blocked, error.message));
    }
  });

  router.post('/consent', urlencoded({ extended: false, limit: '16kb' }), async (request, response) => {
    const form = decision.safeParse(request.body);
    if (!form.success) return show(response, 400, errorPage(texts.blocked, texts.incomplete));
    const { request: id, decision: chosen, account, other_account: otherAccount, scope: scopes } = form.data;
    const decided = provider.desk.decide(id, { allow: chosen === 'allow', account, otherAccount, scopes });
    if (decided.kind === 'gone') return show(response, 400, errorPage(texts.blocked, texts.gone));
    if (decided.kind === 'wrong_account') return ask(response, decided.pending, true);
    await leadOn(response, decided.location);
  });
  return router;
}
