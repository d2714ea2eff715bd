import { groupName } from '../../../public/language/en/actions.js';
import { consent as words } from '../../../public/language/en/consent.js';
import { html, type SafeHtml } from '../../http/pages/html.ts';
import type { Page, PageUser } from '../../http/pages/own-page.ts';
import { inline, quotation } from '../../http/pages/visible-text.ts';
import { type WayOn, wayOn } from '../../http/pages/way-on.ts';
import type { RedirectTarget } from '../clients/client-metadata.ts';
import { DURATIONS } from './consents.ts';

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
  agents: readonly { name: string; description: string | undefined; isFinancial: boolean }[];
  accounts: readonly { id: string; label: string; provider: string }[];
  chosen: Chosen;
}

/** What is missing in a consent. */
export type ConsentProblem = 'noAgent' | 'noAccount';

/** What is selected on the page. */
export interface Chosen {
  agents: readonly string[];
  access: 'read' | 'write';
  /** Ids. */
  account: readonly string[];
  /** Also accounts that the user connects later. */
  later: boolean;
  days: number;
}

/**
 * What a consent that is given without looking permits: to read, and nothing of a bank. Who has no account yet can only mean
 * later ones.
 */
export function usual({ agents, accounts }: Pick<ConsentQuestion, 'agents' | 'accounts'>): Chosen {
  const harmless = accounts.filter(({ provider }) => provider !== 'bank');
  return {
    agents: agents.filter(({ isFinancial }) => !isFinancial).map(({ name }) => name),
    access: 'read',
    account: harmless.map(({ id }) => id),
    later: accounts.length === 0,
    days: 90,
  };
}

/** Asks the user what a client may do. */
export function consentPage(question: ConsentQuestion, problem?: ConsentProblem): Page {
  const { user, uid, name, target, chosen } = question;
  const durations = DURATIONS.map(
    (days) => html`<option value="${days}"${days === chosen.days && html` selected`}>${words.days(days)}</option>\n`,
  );
  const body = html`<h1>${words.heading}</h1>
${problem && html`<p class="error" role="alert">${words[problem]}</p>\n`}<p class="summary">${name === undefined ? words.nameless : quotation(name)}${words.asks}</p>
${identityOf(question)}
${target.isLocal && html`<p class="warning">${words.localWarning}</p>\n`}<form method="post" action="/oauth/consent/${uid}">
<input type="hidden" name="csrf" value="${user.session?.csrf}">
${agentsOf(question)}
${accessOf(question)}
${accountsOf(question)}
<label for="days">${words.duration}</label>
<select id="days" name="days">
${durations}</select>
<div class="choices">
<button class="button primary" type="submit" name="decision" value="allow">${words.allow}</button>
<button class="button" type="submit" name="decision" value="deny">${words.deny}</button>
</div>
</form>
<p class="muted">${words.afterwards}</p>`;
  return { title: words.title, body, user };
}

/** The page of a request that has been decided. @param back where the app gets the answer; undefined: it has it */
export function decidedPage(user: PageUser, back: WayOn | undefined): Page {
  const body = html`<h1>${words.decided}</h1>
<p class="outcome" role="status">${words.decidedAlready}</p>
${wayOn(back)}`;
  return { title: words.decided, body, user };
}

/** What the app is, before any warning: where it runs, and who vouches for it. */
function identityOf({ host, isUnreachable, target }: ConsentQuestion): SafeHtml {
  const where = html`<strong>${inline(target.name)}</strong>`;
  return html`<p>${target.isLocal ? html`${words.runsHere} (${where}).` : html`${words.runsAt}${where}.`}</p>
<p>${whoOf(host, isUnreachable)}</p>`;
}

function whoOf(host: string | undefined, isUnreachable: boolean): SafeHtml {
  if (isUnreachable) return html`${words.unreachable}`;
  if (host === undefined) return html`${words.selfRegistered}`;
  return html`${words.publishedAt}<strong>${inline(host)}</strong>${words.verified}`;
}

function agentsOf({ agents, chosen }: ConsentQuestion): SafeHtml {
  const entries = agents.map(({ name, description }) => {
    const about = html`<strong>${groupName(name)}</strong>${description && html` <span class="muted">${description}</span>`}`;
    return choice({ type: 'checkbox', name: 'agent', value: name, isChosen: chosen.agents.includes(name) }, about);
  });
  return html`<fieldset>
<legend>${words.agents}</legend>
${entries}</fieldset>`;
}

function accessOf({ mayWrite, chosen: { access } }: ConsentQuestion): SafeHtml {
  if (!mayWrite) return html`<p>${words.readsOnly}</p>\n<input type="hidden" name="access" value="read">`;
  const radio = (value: 'read' | 'write') => ({ type: 'radio', name: 'access', value, isChosen: access === value }) as const;
  return html`<fieldset>
<legend>${words.access}</legend>
${choice(radio('read'), html`${words.read} <span class="muted">${words.readMeans}</span>`)}${choice(radio('write'), html`${words.write}`)}</fieldset>`;
}

function accountsOf({ accounts, chosen }: ConsentQuestion): SafeHtml {
  const entries = accounts.map(({ id, label, provider }) => {
    const about = html`${inline(label)} <span class="muted">${words.kinds[provider] ?? provider}</span>`;
    return choice({ type: 'checkbox', name: 'account', value: id, isChosen: chosen.account.includes(id) }, about);
  });
  return html`<fieldset>
<legend>${words.accounts}</legend>
${entries}${choice({ type: 'checkbox', name: 'later', value: 'true', isChosen: chosen.later }, html`${words.later}`)}</fieldset>`;
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
