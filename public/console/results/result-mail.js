import { counts } from '../../language/en/counts.js';
import { mail as texts } from '../../language/en/results.js';
import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { formatter } from '../page/page-format.js';
import { readableText } from '../page/page-text.js';
import { moreNote } from './result-badges.js';

const isText = (value) => typeof value === 'string';

export const isMailList = ({ items }) =>
  Array.isArray(items) && items.length > 0 && items.every((item) => isText(item?.subject) && isText(item.from ?? item.to));

/** Found messages, or drafts. */
export function mailList({ items, next, failed }) {
  const rows = items.map(({ from, to, subject, date, snippet, unread }) =>
    element(
      'li',
      { className: unread ? 'mail unread' : 'mail' },
      element(
        'div',
        { className: 'mail-head' },
        person(from ?? to),
        unread ? tag('good', texts.unread) : undefined,
        date === undefined ? undefined : element('time', { dateTime: date }, formatter.dateTime(date)),
      ),
      element('p', { className: 'mail-subject', dir: 'auto' }, readableText(subject) || texts.noSubject),
      snippet ? element('p', { className: 'mail-snippet', dir: 'auto' }, readableText(snippet)) : undefined,
    ),
  );
  return {
    count: counts.messages(items.length, formatter),
    nodes: [element('ul', { className: 'rows' }, ...rows), moreNote(next, failed)],
  };
}

export const isMailThread = ({ messages }) =>
  Array.isArray(messages) && messages.length > 0 && messages.every((one) => isText(one?.from) && isText(one.text));

/** The messages of a thread, the last one open. */
export function mailThread({ messages, next_offset: next }) {
  const subject = element('p', { className: 'result-title', dir: 'auto' }, readableText(messages[0].subject) || texts.noSubject);
  return {
    count: counts.messages(messages.length, formatter),
    nodes: [subject, ...messages.map((message, index) => mail(message, index === messages.length - 1)), moreNote(next)],
  };
}

function mail({ from, to, cc, bcc, reply_to: replyTo, date, text, attachments = [] }, open) {
  const addresses = Object.entries({ to, cc, bcc, replyTo }).filter(([, value]) => value);
  const files = attachments.map(({ name, size }) => element('li', {}, texts.attachment(readableText(name), formatter.bytes(size))));
  return element(
    'details',
    { className: 'message', open },
    element('summary', {}, person(from), ' ', element('time', { dateTime: date }, formatter.dateTime(date))),
    ...addresses.map(([name, value]) =>
      element('p', { className: 'mail-address' }, `${texts.addresses[name]}: `, element('bdi', {}, readableText(value))),
    ),
    element('div', { className: 'prose', dir: 'auto' }, readableText(text)),
    files.length === 0 ? undefined : element('ul', { className: 'files' }, ...files),
  );
}

function parts(text) {
  const at = text.endsWith('>') ? text.lastIndexOf('<') : -1;
  return at === -1 ? ['', text] : [text.slice(0, at).trim(), text.slice(at + 1, -1)];
}

/** `Ana <ana@example.com>` → the name, with the address after it: anybody can write a name. */
export function person(text) {
  const [name, address] = parts(text ?? '');
  const shown = readableText(address);
  if (name === '') return element('span', { className: 'person' }, element('bdi', {}, shown));
  return element(
    'span',
    { className: 'person' },
    element('bdi', {}, readableText(name.replace(/^"(.*)"$/, '$1'))),
    ' ',
    element('span', { className: 'address' }, shown),
  );
}

export const isLabelList = ({ items }) =>
  Array.isArray(items) && items.length > 0 && items.every((item) => isText(item?.name) && ['system', 'user'].includes(item.type));

/** Labels of mails: the user's own first. */
export function labelList({ items }) {
  const group = (title, type) => {
    const names = items.filter((item) => item.type === type).map(({ name }) => element('li', {}, tag('', readableText(name))));
    return names.length === 0
      ? undefined
      : element('div', {}, element('p', { className: 'result-title' }, title), element('ul', { className: 'chips' }, ...names));
  };
  return { count: counts.labels(items.length, formatter), nodes: [group(texts.ownLabels, 'user'), group(texts.systemLabels, 'system')] };
}
