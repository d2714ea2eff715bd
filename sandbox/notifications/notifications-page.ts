import { sandboxNotifications as texts } from '../../public/language/en/sandbox.js';
import { english } from '../../public/language/english.js';
import { html, type SafeHtml } from '../../src/http/pages/html.ts';
import { sandboxPage } from '../sandbox-page.ts';
import type { CaughtMail } from './mail-catcher.ts';
import type { PushedMessage } from './push-service.ts';
import type { ReceivedWebhook } from './webhook-receiver.ts';

interface Shown {
  mails: readonly CaughtMail[];
  pushes: readonly PushedMessage[];
  webhooks: readonly ReceivedWebhook[];
  /** Only its own links can be followed. */
  publicUrl: string;
}

const MOST = 30;
const ADDRESS = /(https?:\/\/[^\s<>"]+)/;

/** The page of what the service has sent, the newest first. */
export function notificationsPage({ mails, pushes, webhooks, publicUrl }: Shown): string {
  return sandboxPage(
    texts.title,
    html`<p>${texts.lead}</p>
<h2>${texts.mails}</h2>
${list(
  mails,
  ({ at, from, to, subject, text }) => html`<h3>${subject}</h3>
<p class="muted">${time(at)} · ${from} → ${to.join(', ')}</p>
<p class="message">${linked(text, publicUrl)}</p>`,
)}
<h2>${texts.pushes}</h2>
${list(
  pushes,
  ({ at, payload }) => html`<p class="muted">${time(at)}</p>
<pre>${JSON.stringify(payload, null, 2)}</pre>`,
)}
<h2>${texts.webhooks}</h2>
${list(
  webhooks,
  ({ at, name, body, verified }) => html`<p class="muted">${time(at)} · ${name} · ${texts.signature(verified)}</p>
<pre>${body}</pre>`,
)}`,
  );
}

function list<Item>(items: readonly Item[], shown: (item: Item) => SafeHtml): SafeHtml {
  if (items.length === 0) return html`<p>${texts.none}</p>`;
  return html`${items
    .slice(-MOST)
    .toReversed()
    .map((item) => html`<article>${shown(item)}</article>\n`)}`;
}

function time(at: string): SafeHtml {
  return html`<time>${texts.inUtc(english.dateTime(at))}</time>`;
}

function linked(text: string, publicUrl: string): SafeHtml {
  const own = new URL(publicUrl).origin;
  const parts = text.split(ADDRESS).map((part) => (URL.parse(part)?.origin === own ? html`<a href="${part}">${part}</a>` : html`${part}`));
  return html`${parts}`;
}
