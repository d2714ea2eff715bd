import { actionName } from '../../language/en/actions.js';
import { detailName, viewerCount } from '../../language/en/approvals.js';
import { EVIDENCE, QUESTION } from '../../language/en/questions.js';
import { element } from '../kit/dom.js';
import { formatter } from '../page/page-format.js';
import { quotedText, readableText, visibleText } from '../page/page-text.js';
import { folded } from './question-fields.js';

const MAX_NAMED = 2;
const MAX_SHOWN = 80;

/** Tells a question from the others in a few words: “Send a mail: zoe@example.org, Lunch”. */
export function questionName(display) {
  const about = questionAbout(display);
  return about === '' ? visibleText(display.title) : `${visibleText(display.title)}: ${about}`;
}

/** Whom and which thing a question is about, in a few words. */
export function questionAbout({ viewers, fields }) {
  // A server's name is in the title.
  const people = viewers
    .filter(({ kind }) => kind !== 'service')
    .slice(0, MAX_NAMED)
    .map(({ address, name }) => address ?? name);
  const [thing] = fields.map(textOf).filter((text) => text !== undefined);
  const named = [...people, thing].filter((one) => one !== undefined);
  return named.map((one) => visibleText(one.length > MAX_SHOWN ? `${one.slice(0, MAX_SHOWN).toWellFormed()}…` : one)).join(', ');
}

function textOf({ kind, text, files }) {
  if (kind === 'file') return files[0].name;
  return kind === 'text' || kind === 'block' ? text : undefined;
}

/** Who sees the effect of a call, with how the user knows each. */
export function viewerList({ viewers, more }) {
  if (viewers.length === 0) return element('p', { className: 'question-viewers' }, QUESTION.onlyYou);
  return element(
    'div',
    { className: 'question-viewers' },
    element('p', { className: 'question-title' }, QUESTION.whoSees),
    viewers.length > 1 ? element('p', { className: 'muted' }, viewerCount(viewers, more)) : undefined,
    ...folded(viewers.map(viewer), more, 'viewers'),
  );
}

function viewer({ address, name, relation, tone }) {
  return element(
    'span',
    { className: 'viewer' },
    element('strong', {}, element('bdi', {}, visibleText(address ?? name))),
    ' ',
    element('span', { className: `chip ${tone}` }, visibleText(relation)),
  );
}

/** What the line of risk is about: parts that repeat what others wrote, Steward's sentences, and what was read before. */
export function evidenceList({ evidence: { notices, matches, provenance }, fields }) {
  const labels = new Map(fields.map(({ name, label }) => [name.split('.')[0], label]));
  return [
    ...notices.map((notice) => element('p', {}, visibleText(notice))),
    ...titled(
      EVIDENCE.matches,
      matches.map((match) => repeated(match, labels)),
    ),
    ...titled(EVIDENCE.read, provenance.map(source)),
  ];
}

function titled(title, nodes) {
  return nodes.length === 0 ? [] : [element('p', { className: 'question-title' }, title), ...folded(nodes, 0, 'sources')];
}

function repeated({ field, text, ...from }, labels) {
  const [name] = field.split('.');
  const label = labels.get(name) ?? detailName(name);
  return element('span', {}, EVIDENCE.inField(visibleText(label)), element('mark', {}, readableText(text)), EVIDENCE.from, source(from));
}

/** A text of others: by whom, which, and when. */
function source({ action, author, name, time }) {
  const parts = [
    author === undefined ? undefined : element('bdi', {}, visibleText(author)),
    name === undefined || name === '' ? undefined : element('q', {}, element('bdi', {}, quotedText(name))),
    time === undefined ? undefined : formatter.dateTime(time),
  ].filter((part) => part !== undefined);
  const shown = parts.length > 0 ? parts : [actionName(action)];
  return element('span', {}, ...shown.flatMap((part, index) => (index === 0 ? [part] : [', ', part])));
}
