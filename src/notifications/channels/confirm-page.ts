import { addressConfirmation as words } from '../../../public/language/en/notifications.js';
import { html } from '../../http/pages/html.ts';
import type { Page, PageUser } from '../../http/pages/own-page.ts';
import { inline } from '../../http/pages/visible-text.ts';

/** Asks whether to send mail to an address. Opening it decides nothing: programs open links, too. */
export function askPage(user: PageUser, path: string, address: string): Page {
  const body = html`<h1>${words.heading}</h1>
<p>${words.may}<strong>${inline(address)}</strong>${words.when}</p>
<form method="post" action="${path}">
<input type="hidden" name="csrf" value="${user.session?.csrf}">
<button class="button primary" type="submit">${words.yes}</button>
</form>`;
  return { title: words.title, body, user };
}

export function confirmedPage(user: PageUser, address: string, home: string): Page {
  const body = html`<h1>${words.doneTitle}</h1>
<p class="outcome" role="status">${words.done}<strong>${inline(address)}</strong>.</p>
<p><a href="${home}">${words.back}</a></p>`;
  return { title: words.doneTitle, body, user };
}

/** For a link that was used or is too old, and for that of another user alike. */
export function endedLinkPage(user: PageUser, home: string): Page {
  const body = html`<h1>${words.endedTitle}</h1>
<p class="error" role="status">${words.ended}</p>
<p><a href="${home}">${words.back}</a></p>`;
  return { title: words.endedTitle, body, user };
}
