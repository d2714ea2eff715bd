import { confirmation as words } from '../../public/language/en/pages.js';
import { html, type SafeHtml } from '../http/pages/html.ts';
import type { Page } from '../http/pages/own-page.ts';
import { inline } from '../http/pages/visible-text.ts';
import type { Confirmation } from './confirmation-service.ts';

/** Asks whether the user of this browser started the flow (docs/decisions/0007-identity-and-browsers.md). Plain forms, no script. */
export function confirmationPage({ user, account, form, path, source }: Confirmation): Page {
  return {
    title: words.title,
    body: html`<h1>${words.heading}</h1>
<p>${question(user, account, source !== null)}</p>
<p>${words.only}</p>
<div class="choices">
${decisionForm(path, form, 'confirm', 'button primary', words.yes)}
${decisionForm(path, form, 'cancel', 'button', words.no)}
</div>
<p class="muted">${words.until}</p>`,
  };
}

/** People often sign in with the address of the account that they connect. */
function question(user: string, account: string, isSource: boolean): SafeHtml {
  const name = html`${isSource ? words.connectSource : words.connect}<strong>${inline(account)}</strong>`;
  return user === account ? html`${name}${words.toSame}` : html`${name}${words.toUser}<strong>${inline(user)}</strong>?`;
}

/** One form for each decision, so that the decision is a field and not the value of a button. */
function decisionForm(path: string, form: string, decision: 'confirm' | 'cancel', style: string, label: string): SafeHtml {
  return html`<form method="post" action="${path}">
<input type="hidden" name="confirmation" value="${form}">
<input type="hidden" name="decision" value="${decision}">
<button class="${style}" type="submit">${label}</button>
</form>`;
}
