import { html, type SafeHtml } from '../../http/pages/html.ts';
import type { Page, PageUser } from '../../http/pages/own-page.ts';
import { inline, quotation } from '../../http/pages/visible-text.ts';
import type { RedirectTarget } from '../clients/client-metadata.ts';

/** Days for which the user can permit a client something. */
export const DURATIONS = [1, 30, 90, 365] as const;

export interface ConsentQuestion {
  user: PageUser;
  /** Id of the interaction. */
  uid: string;
  /** As the client states it; undefined: it has none. */
  name: string | undefined;
  /** Host of the client's id; undefined: it registered itself. */
  host: string | undefined;
  /** Its document could not be fetched. */
  isUnreachable: boolean;
  target: RedirectTarget;
  /** It asks for changes, too. */
  mayWrite: boolean;
  agents: readonly { name: string; description: string | undefined }[];
  accounts: readonly { id: string; label: string; provider: string }[];
  chosen: Chosen;
}

/** What is selected on the page. */
export interface Chosen {
  /** undefined: all. */
  agents: readonly string[] | undefined;
  access: 'read' | 'write';
  accounts: 'all' | 'some';
  /** Ids. */
  account: readonly string[];
  days: number;
}

/** Reading is the default: a consent that is given without looking must not permit changes. */
export const USUAL: Chosen = { agents: undefined, access: 'read', accounts: 'all', account: [], days: 90 };

/** Asks the user what a client may do. */
export function consentPage(question: ConsentQuestion, problem?: string): Page {
  const { user, uid, name, target, chosen } = question;
  const durations = DURATIONS.map((days) => {
    const label = days === 1 ? '1 day' : `${days} days`;
    return html`<option value="${days}"${days === chosen.days && html` selected`}>${label}</option>\n`;
  });
  return {
    title: 'Connect an app',
    user,
    body: html`<h1>Connect an app?</h1>
${problem && html`<p class="error" role="alert">${inline(problem)}</p>\n`}<p class="summary">${name === undefined ? 'An app without a name' : quotation(name)} asks for access to your accounts.</p>
${identityOf(question)}
${target.isLocal && html`<p class="warning">Access goes to a program on your computer (<strong>${inline(target.name)}</strong>). Any program there could use this name: continue only if you have just started this yourself.</p>\n`}<form method="post" action="/oauth/consent/${uid}">
<input type="hidden" name="csrf" value="${user.session?.csrf}">
${agentsOf(question)}
${accessOf(question)}
${accountsOf(question)}
<label for="days">For how long</label>
<select id="days" name="days">
${durations}</select>
<div class="choices">
<button class="button primary" type="submit" name="decision" value="allow">Allow</button>
<button class="button" type="submit" name="decision" value="deny">Deny</button>
</div>
</form>
<p class="muted">You can disconnect the app at any time. Calls that others would see, or that delete, still wait for your approval.</p>`,
  };
}

/** A page that only states something, with the way on, if there is one. */
export function noticePage(heading: string, text: string, continueAt: string | undefined): Page {
  const link = continueAt !== undefined && html`\n<p><a href="${continueAt}">Continue to the app</a></p>`;
  return { title: heading, body: html`<h1>${heading}</h1>\n<p class="outcome" role="status">${text}</p>${link}` };
}

function identityOf({ host, isUnreachable, target }: ConsentQuestion): SafeHtml {
  return html`<p>${whoOf(host, isUnreachable)}</p>
${!target.isLocal && html`<p>Access goes to <strong>${inline(target.name)}</strong>.</p>`}`;
}

function whoOf(host: string | undefined, isUnreachable: boolean): SafeHtml {
  if (isUnreachable) return html`Its publisher could not be reached, so nothing about the app has been verified.`;
  if (host === undefined) return html`The app registered itself. It chose its own name, which is not verified.`;
  return html`Published at <strong>${inline(host)}</strong>, which has been verified. The app chose its own name.`;
}

function agentsOf({ agents, chosen }: ConsentQuestion): SafeHtml {
  const entries = agents.map(({ name, description }) => {
    const isChosen = chosen.agents?.includes(name) ?? true;
    const about = html`<strong>${name}</strong>${description && html` <span class="muted">${description}</span>`}`;
    return choice({ type: 'checkbox', name: 'agent', value: name, isChosen }, about);
  });
  return html`<fieldset>
<legend>What it may use</legend>
${entries}</fieldset>`;
}

function accessOf({ mayWrite, chosen: { access } }: ConsentQuestion): SafeHtml {
  if (!mayWrite) return html`<p>It asks to read only, and may change nothing.</p>\n<input type="hidden" name="access" value="read">`;
  const radio = (value: 'read' | 'write') => ({ type: 'radio', name: 'access', value, isChosen: access === value }) as const;
  return html`<fieldset>
<legend>What it may do</legend>
${choice(radio('read'), html`Read only <span class="muted">It can’t create, change or send anything.</span>`)}${choice(radio('write'), html`Read, and make changes`)}</fieldset>`;
}

function accountsOf({ accounts, chosen }: ConsentQuestion): SafeHtml {
  if (accounts.length === 0) return html`<input type="hidden" name="accounts" value="all">`;
  const radio = (value: 'all' | 'some') => ({ type: 'radio', name: 'accounts', value, isChosen: chosen.accounts === value }) as const;
  const entries = accounts.map(({ id, label, provider }) => {
    const about = html`${inline(label)} <span class="muted">${provider}</span>`;
    return choice({ type: 'checkbox', name: 'account', value: id, isChosen: chosen.account.includes(id) }, about);
  });
  return html`<fieldset>
<legend>With which accounts</legend>
${choice(radio('all'), html`All, also those that you connect later`)}${choice(radio('some'), html`Only those that are ticked here:`)}${entries}</fieldset>`;
}

interface Field {
  type: 'checkbox' | 'radio';
  name: string;
  value: string;
  isChosen: boolean;
}

function choice({ type, name, value, isChosen }: Field, about: SafeHtml): SafeHtml {
  return html`<label class="choice"><input type="${type}" name="${name}" value="${value}"${isChosen && html` checked`}> <span>${about}</span></label>\n`;
}
