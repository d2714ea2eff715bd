import type { Response } from 'express';
import { prefersPage } from './error-handler.ts';

/**
 * Leads the client of a response on to another address. Browsers apply a page's `form-action` to every redirect that
 * follows its form, and what an address of others redirects to is not known here: a browser that has posted a form gets
 * a page which navigates, and its redirects are those of no form.
 *
 * @param target an address of this service, or an absolute one of http or https
 */
export async function leadOn(response: Response, target: string, status: 302 | 303 = 303): Promise<void> {
  if (response.req.method === 'POST' && prefersPage(response.req)) {
    await sendLeadingPage(response, target, 200);
    return;
  }
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
  // No body: Express would write the target, with the secrets in its query, into a page.
  response.status(status).setHeader('location', target);
  response.end();
}

/**
 * Sends a page that navigates to the target, as {@link leadOn} takes it.
 *
 * @param status 403: what was posted is refused, and where it leads the user can do it anew
 * @throws Error for a target of another scheme
 */
export async function sendLeadingPage(response: Response, target: string, status: 200 | 403): Promise<void> {
  const { leadingPage } = await import('../pages/leading-page.ts');
  const { document, policy } = leadingPage(target);
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('content-security-policy', policy);
  response.status(status).type('html').send(document);
}
