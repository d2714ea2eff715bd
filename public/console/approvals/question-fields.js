import { QUESTION } from '../../language/en/questions.js';
import { element } from '../kit/dom.js';
import { safeLink } from '../kit/safe-link.js';
import { readableText, visibleText } from '../page/page-text.js';

const PEOPLE_SHOWN = 8;

/**
 * What a question is about as people read it: a mail as a mail, an event as an event, a change as what goes and what comes.
 *
 * @param fields of the question's `display`
 */
export function fieldList(fields) {
  return element('dl', { className: 'question-fields' }, ...fields.map(row));
}

function row(field) {
  const isWide = field.kind === 'block' || field.kind === 'change';
  return element(
    'div',
    { className: isWide ? 'wide-field' : '' },
    element('dt', {}, visibleText(field.label)),
    element('dd', {}, ...CONTENT[field.kind](field)),
  );
}

const CONTENT = {
  text: (field) => [line(field)],
  choice: (field) => [line(field)],
  block: (field) => [block(field)],
  when: ({ text, local }) => [
    visibleText(text),
    local === undefined ? '' : element('span', { className: 'muted' }, ` (${visibleText(local)})`),
  ],
  people: ({ people, more }) => folded(people.map(person), more, 'people'),
  file: ({ files, more }) => folded(files.map(file), more),
  list: ({ items, more }) => folded(items.map(line), more),
  change: ({ label, before, after }) => [
    element('div', { className: 'diff-block' }, ...part('del', '−', label, before), ...part('ins', '+', label, after)),
  ],
};

function line(passage) {
  return element('span', { dir: 'auto' }, ...marked(passage));
}

/** Text of several lines, which the keyboard reaches if it scrolls. */
function block({ label, ...passage }) {
  return element('div', { className: 'quoted', dir: 'auto', tabIndex: 0, role: 'region', 'aria-label': label }, ...marked(passage));
}

function person({ address, name, marked: isMarked }) {
  const shown = isMarked ? mark(address) : visibleText(address);
  return name === undefined
    ? element('bdi', {}, shown)
    : element('span', {}, element('bdi', {}, shown), ' ', element('bdi', { className: 'muted' }, readableText(name)));
}

function file({ name, link, note }) {
  const shown = link === undefined ? element('bdi', {}, readableText(name)) : safeLink(link, name);
  return element('span', {}, shown, note === undefined ? '' : element('span', { className: 'muted' }, ` ${visibleText(note)}`));
}

function part(tag, sign, label, passage) {
  if (passage === undefined) return [];
  const said = tag === 'del' ? QUESTION.removed : QUESTION.added;
  const attributes = { className: `diff ${tag}`, tabIndex: 0, role: 'region', 'aria-label': `${label}: ${said}` };
  const signs = [element('span', { className: 'diff-sign', 'aria-hidden': 'true' }, sign), element('span', { className: 'unseen' }, said)];
  return [element('div', attributes, ...signs, element(tag, { dir: 'auto' }, ...marked(passage)))];
}

/** The first of many, and the others behind “and 52 more”. @param more how many the server has left out */
export function folded(nodes, more = 0, className = '') {
  const items = (some) => element('ul', { className: `plain-list ${className}`.trim() }, ...some.map((node) => element('li', {}, node)));
  const rest = nodes.slice(PEOPLE_SHOWN);
  const count = rest.length + more;
  if (count === 0) return [items(nodes)];
  const summary = element('summary', {}, QUESTION.more(count));
  const end = more > 0 && rest.length > 0 ? [element('p', { className: 'muted' }, QUESTION.more(more))] : [];
  const others =
    rest.length === 0 ? element('p', { className: 'muted' }, QUESTION.more(count)) : element('details', {}, summary, items(rest), ...end);
  return [items(nodes.slice(0, PEOPLE_SHOWN)), others];
}

/** A text with the parts that repeat what others wrote marked, and hidden characters visible. */
function marked({ text, marks = [], omitted = 0 }) {
  const nodes = [];
  let end = 0;
  for (const [from, to] of marks) {
    if (from < end) continue;
    nodes.push(readableText(text.slice(end, from)), mark(text.slice(from, to)));
    end = to;
  }
  const cut = omitted > 0 ? [element('p', { className: 'muted' }, QUESTION.omitted(omitted))] : [];
  return [...nodes, readableText(text.slice(end)), ...cut];
}

const mark = (text) => element('mark', { title: QUESTION.repeats }, readableText(text));
