import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { singleLine } from '../shared/display-text.ts';
import { type PartLimit, textPart } from '../shared/text-part.ts';
import { type AddressField, shownAddresses } from './mail-addresses.ts';
import { bodyText, HtmlBudget } from './mail-body.ts';
import type { MailPart } from './mail-parts.ts';

/**
 * A part of an attached message (RFC 2046, 5.2.1) as a person reads it: who wrote it to whom and when, its subject, and its
 * text.
 *
 * @param part the attachment @param start position in the whole text
 */
export async function attachedMessage(session: WorkspaceSession, messageId: string, part: MailPart, start: number, limit: PartLimit) {
  const reading = { session, messageId, budget: new HtmlBudget(), enough: start + limit.units };
  const texts: string[] = [];
  for (const inner of part.parts) {
    const body = await bodyText(inner, reading);
    texts.push(...[headLines(inner), body].filter((text) => text !== ''));
  }
  return textPart(texts.join('\n\n'), start, limit);
}

function headLines({ headers, addresses }: MailPart): string {
  const date = headers.get('date');
  const subject = headers.get('subject');
  // All of them, since a long text is read in parts.
  const people = (field: AddressField) => shownAddresses(addresses[field], Number.POSITIVE_INFINITY);
  const lines = [
    ['From', people('from')],
    ['To', people('to')],
    ['Cc', people('cc')],
    ['Reply-To', people('reply-to')],
    ['Date', date && singleLine.parse(date)],
    ['Subject', subject && singleLine.parse(subject)],
  ];
  return lines.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [`${name}: ${value}`])).join('\n');
}
