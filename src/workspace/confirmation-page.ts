import { html, page } from '../http/html.ts';
import type { Confirmation } from './confirmation-service.ts';

/** Asks whether the person in front of the browser started this (contract: Binding). Plain forms, no script. */
export function confirmationPage({ user, account, form }: Confirmation): string {
  return page(
    'Confirm access',
    html`<h1>Give access to this account?</h1>
<p>Give <strong>${user}</strong> access to <strong>${account}</strong>?</p>
<p>Continue only if you started this.</p>
<form method="post" action="/auth/workspace/confirm">
<input type="hidden" name="confirmation" value="${form}">
<button class="button primary" type="submit" name="decision" value="confirm">Yes, I started this</button>
<button class="button" type="submit" name="decision" value="cancel">Cancel</button>
</form>
<p class="muted">Nothing is connected until you confirm.</p>`,
  );
}
