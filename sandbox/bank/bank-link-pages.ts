import { sandbox, bankLink as texts } from '../../public/language/en/sandbox.js';
import { html, type SafeHtml } from '../../src/http/pages/html.ts';
import { alert, choice, sandboxPage } from '../sandbox-page.ts';
import type { LinkResult } from './bank-links.ts';
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
export function bankPage(step: StepView, banks: readonly SandboxInstitution[]): string {
  const choices = banks.map((bank, index) =>
    choice(`institution-${bank.id}`, { type: 'radio', name: 'institution', value: bank.id, checked: index === 0 }, bank.name),
  );
  return sandboxPage(
    texts.title,
    html`<p><strong>${step.session.clientName}</strong>${texts.asks}</p>
${form(step, 'bank', fieldset(texts.bank, choices), texts.continue)}`,
  );
}

export interface AccountsView extends StepView {
  bank: SandboxInstitution;
  ticked: readonly string[];
}

/** Second step: which accounts. Update mode: log in again and, if requested, choose the accounts again. */
export function accountsPage({ bank, ticked, ...step }: AccountsView): string {
  const { clientName, update } = step.session;
  const choices = bank.accounts.map(({ key, name, mask }) =>
    choice(
      `account-${key}`,
      { type: 'checkbox', name: 'account', value: key, checked: ticked.includes(key) },
      accountLabel({ name, mask }),
    ),
  );
  const accounts = fieldset(texts.accounts, choices);
  if (update === null) {
    const back = html`<button class="button" name="decision" value="back">${texts.anotherBank}</button>
`;
    const content = html`<p>${texts.which[0]}<strong>${clientName}</strong>${texts.which[1]}</p>
${form(step, 'accounts', accounts, texts.continue, back)}`;
    return sandboxPage(texts.accountsAt(bank.name), content, bank.name);
  }
  const content = html`<p><strong>${clientName}</strong>${texts.asksAgain}</p>
${form(step, 'accounts', update.selectAccounts && accounts, texts.logInAgain)}`;
  return sandboxPage(texts.logInTo(bank.name), content, bank.name);
}

/**
 * The last page. Its script sends the result to the page that opened this one and closes it; otherwise the token can be
 * copied. The bank is connected only once the app has exchanged it.
 */
export function donePage({ outcome, publicToken, institution }: LinkResult, origin: string): string {
  const title = texts.outcomes[outcome];
  return sandboxPage(
    title,
    html`<p role="status">${institution?.name ?? texts.closeAndStart}</p>
<p id="link-result" data-origin="${origin}" data-outcome="${outcome}" data-public-token="${publicToken}" data-institution-id="${institution?.institution_id}" data-institution-name="${institution?.name}">
${publicToken !== null ? publicTokenText(publicToken) : texts.close}
</p>
<script type="module" src="/sandbox/assets/sandbox-link.js"></script>`,
  );
}

/** The button appears with the script. */
function publicTokenText(publicToken: string): SafeHtml {
  return html`${texts.token}<code>${publicToken}</code> <button class="button" type="button" id="copy-token" data-copied="${sandbox.copied}" data-not-copied="${sandbox.notCopied}" hidden>${sandbox.copy}</button>`;
}

function fieldset(legend: string, choices: readonly SafeHtml[]): SafeHtml {
  return html`<fieldset>
<legend>${legend}</legend>
${choices}
</fieldset>`;
}

function accountLabel({ name, mask }: Pick<SandboxAccount, 'name' | 'mask'>): SafeHtml {
  return html`${name}${mask !== null && html` <span class="muted">•••• ${mask}</span>`}`;
}

/** The form of a step. @param between a further button, before Cancel */
function form(
  { token, problem }: StepView,
  step: 'bank' | 'accounts',
  fields: SafeHtml | false,
  label: string,
  between?: SafeHtml,
): SafeHtml {
  return html`${alert(problem)}
<form method="post" action="/sandbox/bank/link" class="consent">
<input type="hidden" name="link_token" value="${token}">
<input type="hidden" name="step" value="${step}">
${fields}
<div class="actions">
<button class="button primary" name="decision" value="continue">${label}</button>
${between}<button class="button" name="decision" value="cancel" formnovalidate>${sandbox.cancel}</button>
</div>
</form>`;
}
