import { html, type SafeHtml } from '../../src/http/html.ts';
import { alert, choice, sandboxPage } from '../sandbox-page.ts';
import type { LinkOutcome } from './bank-links.ts';
import type { LinkSession } from './bank-state.ts';
import type { SandboxAccount, SandboxInstitution } from './bank-world.ts';

interface StepView {
  session: LinkSession;
  /** The link token, which the form submits. */
  token: string;
  /** The error of the previous submission. */
  problem: string | undefined;
}

/** First step: which bank. */
export function bankPage({ session, token, problem }: StepView, banks: readonly SandboxInstitution[]): string {
  return sandboxPage(
    'Connect a bank',
    html`<p><strong>${session.clientName}</strong> asks for access to your bank accounts.</p>
${alert(problem)}
<form method="post" action="/sandbox/bank/link" class="consent">
${hidden(token, 'bank')}
<fieldset>
<legend>Bank</legend>
${banks.map((bank, index) => choice(`institution-${bank.id}`, { type: 'radio', name: 'institution', value: bank.id, checked: index === 0 }, bank.name))}
</fieldset>
${actions('Continue')}
</form>`,
  );
}

export interface AccountsView extends StepView {
  bank: SandboxInstitution;
  ticked: readonly string[];
}

/** Second step: which accounts. */
export function accountsPage({ session, token, problem, bank, ticked }: AccountsView): string {
  return sandboxPage(
    `Accounts at ${bank.name}`,
    html`<p>Which accounts may <strong>${session.clientName}</strong> see?</p>
${alert(problem)}
<form method="post" action="/sandbox/bank/link" class="consent">
${hidden(token, 'accounts')}
${accountChoices(bank, ticked)}
${actions(
  'Continue',
  html`<button class="button" name="decision" value="back">Another bank</button>
`,
)}
</form>`,
    bank.name,
  );
}

/** Update mode: log in again and, if requested, choose the accounts again. */
export function updatePage({ session, token, problem, bank, ticked }: AccountsView): string {
  return sandboxPage(
    `Log in to ${bank.name} again`,
    html`<p><strong>${session.clientName}</strong> asks you to log in to your bank again. Nothing else changes.</p>
${alert(problem)}
<form method="post" action="/sandbox/bank/link" class="consent">
${hidden(token, 'accounts')}
${session.update?.selectAccounts === true && accountChoices(bank, ticked)}
${actions('Log in again')}
</form>`,
    bank.name,
  );
}

/** The last page. Its script sends the outcome to the page that opened this one and closes it; without it, the token can be copied. */
export function donePage({ outcome, publicToken, institution }: LinkOutcome, origin: string): string {
  const title = { linked: 'Bank connected', updated: 'Logged in again', cancelled: 'Nothing was connected' }[outcome];
  return sandboxPage(
    title,
    html`<p role="status">${institution?.name ?? 'You can close this page and start again in the app.'}</p>
<p id="link-result" data-origin="${origin}" data-outcome="${outcome}" data-public-token="${publicToken}" data-institution-id="${institution?.institution_id}" data-institution-name="${institution?.name}">
${publicToken !== null ? html`Public token, valid once and for 30 minutes: <code>${publicToken}</code>` : 'You can close this page.'}
</p>
<script type="module" src="/sandbox/assets/sandbox-link.js"></script>`,
  );
}

function accountChoices(bank: SandboxInstitution, ticked: readonly string[]): SafeHtml {
  return html`<fieldset>
<legend>Accounts</legend>
${bank.accounts.map(({ key, name, mask }) => choice(`account-${key}`, { type: 'checkbox', name: 'account', value: key, checked: ticked.includes(key) }, accountLabel({ name, mask })))}
</fieldset>`;
}

function accountLabel({ name, mask }: Pick<SandboxAccount, 'name' | 'mask'>): SafeHtml {
  return html`${name}${mask !== null && html` <span class="muted">•••• ${mask}</span>`}`;
}

function hidden(token: string, step: 'bank' | 'accounts'): SafeHtml {
  return html`<input type="hidden" name="link_token" value="${token}">
<input type="hidden" name="step" value="${step}">`;
}

function actions(label: string, between?: SafeHtml): SafeHtml {
  return html`<div class="actions">
<button class="button primary" name="decision" value="continue">${label}</button>
${between}<button class="button" name="decision" value="cancel" formnovalidate>Cancel</button>
</div>`;
}
