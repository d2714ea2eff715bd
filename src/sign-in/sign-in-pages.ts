import { pages } from '../../public/language/en/pages.js';
import { html } from '../http/pages/html.ts';
import type { Page, PageUser } from '../http/pages/own-page.ts';
import { wayOn } from '../http/pages/way-on.ts';

/** After signing out. */
export function signedOutPage(): Page {
  const body = html`<h1>${pages.youAreSignedOut}</h1>
${wayOn(undefined)}
<p><a href="/sign-in">${pages.signInAgain}</a></p>`;
  return { title: pages.signedOut, body };
}

/** After a sign-in in a window of its own: it may have been as another user than the page beside expects. */
export function signedInPage(user: PageUser): Page {
  const body = html`<h1>${pages.youAreSignedIn}</h1>
${wayOn(undefined)}`;
  return { title: pages.signedIn, body, user };
}
