import {
  attachedText,
  EMPTY,
  LABELS,
  labelName,
  mails,
  NOBODY,
  possiblyOthers,
  SAME_SUBJECT,
  unnamedFiles,
} from '../../../public/language/en/approvals.js';
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
  reply_to?: string;
  files?: string[];
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
  if (use === 'mail.draft_update') return changedDraftFields(input, shown, writer);
  return [
    ...(shown.items === undefined && input.ids !== undefined ? writer.choice('ids', LABELS.messages, mails(input.ids.length)) : []),
    ...writer.files('ids', LABELS.messages, shown.items?.ids, input.ids?.length),
    ...writer.files('threads', LABELS.threads, shown.items?.threads),
    ...RECIPIENTS.flatMap((name) => writer.people(name, LABELS[name], input[name])),
    ...subjectFields(input, shown, writer),
    ...writer.block('body', LABELS.body, input.body),
    ...attachmentFields(input, shown, writer),
    ...labelFields('add', input, shown, writer),
    ...labelFields('remove', input, shown, writer),
    ...(input.inbox?.length ? writer.choice('inbox', LABELS.inbox, mails(input.inbox.length)) : []),
  ];
}

/** A reply has the subject of what it answers, whatever is given. */
function subjectFields({ subject, reply_to: answered }: MailInput, shown: Shown, writer: FieldWriter): DisplayField[] {
  if (shown.subject !== undefined) return writer.text('subject', LABELS.subject, shown.subject, undefined);
  return answered === undefined ? writer.text('subject', LABELS.subject, subject) : writer.choice('subject', LABELS.subject, SAME_SUBJECT);
}

/** What a draft becomes: what is emptied, too. */
function changedDraftFields(input: MailInput, { subject, items }: Shown, writer: FieldWriter): DisplayField[] {
  const people = RECIPIENTS.flatMap((name) =>
    input[name]?.length === 0 ? writer.choice(name, LABELS[name], NOBODY) : writer.people(name, LABELS[name], input[name]),
  );
  const emptied = (name: 'subject' | 'body') => (input[name] === '' ? writer.choice(name, LABELS[name], EMPTY) : []);
  return [
    ...writer.files('id', LABELS.draft, items?.id),
    ...people,
    ...writer.change('subject', LABELS.subject, subject, input.subject || undefined),
    ...emptied('subject'),
    ...writer.block('body', LABELS.body, input.body),
    ...emptied('body'),
  ];
}

/** Files with their content where it is text: it is sent, too. */
function attachmentFields({ attachments = [], files = [] }: MailInput, { items }: Shown, writer: FieldWriter): DisplayField[] {
  const given = attachments.map(({ name, mime, text, base64 = '' }): ShownItem => {
    return { name, type: mime, bytes: text === undefined ? Buffer.byteLength(base64, 'base64') : Buffer.byteLength(text) };
  });
  const contents = attachments.flatMap(({ name, text }, index) => writer.block(`attachments.${index}.text`, attachedText(name), text));
  const unnamed =
    items?.files === undefined && files.length > 0 ? writer.choice('files', LABELS.attachments, unnamedFiles(files.length)) : [];
  return [...writer.files('attachments', LABELS.attachments, [...given, ...(items?.files ?? [])]), ...unnamed, ...contents];
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

function labelFields(name: 'add' | 'remove', input: MailInput, { labels }: Shown, writer: FieldWriter): DisplayField[] {
  const given = input[name] ?? [];
  const texts = given.map((one, index) => {
    const text = labelName(labels?.[name][index] ?? one, name);
    return writer.passage(text, text === one ? `${name}.${index}` : undefined);
  });
  return writer.list(name, LABELS[name], texts);
}
