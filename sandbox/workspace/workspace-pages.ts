import { pages } from '../../public/language/en/pages.js';
import { workspaceConsent as texts } from '../../public/language/en/sandbox.js';
import { html, type SafeHtml } from '../../src/http/pages/html.ts';
import { emailAddress } from '../../src/validation/validate.ts';
import { describeScope, OPENID } from '../consent-scopes.ts';
import { alert, choice, sandboxPage } from '../sandbox-page.ts';
import type { Account } from '../workspace-accounts.ts';
import type { PendingRequest } from './workspace-consent.ts';

/** Tests create any number of accounts; the page lists the first ones. */
const LISTED_ACCOUNTS = 12;

/**
 * The consent page: account, scopes, Allow and Deny, in plain forms.
 *
 * @param wrongAccount the previous submission named no valid account
 */
export function consentPage(pending: PendingRequest, accounts: readonly Account[], wrongAccount: boolean): string {
  const known = accounts.slice(0, LISTED_ACCOUNTS).map((account) => ({ email: account.email, name: account.name }));
  const hint = emailAddress.safeParse(pending.login_hint);
  const hinted = hint.success ? hint.data.toLowerCase() : undefined;
  if (hinted !== undefined && known.every(({ email }) => email !== hinted)) known.unshift({ email: hinted, name: '' });
  const chosen = hinted ?? known[0]?.email;
  return sandboxPage(
    texts.title,
    html`<p><strong>${pages.name}</strong>${texts.asks}</p>
${alert(wrongAccount && texts.wrongAccount)}
<form method="post" action="/sandbox/workspace/consent" class="consent">
<input type="hidden" name="request" value="${pending.id}">
<fieldset>
<legend>${texts.account}</legend>
${known.map((account, index) => accountChoice(account, index, account.email === chosen))}
<label for="other">${texts.other}</label>
<input id="other" type="email" name="other_account" maxlength="254" autocomplete="off" placeholder="${texts.example}" value="${hint.success ? '' : (pending.login_hint ?? '')}">
</fieldset>
<fieldset>
<legend>${texts.may}</legend>
${pending.scope.filter((scope) => scope !== OPENID).map(scopeChoice)}
</fieldset>
<div class="actions">
<button class="button primary" name="decision" value="allow">${texts.allow}</button>
<button class="button" name="decision" value="deny" formnovalidate>${texts.deny}</button>
</div>
</form>`,
  );
}

function accountChoice({ email, name }: Pick<Account, 'email' | 'name'>, index: number, checked: boolean): SafeHtml {
  const label = html`${name !== '' && html`${name} `}<span class="muted">${email}</span>`;
  return choice(`account-${index}`, { type: 'radio', name: 'account', value: email, checked }, label);
}

function scopeChoice(scope: string, index: number): SafeHtml {
  const label = html`${describeScope(scope)}<br><code>${scope.slice(scope.lastIndexOf('/') + 1)}</code>`;
  return choice(`scope-${index}`, { type: 'checkbox', name: 'scope', value: scope, checked: true }, label);
}
