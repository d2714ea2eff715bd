import type { LinkedPreview } from '../executor/executor.ts';
import { html, type SafeHtml } from '../http/pages/html.ts';
import { quotation } from '../http/pages/visible-text.ts';

type Asker = Pick<LinkedPreview, 'client' | 'thread'>;

/** Who asked, unless it was the user's own front end. A client's name may be what it calls itself. */
export function askedBy({ client, thread }: Asker): SafeHtml | undefined {
  if (client !== undefined) {
    const { name, kind, about } = client;
    const who = kind === 'oauth' ? 'an app that calls itself' : 'your token';
    return html`Asked by ${who} ${quotation(name)}.${about !== null && html` ${about}`}`;
  }
  return thread === undefined ? undefined : html`Asked by your assistant in a conversation.`;
}

/** Whose calls an allowance would be for. */
export function whose({ client, thread }: Asker): SafeHtml {
  if (client !== undefined) return quotation(client.name);
  return thread === undefined ? html`your own front ends` : html`your assistant, in any conversation,`;
}
