import { randomUUID } from 'node:crypto';
import { json, type Response, Router, urlencoded } from 'express';
import { z } from 'zod';
import { identitySignIn } from '../../public/language/en/sandbox.js';
import { AppError } from '../../src/errors.ts';
import { leadOn } from '../../src/http/middleware/lead-on.ts';
import { PAGE_POLICY } from '../../src/http/pages/html.ts';
import { check, validate } from '../../src/validation/validate.ts';
import type { Controls } from '../controls.ts';
import { errorPage } from '../sandbox-page.ts';
import type { IdentityIssuer } from './identity-issuer.ts';
import { signInPage } from './sign-in-page.ts';

const signIn = z.object({
  user: z
    .string()
    .regex(/^[a-z0-9._-]{1,64}$/, 'must have 1 to 64 of the characters a-z 0-9 . _ -')
    .default('demo'),
});

/** The issuer's routes, mounted at /sandbox/identity. */
export function identityIssuerRoutes(issuer: IdentityIssuer, controls: Controls): Router {
  const router = Router();
  router.use(controls.intercept('identity'));
  router.get('/.well-known/openid-configuration', (_request, response) => {
    response.json(issuer.discovery);
  });
  router.get('/jwks.json', (_request, response) => {
    response.json(issuer.keySet);
  });
  router.post('/token', json({ limit: '10kb' }), urlencoded({ extended: false, limit: '10kb' }), async (request, response) => {
    response.set('Cache-Control', 'no-store');
    if (request.body?.grant_type === 'authorization_code') return exchange(issuer, request.body, response);
    const { user } = validate(signIn, request.body ?? {});
    response.json(await issuer.issue(user));
  });
  router.get('/authorize', async (request, response) => {
    await show(response, () => signInPage(issuer.authorization.parse(request.query)));
  });
  router.post('/authorize', urlencoded({ extended: false, limit: '10kb' }), async (request, response) => {
    await show(response, () => decide(issuer, request.body ?? {}, response));
  });
  return router;
}

/** The token endpoint's code grant (RFC 6749, 4.1.3). */
async function exchange(issuer: IdentityIssuer, form: Record<string, unknown>, response: Response): Promise<void> {
  const redeemed = issuer.authorization.redeem(form);
  if (redeemed === undefined) {
    response.status(400).json({ error: 'invalid_grant', error_description: 'The code is not valid.' });
    return;
  }
  const tokens = await issuer.issue(redeemed.user, redeemed.nonce);
  response.json({ ...tokens, access_token: randomUUID(), token_type: 'Bearer' });
}

/** Redirects after the user's decision. @returns the page again where the user's name is not valid */
async function decide(issuer: IdentityIssuer, form: Record<string, unknown>, response: Response): Promise<string | undefined> {
  const request = issuer.authorization.parse(form);
  const isCancelled = form.decision === 'cancel';
  const chosen = check(signIn, { user: form.other_user === '' || form.other_user === undefined ? form.user : form.other_user });
  if (!isCancelled && 'problem' in chosen) return signInPage(request, chosen.problem);
  const location = issuer.authorization.decide(request, isCancelled || 'problem' in chosen ? undefined : chosen.value.user);
  await leadOn(response, location);
  return undefined;
}

/** Sends a page, or that of the error. */
async function show(response: Response, make: () => string | Promise<string | undefined>): Promise<void> {
  let text: string | undefined;
  try {
    text = await make();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    response.status(error.status);
    text = errorPage(identitySignIn.failed, error.message);
  }
  if (text !== undefined) response.set('Content-Security-Policy', PAGE_POLICY).type('html').send(text);
}
