import { html, page, type SafeHtml } from '../../src/http/html.ts';
import { emailAddress } from '../../src/validation/validate.ts';
import { describeScope, OPENID } from '../consent-scopes.ts';
import type { Account } from '../workspace-accounts.ts';
import type { PendingRequest } from './workspace-consent.ts';

const STYLE = html`<link rel="stylesheet" href="/sandbox/assets/sandbox.css">
<p class="banner">Sandbox: a local emulator, nothing here is real.</p>`;
/** Tests create any number of accounts; the page lists the first ones. */
const LISTED_ACCOUNTS = 12;

export interface ConsentView {
  pending: PendingRequest;
  accounts: readonly Account[];
  /** The previous submission named no valid account. */
  wrongAccount: boolean;
}

/** The consent page: account, scopes, Allow and Deny, in plain forms. */
export function consentPage({ pending, accounts, wrongAccount }: ConsentView): string {
  const known = accounts.slice(0, LISTED_ACCOUNTS).map((account) => ({ email: account.email, name: account.name }));
  const hint = emailAddress.safeParse(pending.loginHint);
  const hinted = hint.success ? hint.data.toLowerCase() : undefined;
  if (hinted !== undefined && known.every(({ email }) => email !== hinted)) known.unshift({ email: hinted, name: '' });
  const chosen = hinted ?? known[0]?.email;
  return page(
    'Connect a workspace account',
    html`${STYLE}
<h1>Connect a workspace account</h1>
<p><strong>Steward</strong> asks for access to a workspace account.</p>
${wrongAccount && html`<p class="error" role="alert">Choose an account or type a whole e-mail address.</p>`}
<form method="post" action="/sandbox/workspace/consent" class="consent">
<input type="hidden" name="request" value="${pending.id}">
<fieldset>
<legend>Account</legend>
${known.map((account, index) => accountChoice(account, index, account.email === chosen))}
<label for="other">Or another address (any is an account here)</label>
<input id="other" type="email" name="other_account" maxlength="254" autocomplete="off" placeholder="name@example.com" value="${hint.success ? '' : (pending.loginHint ?? '')}">
</fieldset>
<fieldset>
<legend>Steward may</legend>
${pending.scopes.filter((scope) => scope !== OPENID).map(scopeChoice)}
</fieldset>
<div class="actions">
<button class="button primary" name="decision" value="allow">Allow</button>
<button class="button" name="decision" value="deny" formnovalidate>Deny</button>
</div>
</form>`,
  );
}

function accountChoice(account: { email: string; name: string }, index: number, checked: boolean): SafeHtml {
  return html`<label class="choice" for="account-${index}">
<input id="account-${index}" type="radio" name="account" value="${account.email}"${checked && html` checked`}>
<span>${account.name !== '' && html`${account.name} `}<span class="muted">${account.email}</span></span>
</label>
`;
}

function scopeChoice(scope: string, index: number): SafeHtml {
  return html`<label class="choice" for="scope-${index}">
<input id="scope-${index}" type="checkbox" name="scope" value="${scope}" checked>
<span>${describeScope(scope)}<br><code>${scope.slice(scope.lastIndexOf('/') + 1)}</code></span>
</label>
`;
}

/** The page of a request that is invalid or was completed. */
export function errorPage(reason: string): string {
  return page(
    'Access blocked',
    html`${STYLE}
<h1>Access blocked</h1>
<p class="error">${reason}</p>
<p>Go back to the app and start again.</p>`,
  );
}
