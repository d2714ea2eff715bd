import { SENT } from '../../language/en/questions.js';
import { plainWords } from '../../language/names.js';
import { copyButton } from '../kit/button.js';
import { element } from '../kit/dom.js';
import { tabs } from '../kit/tabs.js';
import { visibleJson, visibleText } from '../page/page-text.js';

const LONG_TEXT = 120;
const RECIPIENTS = ['to', 'cc', 'bcc'];
const MAX_DEPTH = 8;

/**
 * The details of a call for a person: a mail as a mail, a replacement as what goes and what comes, everything else as
 * names and values. The other tab has them exactly.
 *
 * @param input the arguments of the call
 */
export function argumentsView(input) {
  const json = visibleJson(input);
  const readable = () => element('div', { className: 'arguments' }, ...shapeOf(input)(input));
  const exact = () =>
    element(
      'div',
      { className: 'json' },
      copyButton(json, SENT.copy),
      element('pre', { tabIndex: 0, role: 'region', 'aria-label': SENT.jsonLabel }, json),
    );
  return tabs(SENT.title, [
    { name: SENT.view, build: readable },
    { name: SENT.json, build: exact },
  ]);
}

function shapeOf(input) {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return (value) => [argument(value, '', 0)];
  if (typeof input.body === 'string' && RECIPIENTS.some((name) => Array.isArray(input[name]))) return mail;
  if (typeof input.find === 'string' && typeof input.replace === 'string') return replacement;
  return fields;
}

function mail({ subject, body, ...rest }) {
  const people = RECIPIENTS.filter((name) => rest[name]?.length > 0).map((name) =>
    element('div', {}, element('dt', {}, plainWords(name)), element('dd', {}, rest[name].map(addressOf).join(', '))),
  );
  const others = Object.fromEntries(Object.entries(rest).filter(([name]) => !RECIPIENTS.includes(name)));
  const subjectRow = element('div', {}, element('dt', {}, SENT.subject), element('dd', { dir: 'auto' }, visibleText(subject ?? '')));
  return [element('dl', {}, ...people, ...(subject === undefined ? [] : [subjectRow])), block(body, 'body'), ...fields(others)];
}

function addressOf(one) {
  if (typeof one === 'string') return visibleText(one);
  return one.name ? `${visibleText(one.name)} <${visibleText(one.address)}>` : visibleText(one.address ?? JSON.stringify(one));
}

function replacement({ find, replace, ...rest }) {
  const line = (tag, sign, name, text) =>
    element(
      'p',
      { className: `diff ${tag}` },
      element('span', { className: 'diff-sign', 'aria-hidden': 'true' }, sign),
      element('span', { className: 'unseen' }, name),
      element(tag, { dir: 'auto' }, visibleText(text)),
    );
  return [
    element('div', { className: 'diff-block' }, line('del', '−', 'Removed: ', find), line('ins', '+', 'Added: ', replace)),
    ...fields(rest),
  ];
}

/** Empty values are left out here: the exact arguments have them. */
function fields(input, path = '', depth = 0) {
  const shown = Object.entries(input).filter(([, value]) => !isEmpty(value));
  if (shown.length === 0) return [];
  const rows = shown.map(([name, value]) =>
    element('div', {}, element('dt', {}, visibleText(plainWords(name))), element('dd', {}, argument(value, under(path, name), depth + 1))),
  );
  return [element('dl', {}, ...rows)];
}

function argument(value, path, depth) {
  if (typeof value === 'string') {
    const isLong = value.length > LONG_TEXT || value.includes('\n');
    return isLong ? block(value, path) : element('span', { dir: 'auto' }, visibleText(value));
  }
  if (typeof value !== 'object' || value === null)
    return element('span', {}, value === true ? 'yes' : value === false ? 'no' : String(value));
  if (depth > MAX_DEPTH) return element('code', {}, visibleJson(value));
  if (!Array.isArray(value)) return element('div', {}, ...fields(value, path, depth));
  return element('ul', {}, ...value.map((one, index) => element('li', {}, argument(one, under(path, index), depth + 1))));
}

/** Text of others as a block of its own, which the keyboard reaches if it scrolls. */
function block(text, path) {
  return element(
    'div',
    { className: 'quoted', dir: 'auto', tabIndex: 0, role: 'region', 'aria-label': SENT.textOf(path) },
    visibleText(text),
  );
}

const under = (path, name) => (path === '' ? String(name) : `${path}.${name}`);

const isEmpty = (value) => value === null || value === '' || value === false || (Array.isArray(value) && value.length === 0);
