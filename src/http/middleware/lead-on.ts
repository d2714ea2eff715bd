import type { Response } from 'express';
import { pages } from '../../../public/language/en/pages.js';
import { html, htmlDocument, PAGE_POLICY } from '../pages/html.ts';
import { prefersPage } from './error-handler.ts';

/**
 * Leads the client of a response on to another address. Browsers apply a page's `form-action` to every redirect that
 * follows its form, and what an address of others redirects to is not known here: a browser that has posted a form gets
 * a page which navigates, and its redirects are those of no form.
 *
 * @param target an address of this service, or an absolute one of http or https
 */
export function leadOn(response: Response, target: string, status: 302 | 303 = 303): void {
  if (response.req.method === 'POST' && prefersPage(response.req)) {
    sendLeadingPage(response, target, 200);
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
export function sendLeadingPage(response: Response, target: string, status: 200 | 403): void {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('content-security-policy', PAGE_POLICY);
  response.status(status).type('html').send(leadingPage(target));
}

/** With a link for browsers that don't navigate. @throws Error for any other scheme */
function leadingPage(target: string): string {
  if (!/^(?:https?:\/\/|\/(?![/\\]))/i.test(target)) throw new Error('a page leads only to addresses of http and https');
  return htmlDocument(
    pages.lead,
    html`<main>
<h1>${pages.lead}</h1>
<p>${pages.leadHint}<a href="${target}">${pages.lead}</a></p>
</main>`,
    html`<meta http-equiv="refresh" content="0; url=${target}">\n`,
  );
}
