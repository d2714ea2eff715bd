import { html, page, type SafeHtml } from '../http/html.ts';
import type { Confirmation } from './confirmation-service.ts';

/** Asks whether the user of this browser started the flow (docs/decisions/0005). Plain forms, no script. */
export function confirmationPage({ user, account, form }: Confirmation): string {
  return page(
    'Confirm access',
    html`<h1>Give access to this account?</h1>
<p>Give <strong>${user}</strong> access to <strong>${account}</strong>?</p>
<p>Continue only if you started this.</p>
<div class="choices">
${decisionForm(form, 'confirm', 'button primary', 'Yes, I started this')}
${decisionForm(form, 'cancel', 'button', 'Cancel')}
</div>
<p class="muted">Nothing is connected until you confirm.</p>`,
  );
}

/** One form for each decision, so that the decision is a field and not the value of a button. */
function decisionForm(form: string, decision: 'confirm' | 'cancel', style: string, label: string): SafeHtml {
  return html`<form method="post" action="/auth/workspace/confirm">
<input type="hidden" name="confirmation" value="${form}">
<input type="hidden" name="decision" value="${decision}">
<button class="${style}" type="submit">${label}</button>
</form>`;
}
