import { plainWords } from '../../language/names.js';
import { copyButton } from '../kit/button.js';
import { element } from '../kit/dom.js';
import { tabs } from '../kit/tabs.js';
import { visibleJson, visibleText } from '../page/page-text.js';

const LONG_TEXT = 120;
const RECIPIENTS = ['to', 'cc', 'bcc'];
const MAX_DEPTH = 8;

/**
 * The arguments of a call for a person: a mail as a mail, a replacement as what goes and what comes, everything else as
 * names and values. Parts that repeat what others wrote are marked. The other tab has the exact arguments.
 *
 * @param input the arguments
 * @param matches `{field, text}`, in the order of the arguments
 */
export function argumentsView(input, matches = []) {
  const json = visibleJson(input);
  const readable = () => element('div', { className: 'arguments' }, ...shapeOf(input)(input, matches));
  const exact = () =>
    element(
      'div',
      { className: 'json' },
      copyButton(json, 'the arguments as JSON'),
      element('pre', { tabIndex: 0, role: 'region', 'aria-label': 'Arguments as JSON' }, json),
    );
  return tabs('Arguments', [
    { name: 'What is sent', build: readable },
    { name: 'JSON', build: exact },
  ]);
}

function shapeOf(input) {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return (value, matches) => [argument(value, '', matches, 0)];
  if (typeof input.body === 'string' && RECIPIENTS.some((name) => Array.isArray(input[name]))) return mail;
  if (typeof input.find === 'string' && typeof input.replace === 'string') return replacement;
  return fields;
}

function mail({ subject, body, ...rest }, matches) {
  const people = RECIPIENTS.filter((name) => rest[name]?.length > 0).map((name) =>
    element('div', {}, element('dt', {}, plainWords(name)), element('dd', {}, rest[name].map(addressOf).join(', '))),
  );
  const others = Object.fromEntries(Object.entries(rest).filter(([name]) => !RECIPIENTS.includes(name)));
  const subjectRow = element(
    'div',
    {},
    element('dt', {}, 'Subject'),
    element('dd', { dir: 'auto' }, ...marked(subject ?? '', 'subject', matches)),
  );
  return [
    element('dl', {}, ...people, ...(subject === undefined ? [] : [subjectRow])),
    block(body, 'body', matches),
    ...fields(others, matches),
  ];
}

function addressOf(one) {
  if (typeof one === 'string') return visibleText(one);
  return one.name ? `${visibleText(one.name)} <${visibleText(one.address)}>` : visibleText(one.address ?? JSON.stringify(one));
}

function replacement({ find, replace, ...rest }, matches) {
  const line = (tag, sign, name, text, path) =>
    element(
      'p',
      { className: `diff ${tag}` },
      element('span', { className: 'diff-sign', 'aria-hidden': 'true' }, sign),
      element('span', { className: 'unseen' }, name),
      element(tag, { dir: 'auto' }, ...marked(text, path, matches)),
    );
  return [
    element(
      'div',
      { className: 'diff-block' },
      line('del', '−', 'Removed: ', find, 'find'),
      line('ins', '+', 'Added: ', replace, 'replace'),
    ),
    ...fields(rest, matches),
  ];
}

/** Empty values are left out here: the exact arguments have them. */
function fields(input, matches, path = '', depth = 0) {
  const shown = Object.entries(input).filter(([, value]) => !isEmpty(value));
  if (shown.length === 0) return [];
  const rows = shown.map(([name, value]) =>
    element(
      'div',
      {},
      element('dt', {}, visibleText(plainWords(name))),
      element('dd', {}, argument(value, under(path, name), matches, depth + 1)),
    ),
  );
  return [element('dl', {}, ...rows)];
}

function argument(value, path, matches, depth) {
  if (typeof value === 'string') {
    const isLong = value.length > LONG_TEXT || value.includes('\n');
    return isLong ? block(value, path, matches) : element('span', { dir: 'auto' }, ...marked(value, path, matches));
  }
  if (typeof value !== 'object' || value === null)
    return element('span', {}, value === true ? 'yes' : value === false ? 'no' : String(value));
  if (depth > MAX_DEPTH) return element('code', {}, visibleJson(value));
  if (!Array.isArray(value)) return element('div', {}, ...fields(value, matches, path, depth));
  return element('ul', {}, ...value.map((one, index) => element('li', {}, argument(one, under(path, index), matches, depth + 1))));
}

/** Text of others as a block of its own, which the keyboard reaches if it scrolls. */
function block(text, path, matches) {
  return element(
    'div',
    { className: 'quoted', dir: 'auto', tabIndex: 0, role: 'region', 'aria-label': `Text of ${path}` },
    ...marked(text, path, matches),
  );
}

/** A text with the parts that repeat what others wrote marked. */
export function marked(text, path, matches) {
  const nodes = [];
  let end = 0;
  for (const match of matches) {
    const at = match.field === path && match.text !== '' ? text.indexOf(match.text, end) : -1;
    if (at === -1) continue;
    nodes.push(visibleText(text.slice(end, at)), element('mark', { title: 'This repeats what others wrote.' }, visibleText(match.text)));
    end = at + match.text.length;
  }
  return [...nodes, visibleText(text.slice(end))];
}

const under = (path, name) => (path === '' ? String(name) : `${path}.${name}`);

const isEmpty = (value) => value === null || value === '' || value === false || (Array.isArray(value) && value.length === 0);
