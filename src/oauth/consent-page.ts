import type { FirstParty } from '../http/endpoint.ts';
import { html, page, type SafeHtml } from '../http/html.ts';
import { inline } from '../http/visible-text.ts';
import type { RedirectTarget } from './client-metadata.ts';

/** Days for which the user can permit a client something. */
export const DURATIONS = [1, 30, 90, 365] as const;
const USUAL_DURATION = 90;

export interface ConsentQuestion {
  user: Pick<FirstParty, 'label' | 'session'>;
  /** Id of the interaction. */
  uid: string;
  /** As the client states it; undefined: it has none. */
  name: string | undefined;
  /** Host of the client's id; undefined: it registered itself. */
  host: string | undefined;
  target: RedirectTarget;
  /** It asks for changes, too. */
  mayWrite: boolean;
  agents: readonly { name: string; description: string | undefined }[];
  accounts: readonly { id: string; label: string; provider: string }[];
}

/** Asks the user what a client may do. */
export function consentPage(question: ConsentQuestion, problem?: string): string {
  const { user, uid, name, target } = question;
  return page(
    'Connect an app',
    html`<h1>Connect an app?</h1>
${problem && html`<p class="error" role="alert">${inline(problem)}</p>\n`}<p class="summary">${name === undefined ? 'An app without a name' : inline(name)} asks for access to your accounts.</p>
${identityOf(question)}
${target.isLocal && html`<p class="warning">The access goes to a program on your computer (<strong>${inline(target.name)}</strong>). Every program there can pretend to be this one: continue only if you have just started the connection yourself.</p>\n`}<form method="post" action="/oauth/consent/${uid}">
<input type="hidden" name="csrf" value="${user.session?.csrf}">
${agentsOf(question)}
${accessOf(question)}
${accountsOf(question)}
<label for="days">For how long</label>
<select id="days" name="days">
${[USUAL_DURATION, ...DURATIONS.filter((days) => days !== USUAL_DURATION)].map((days) => html`<option value="${days}">${days === 1 ? '1 day' : `${days} days`}</option>\n`)}</select>
<div class="choices">
<button class="button primary" type="submit" name="decision" value="allow">Allow</button>
<button class="button" type="submit" name="decision" value="deny">Deny</button>
</div>
</form>
<p class="muted">You can end the access at any time. Steward still asks you before others see what the app does.</p>
<footer class="signed-in"><p class="muted">Signed in as ${inline(user.label)}.</p></footer>`,
  );
}

/** A page that only states something. */
export function noticePage(heading: string, text: string): string {
  return page(heading, html`<h1>${heading}</h1>\n<p class="outcome" role="status">${text}</p>`);
}

function identityOf({ host, target }: ConsentQuestion): SafeHtml {
  const who =
    host === undefined
      ? html`The app registered itself. Its name is what it says of itself, and nobody has checked it.`
      : html`The app is published at <strong>${inline(host)}</strong>, which is checked. Its name is what it says of itself.`;
  return html`<p>${who}</p>
<p>The access goes to <strong>${inline(target.name)}</strong>.</p>`;
}

function agentsOf({ agents }: ConsentQuestion): SafeHtml {
  return html`<fieldset>
<legend>What it may use</legend>
${agents.map(
  ({ name, description }) =>
    html`<label class="choice"><input type="checkbox" name="agent" value="${name}" checked> <strong>${name}</strong>${description && html` <span class="muted">${description}</span>`}</label>\n`,
)}</fieldset>`;
}

/** Reading is the default: a consent that is given without looking must not permit changes. */
function accessOf({ mayWrite }: ConsentQuestion): SafeHtml {
  if (!mayWrite) return html`<p>It asks to read only, and may change nothing.</p>\n<input type="hidden" name="access" value="read">`;
  return html`<fieldset>
<legend>What it may do</legend>
<label class="choice"><input type="radio" name="access" value="read" checked> Read only</label>
<label class="choice"><input type="radio" name="access" value="write"> Read, and make changes</label>
</fieldset>`;
}

function accountsOf({ accounts }: ConsentQuestion): SafeHtml {
  if (accounts.length === 0) return html`<input type="hidden" name="accounts" value="all">`;
  return html`<fieldset>
<legend>With which accounts</legend>
<label class="choice"><input type="radio" name="accounts" value="all" checked> All, also those that you connect later</label>
<label class="choice"><input type="radio" name="accounts" value="some"> Only these:</label>
${accounts.map(
  ({ id, label, provider }) =>
    html`<label class="choice"><input type="checkbox" name="account" value="${id}"> ${inline(label)} <span class="muted">${provider}</span></label>\n`,
)}</fieldset>`;
}
