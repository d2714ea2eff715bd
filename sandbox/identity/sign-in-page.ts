import { sandbox, identitySignIn as texts } from '../../public/language/en/sandbox.js';
import { html } from '../../src/http/pages/html.ts';
import { alert, choice, sandboxPage } from '../sandbox-page.ts';
import type { AuthorizationRequest } from './identity-authorization.ts';

const USERS = ['demo', 'ana', 'ben'];

/** The issuer's sign-in: any user, without a password. Plain forms, no script. */
export function signInPage(request: AuthorizationRequest, problem?: string): string {
  const fields = Object.entries(request).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`);
  const users = USERS.map((user, index) =>
    choice(`user-${index}`, { type: 'radio', name: 'user', value: user, checked: index === 0 }, `${user}@example.com`),
  );
  return sandboxPage(
    texts.title,
    html`${alert(problem)}
<form class="consent" method="post" action="/sandbox/identity/authorize">
${fields}
<fieldset>
<legend>${texts.user}</legend>
${users}
<label for="other">${texts.other}</label>
<input id="other" name="other_user" autocomplete="off" autocapitalize="none" spellcheck="false">
</fieldset>
<div class="actions">
<button class="button primary" type="submit" name="decision" value="sign_in">${texts.signIn}</button>
<button class="button" type="submit" name="decision" value="cancel">${sandbox.cancel}</button>
</div>
</form>`,
  );
}
