import type { FirstParty } from '../../principal.ts';
import { html, type SafeHtml } from '../pages/html.ts';
import { inline } from '../pages/visible-text.ts';

/** Who is signed in at a page of the service's own, and the way out. */
export function signedInFooter({ label, session }: Pick<FirstParty, 'label' | 'session'>): SafeHtml {
  const form =
    session !== undefined &&
    html`<form method="post" action="/sign-out">
<input type="hidden" name="csrf" value="${session.csrf}">
<button class="button" type="submit">Sign out</button>
</form>`;
  return html`<footer class="signed-in">
<p class="muted">Signed in as ${inline(label)}.</p>
${form}
</footer>`;
}
