import type { Response } from 'express';
import { pages } from '../../../public/language/en/pages.js';
import type { FirstParty } from '../../principal.ts';
import { html, htmlDocument, ICON, PAGE_POLICY, type SafeHtml } from './html.ts';
import { inline } from './visible-text.ts';

/** Who looks at a page. */
export type PageUser = Pick<FirstParty, 'label' | 'session'>;

/** A page of the service's own. */
export interface Page {
  title: string;
  body: SafeHtml;
  /** Whom its header names, with the way out of a session; left out: nobody is signed in. */
  user?: PageUser | undefined;
}

/** What the service's own pages say of it: `app.locals.site`. */
export interface Site {
  /** Of PUBLIC_URL, so that a person can check whose page asks. */
  host: string;
  /** Path of the page that people start from. */
  home: string;
}

export function siteOf(response: Response): Site {
  return response.app.locals.site as Site;
}

/** Sends a page under the header of the service's own pages. */
export function sendPage(response: Response, page: Page, status = 200): void {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('content-security-policy', PAGE_POLICY);
  response
    .status(status)
    .type('html')
    .send(ownDocument(page, siteOf(response).host));
}

function ownDocument({ title, body, user }: Page, host: string): string {
  const framed = html`<header class="whose">
<img src="/assets/favicon.svg" alt="" width="32" height="32">
<p><strong>${pages.name}</strong>${pages.at}<strong>${host}</strong></p>${user && html`\n${signedIn(user)}`}
</header>
<main>
${body}
</main>${user?.session && html`\n${signOutForm(user.session.csrf)}`}`;
  return htmlDocument(pages.title(title, host), framed, ICON);
}

/** Who is signed in, and the way out. */
function signedIn({ label, session }: PageUser): SafeHtml {
  const button = session !== undefined && html`\n<button class="link" type="submit" form="sign-out">${pages.signOut}</button>`;
  return html`<div class="signed-in">
<p>${pages.signedInAs}${inline(label)}</p>${button}
</div>`;
}

/** Of the header's button. It is the last of a page's forms, so that the content's are counted from the first. */
function signOutForm(csrf: string): SafeHtml {
  return html`<form id="sign-out" method="post" action="/sign-out" hidden>
<input type="hidden" name="csrf" value="${csrf}">
</form>`;
}
