import { z } from 'zod';
import { emailAddress } from '../../src/validation/validate.ts';
import { gmailApi } from '../google/gmail-api.ts';
import { seedMime } from '../google/gmail-seed-mime.ts';
import { deliver } from '../google/gmail-sending.ts';
import type { WorkspaceProvider } from '../workspace/workspace-provider.ts';
import { accountOf, count, line } from './happening.ts';

const HEADER = /^[A-Za-z][A-Za-z-]{0,59}$/;
/** Headers as an object, or in a form as lines `Name: value`. */
const headers = z.union([z.record(z.string().regex(HEADER), line(900)), z.string().max(4_000).transform(linesOf)]);

export const arrivingMail = z.strictObject({
  email: emailAddress.optional(),
  template: z.enum(['mail', 'invoice', 'newsletter']).default('mail'),
  from: emailAddress.optional(),
  from_name: line(100).optional(),
  subject: line(900).optional(),
  text: z.string().max(100_000).optional(),
  headers: headers.optional(),
  /** Name of a text file. */
  attachment: line(200).optional(),
  times: count(1_000),
});

type ArrivingMail = z.output<typeof arrivingMail>;

interface Template {
  from: string;
  name: string;
  subject: string;
  text: string;
  attachment?: string;
  headers?: Record<string, string>;
}

const TEMPLATES: Record<ArrivingMail['template'], Template> = {
  mail: {
    from: 'sarah.okafor@example.com',
    name: 'Sarah Okafor',
    subject: 'Lunch next week?',
    text: 'Hi,\n\nI am in town next week. Do you have time for lunch on Wednesday at noon? Any place near your office is fine.\n\nBest,\nSarah\n',
  },
  invoice: {
    from: 'billing@print-shop.example',
    name: 'Print Shop',
    subject: 'Invoice 2207 for your order',
    text: 'Dear customer,\n\nthank you for your order. Our invoice 2207 over 148.90 EUR is attached. Please pay it within 14 days, and tell us the number of your purchase order.\n\nYour Print Shop\n',
    attachment: 'invoice-2207.txt',
  },
  newsletter: {
    from: 'news@garden-notes.example',
    name: 'Garden Notes',
    subject: 'What to plant this month',
    text: 'This month: bulbs, broad beans and garlic.\n',
    headers: { 'List-Id': '<news.garden-notes.example>', 'List-Unsubscribe': '<https://garden-notes.example/leave>', Precedence: 'bulk' },
  },
};

/** A mail of somebody else arrives in the inbox. @returns its ids; of several, those of the last one */
export function letMailArrive({ data, grants }: WorkspaceProvider, given: ArrivingMail): object {
  const account = accountOf(grants, given.email);
  const template = TEMPLATES[given.template];
  const from = given.from ?? template.from;
  const name = given.from_name ?? (given.from === undefined ? template.name : '');
  const attachment = given.attachment ?? (given.subject === undefined ? template.attachment : undefined);
  return data.change(gmailApi, account, (state, now) => {
    const sent = Array.from({ length: given.times }, () => {
      const raw = seedMime({
        from: name === '' ? from : `${name.replaceAll(/[",<>]/g, '')} <${from}>`,
        to: `${account.name} <${account.email}>`,
        subject: given.subject ?? template.subject,
        text: given.text ?? template.text,
        date: new Date(now),
        messageId: `<arrived.${state.made}.${now}@${from.slice(from.lastIndexOf('@') + 1)}>`,
        references: [],
        headers: { ...template.headers, ...given.headers },
        ...(attachment !== undefined && { attachments: [{ name: attachment, mime: 'text/plain', content: template.text }] }),
      });
      return deliver({ account, state, now }, raw);
    });
    const { id, threadId } = sent.at(-1) ?? { id: '', threadId: '' };
    return { success: true, email: account.email, id, thread_id: threadId };
  });
}

function linesOf(text: string): Record<string, string> {
  const pairs = text.split(/\r?\n/).map((one) => /^([A-Za-z][A-Za-z-]{0,59}):\s*(.*)$/.exec(one.trim()));
  return Object.fromEntries(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1], pair[2]]])));
}
