import { html, type SafeHtml } from '../http/pages/html.ts';
import type { Page } from '../http/pages/own-page.ts';
import { inline } from '../http/pages/visible-text.ts';
import type { Confirmation } from './confirmation-service.ts';

/** Asks whether the user of this browser started the flow (docs/decisions/0007-identity-and-browsers.md). Plain forms, no script. */
export function confirmationPage({ user, account, form }: Confirmation): Page {
  return {
    title: 'Confirm access',
    body: html`<h1>Connect this account?</h1>
<p>${question(user, account)}</p>
<p>Continue only if you started this.</p>
<div class="choices">
${decisionForm(form, 'confirm', 'button primary', 'Yes, I started this')}
${decisionForm(form, 'cancel', 'button', 'Cancel')}
</div>
<p class="muted">Nothing is connected until you confirm.</p>`,
  };
}

/** People often sign in with the address of the account that they connect. */
function question(user: string, account: string): SafeHtml {
  const name = html`Connect the workspace account <strong>${inline(account)}</strong>`;
  return user === account
    ? html`${name} to the Steward user with the same address?`
    : html`${name} to the Steward user <strong>${inline(user)}</strong>?`;
}

/** One form for each decision, so that the decision is a field and not the value of a button. */
function decisionForm(form: string, decision: 'confirm' | 'cancel', style: string, label: string): SafeHtml {
  return html`<form method="post" action="/auth/workspace/confirm">
<input type="hidden" name="confirmation" value="${form}">
<input type="hidden" name="decision" value="${decision}">
<button class="${style}" type="submit">${label}</button>
</form>`;
}
