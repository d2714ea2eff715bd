import { header, type Mailbox, mimeOf, type StoredMessage } from './gmail-mailbox.ts';
import { allParts } from './gmail-mime.ts';
import { textOf } from './gmail-resources.ts';

type Test = (message: StoredMessage) => boolean;

const DAY_MS = 24 * 3_600_000;
const SPANS: Record<string, number> = { d: DAY_MS, m: 30 * DAY_MS, y: 365 * DAY_MS };
const FOLDERS: Record<string, string> = {
  inbox: 'INBOX',
  sent: 'SENT',
  draft: 'DRAFT',
  drafts: 'DRAFT',
  trash: 'TRASH',
  spam: 'SPAM',
};
const STATES: Record<string, string> = { unread: 'UNREAD', starred: 'STARRED', important: 'IMPORTANT' };

/**
 * Compiles the `q` of a list: terms that must all match, each a word, a "phrase" or `operator:value`, negated by a leading
 * `-`. Words match whole words.
 */
export function compileQuery(mailbox: Mailbox, q: string, now: number): Test {
  const tests = [...q.matchAll(/(-?)(?:([a-z][a-z_0-9]*):)?(?:"([^"]*)"|\(([^)]*)\)|([^\s"()]+))/gi)].map(
    ([, negated, operator, quoted, grouped, bare]) => {
      const test = term(mailbox, operator?.toLowerCase(), quoted ?? grouped ?? bare ?? '', now);
      return negated === '-' ? (message: StoredMessage) => !test(message) : test;
    },
  );
  return (message) => tests.every((test) => test(message));
}

/** Whether a query mentions spam or trash; otherwise a list leaves them out. */
export function namesSpamOrTrash(q: string): boolean {
  return /\b(in|label):\(?"?(trash|spam|anywhere)\b/i.test(q);
}

function term(mailbox: Mailbox, operator: string | undefined, value: string, now: number): Test {
  switch (operator) {
    case undefined:
      return (message) => contains(wholeText(message), value);
    case 'from':
    case 'to':
    case 'cc':
    case 'bcc':
    case 'subject':
      return (message) => contains(operator === 'to' ? recipients(message) : header(message, operator), value);
    case 'is':
      return isState(value.toLowerCase());
    case 'in':
    case 'label':
      return hasLabel(mailbox, operator, value);
    case 'has':
      return (message) => value.toLowerCase() === 'attachment' && fileNames(message).length > 0;
    case 'filename':
      return (message) => fileNames(message).some((name) => name.toLowerCase().includes(value.toLowerCase()));
    case 'rfc822msgid':
      return (message) => header(message, 'message-id').replace(/[<>]/g, '') === value.replace(/[<>]/g, '');
    default:
      return timeTest(operator, value, now);
  }
}

function isState(value: string): Test {
  if (value === 'read') return (message) => !message.labelIds.includes('UNREAD');
  return (message) => message.labelIds.includes(STATES[value] ?? '');
}

function hasLabel({ labels }: Mailbox, operator: string, value: string): Test {
  if (operator === 'in' && value.toLowerCase() === 'anywhere') return () => true;
  // Spaces and slashes of a label's name are written as hyphens.
  const plain = (name: string) => name.toLowerCase().replace(/[\s/]/g, '-');
  const folder = FOLDERS[value.toLowerCase()];
  const label = labels.find(({ id, name }) => id === folder || plain(name) === plain(value));
  return (message) => label !== undefined && message.labelIds.includes(label.id);
}

function timeTest(operator: string, value: string, now: number): Test {
  const span = /^(\d{1,5})([dmy])$/.exec(value.toLowerCase());
  const border = span === null ? dateOf(value) : now - Number(span[1]) * (SPANS[span[2] ?? ''] ?? 0);
  const relative = operator === 'newer_than' || operator === 'older_than';
  if (border === undefined || relative !== (span !== null)) return () => false;
  if (operator === 'after' || operator === 'newer_than') return ({ at }) => at >= border;
  if (operator === 'before' || operator === 'older_than') return ({ at }) => at < border;
  return () => false;
}

/** `2026/01/31`, `2026-01-31` or seconds since 1970. */
function dateOf(value: string): number | undefined {
  if (/^\d{9,11}$/.test(value)) return Number(value) * 1000;
  const [, year, month, day] = /^(\d{4})[/-](\d{1,2})[/-](\d{1,2})$/.exec(value) ?? [];
  return day === undefined ? undefined : Date.UTC(Number(year), Number(month) - 1, Number(day));
}

function recipients(message: StoredMessage): string {
  return ['to', 'cc', 'bcc'].map((name) => header(message, name)).join(' , ');
}

function wholeText(message: StoredMessage): string {
  const headers = ['subject', 'from'].map((name) => header(message, name));
  return [...headers, recipients(message), textOf(mimeOf(message)), ...fileNames(message)].join(' , ');
}

function fileNames(message: StoredMessage): string[] {
  return allParts(mimeOf(message)).flatMap(({ fileName }) => (fileName === '' ? [] : [fileName]));
}

/** Whether the words of `wanted` occur in sequence, ignoring case and accents. */
function contains(text: string, wanted: string): boolean {
  return ` ${words(text)} `.includes(` ${words(wanted)} `);
}

function words(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ');
}
