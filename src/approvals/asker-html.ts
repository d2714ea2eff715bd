import { QUESTION_PAGE as words } from '../../public/language/en/approvals.js';
import type { Formatter } from '../../public/language/formatter.js';
import type { LinkedPreview } from '../executor/executor.ts';
import { html, type SafeHtml } from '../http/pages/html.ts';
import { quotation } from '../http/pages/visible-text.ts';

type Asker = Pick<LinkedPreview, 'client' | 'thread' | 'automation'>;

/** Who asked, unless it was the user's own front end. A client's name may be what it calls itself. */
export function askedBy({ client, thread, automation }: Asker, formatter: Formatter): SafeHtml | undefined {
  if (client !== undefined) {
    const { name, kind, about } = client;
    const who = kind === 'oauth' ? words.askedByApp : words.askedByToken;
    return html`${who}${quotation(name)}.${about !== null && html` ${about}`}`;
  }
  if (automation !== undefined) {
    const { name, askedAt } = automation;
    const [who, named] = name === undefined ? [words.askedByAnAutomation, undefined] : [words.askedByAutomation, quotation(name)];
    return html`${who}${named}${words.askedOn}<time datetime="${askedAt}">${formatter.zonedTime(askedAt)}</time>.`;
  }
  return thread === undefined ? undefined : html`${words.askedByAssistant}`;
}

/** Whose calls an allowance would be for. */
export function whose({ client, thread }: Asker): SafeHtml {
  if (client !== undefined) return quotation(client.name);
  return thread === undefined ? html`${words.ofYou}` : html`${words.ofAssistant}`;
}
