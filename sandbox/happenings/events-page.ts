import { sandboxEvents as texts } from '../../public/language/en/sandbox.js';
import { english } from '../../public/language/english.js';
import { html, type SafeHtml } from '../../src/http/pages/html.ts';
import { alert, sandboxPage } from '../sandbox-page.ts';

interface Button {
  label: string;
  /** The happening, with its fields. */
  what: string;
  fields: Record<string, string>;
  /** Fields of the form that it takes. */
  takes: readonly string[];
}

const HOUR_MS = 3_600_000;
const MAIL = ['email', 'from', 'subject', 'text'];
const ACCOUNT = ['email'];

/** The buttons by their names. */
export const BUTTONS: Readonly<Record<string, Button>> = {
  mail: { label: texts.mailArrives, what: 'mail', fields: {}, takes: MAIL },
  invoice: { label: texts.invoiceArrives, what: 'mail', fields: { template: 'invoice' }, takes: ACCOUNT },
  newsletter: { label: texts.newsletterArrives, what: 'mail', fields: { template: 'newsletter' }, takes: ACCOUNT },
  invitation: { label: texts.invitation, what: 'event', fields: {}, takes: ACCOUNT },
  soon: { label: texts.meetingSoon, what: 'event', fields: { starts_in_minutes: '20' }, takes: ACCOUNT },
  move: { label: texts.eventMoves, what: 'event', fields: { change: 'move' }, takes: ACCOUNT },
  file: { label: texts.fileShared, what: 'drive', fields: {}, takes: ACCOUNT },
  payment: { label: texts.payment, what: 'transaction', fields: {}, takes: [] },
  posted: { label: texts.posted, what: 'transaction', fields: { state: 'post' }, takes: [] },
  hour: { label: texts.hour, what: 'clock', fields: { advance_ms: String(HOUR_MS) }, takes: [] },
  tomorrow: { label: texts.tomorrow, what: 'clock', fields: { tomorrow_at: '08:00' }, takes: [] },
};

export interface EventsPageOptions {
  /** Addresses of connected accounts. */
  accounts: readonly string[];
  now: number;
  /** What the previous submission did. */
  done?: string | undefined;
  problem?: string;
}

/** The page whose buttons let something happen. */
export function eventsPage({ accounts, now, done, problem }: EventsPageOptions): string {
  return sandboxPage(
    texts.title,
    html`<p>${texts.lead}</p>
<p class="muted">${texts.now} <time>${texts.inUtc(english.dateTime(new Date(now).toISOString()))}</time>.</p>
${done !== undefined && html`<p role="status">${texts.done(done)}</p>`}
${alert(problem)}
<form class="consent" method="post" action="/sandbox/events">
${accounts.length === 0 ? html`<p>${texts.noAccount}</p>` : accountField(accounts)}
<fieldset>
<legend>${texts.mail}</legend>
${field('from', texts.from, 'email')}
${field('subject', texts.subject, 'text')}
<label for="text">${texts.text}</label>
<textarea id="text" name="text" rows="3"></textarea>
<p class="muted">${texts.empty}</p>
${buttons('mail', 'invoice', 'newsletter')}
</fieldset>
<fieldset>
<legend>${texts.calendar}</legend>
${buttons('invitation', 'soon', 'move', 'file')}
</fieldset>
<fieldset>
<legend>${texts.bank}</legend>
${buttons('payment', 'posted')}
</fieldset>
<fieldset>
<legend>${texts.clock}</legend>
<p class="muted">${texts.moves}</p>
${buttons('hour', 'tomorrow')}
</fieldset>
</form>
<p><a href="/sandbox/notifications">${texts.notifications}</a></p>`,
  );
}

function accountField(accounts: readonly string[]): SafeHtml {
  return html`<label for="email">${texts.account}</label>
<select id="email" name="email">${accounts.map((email) => html`<option>${email}</option>`)}</select>`;
}

function field(name: string, label: string, type: 'email' | 'text'): SafeHtml {
  return html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="off">`;
}

function buttons(...names: string[]): SafeHtml {
  const shown = names.map((name) => html`<button class="button" name="button" value="${name}">${BUTTONS[name]?.label ?? ''}</button>\n`);
  return html`<div class="actions">
${shown}</div>`;
}
