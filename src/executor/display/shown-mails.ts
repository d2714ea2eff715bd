import { attachedText, LABELS, mails, possiblyOthers } from '../../../public/language/en/approvals.js';
import type { Shown, ShownItem, ShownMail, ShownMailbox } from '../../actions/shared/shown.ts';
import type { DisplayField } from './display-fields.ts';
import type { FieldWriter } from './field-writer.ts';

/** The arguments of a mail, as far as the display knows them: the action has checked them. */
interface MailInput {
  to?: ShownMailbox[];
  cc?: ShownMailbox[];
  bcc?: ShownMailbox[];
  subject?: string;
  body?: string;
  attachments?: { name: string; mime?: string; text?: string; base64?: string }[];
  add?: string[];
  remove?: string[];
  ids?: string[];
  inbox?: string[];
}

const RECIPIENTS = ['to', 'cc', 'bcc'] as const;

/** A mail as a mail: recipients, subject, text, files. */
export function mailFields(given: Record<string, unknown>, shown: Shown, writer: FieldWriter, use: string): DisplayField[] {
  const input = given as MailInput;
  if (use === 'mail.save_attachment') {
    const { items = {} } = shown;
    return [
      ...writer.files('attachment', LABELS.attachment, items.attachment),
      ...writer.text('name', LABELS.name, given.name),
      ...writer.files('folder', LABELS.folder, items.folder),
    ];
  }
  if (shown.mail !== undefined) return draftFields(shown.mail, writer);
  return [
    ...(shown.items === undefined && input.ids !== undefined ? writer.choice('ids', LABELS.messages, mails(input.ids.length)) : []),
    ...writer.files('ids', LABELS.messages, shown.items?.ids),
    ...writer.files('threads', LABELS.threads, shown.items?.threads),
    ...RECIPIENTS.flatMap((name) => writer.people(name, LABELS[name], input[name])),
    ...writer.text('subject', LABELS.subject, shown.subject ?? input.subject, shown.subject === undefined ? 'subject' : undefined),
    ...writer.block('body', LABELS.body, input.body),
    ...attachmentFields(input, shown, writer),
    ...listed('add', input.add, writer),
    ...listed('remove', input.remove, writer),
    ...(input.inbox?.length ? writer.choice('inbox', LABELS.inbox, mails(input.inbox.length)) : []),
  ];
}

/** Files with their content where it is text: it is sent, too. */
function attachmentFields({ attachments = [] }: MailInput, { items }: Shown, writer: FieldWriter): DisplayField[] {
  const given = attachments.map(({ name, mime, text, base64 = '' }): ShownItem => {
    return { name, type: mime, bytes: text === undefined ? Buffer.byteLength(base64, 'base64') : Buffer.byteLength(text) };
  });
  const contents = attachments.flatMap(({ name, text }, index) => writer.block(`attachments.${index}.text`, attachedText(name), text));
  return [...writer.files('attachments', LABELS.attachments, [...given, ...(items?.files ?? [])]), ...contents];
}

function draftFields(mail: ShownMail, writer: FieldWriter): DisplayField[] {
  const people = RECIPIENTS.flatMap((name) => writer.people(name, LABELS[name], mail[name], undefined));
  const senders = mail.senders.flatMap(({ what, who }) => writer.people(what, LABELS[what], [who], undefined));
  return [
    ...people,
    ...(mail.isIncomplete ? writer.choice('others', LABELS.to, possiblyOthers) : []),
    ...senders,
    ...writer.text('subject', LABELS.subject, mail.subject, undefined),
    ...writer.block('body', LABELS.body, mail.body, undefined),
    ...writer.files('attachments', LABELS.attachments, mail.files),
    ...writer.list(
      'headers',
      LABELS.headers,
      mail.headers.map(({ name, value }) => writer.passage(`${name}: ${value}`, undefined)),
    ),
  ];
}

function listed(name: 'add' | 'remove', texts: readonly string[] = [], writer: FieldWriter): DisplayField[] {
  return writer.list(
    name,
    LABELS[name],
    texts.map((text, index) => writer.passage(text, `${name}.${index}`)),
  );
}
