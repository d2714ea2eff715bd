import { element } from '../kit/dom.js';
import { formatter } from '../page/page-format.js';
import { quotedText, visibleText } from '../page/page-text.js';

/** Those that deserve attention first. */
const ORDER = ['anyone', 'unknown', 'domain', 'group', 'new', undefined, 'written_to', 'own'];
const RELATIONS = { own: 'you', written_to: 'you have written to them before', new: 'new: you have never written to them' };
const MAX_SHOWN = 50;
const FEW_SOURCES = 3;
/** Steward's sentences on matches, which the card shows where they are. */
const ON_MATCHES = /^The argument “[^”]*” repeats /;
/** The same on those to whom the user has not written, which the list of those who see it says. */
const ON_STRANGERS = /^You have not written to /;

/** Who sees the effect of a call. */
export function audienceList(audience = []) {
  if (audience.length === 0) return element('p', {}, 'Only you.');
  const place = ({ kind, relation }) => ORDER.indexOf(kind === 'person' ? relation : kind);
  const entries = audience.toSorted((one, other) => place(one) - place(other)).slice(0, MAX_SHOWN);
  const more = audience.length - entries.length;
  return element(
    'ul',
    { className: 'audience' },
    ...entries.map((viewer) => element('li', {}, ...viewerNodes(viewer))),
    more > 0 ? element('li', {}, `and ${more} more`) : undefined,
  );
}

function viewerNodes({ kind, address, domain, relation, named }) {
  if (kind === 'anyone') return [element('strong', {}, 'Anyone with the link')];
  if (kind === 'unknown') return [element('strong', {}, 'Possibly others'), ': it could not be read who'];
  if (kind === 'domain') return ['Everyone at ', element('strong', {}, visibleText(domain))];
  if (kind === 'group') return ['The group ', element('strong', {}, visibleText(address))];
  const isNew = relation === 'new' || relation === undefined;
  const known = [
    RELATIONS[relation] ?? 'unknown: it was not checked whether you have written to them',
    named ? 'you typed this address here' : '',
  ];
  return [
    element('strong', {}, visibleText(address)),
    ' ',
    element('span', { className: isNew && !named ? 'new' : 'relation' }, known.filter(Boolean).join('; ')),
  ];
}

/** What deserves attention, as Steward says it. @param shown the `audience` and the `matches`, which the card shows elsewhere */
export function noticeList(notices = [], { audience = [], matches = [] }) {
  const said = [
    ...(matches.length > 0 ? [ON_MATCHES] : []),
    ...(audience.some(({ relation }) => relation === 'new') ? [ON_STRANGERS] : []),
  ];
  const shown = notices.filter((notice) => !said.some((pattern) => pattern.test(notice)));
  return shown.map((notice) => element('p', { className: 'warning' }, visibleText(notice)));
}

/** The parts of the arguments that repeat what was read, with whose they are. */
export function matchList(matches = []) {
  if (matches.length === 0) return [];
  const entries = matches.map(({ field, text, ...source }) =>
    element(
      'li',
      {},
      'In ',
      element('code', {}, visibleText(field)),
      ': ',
      element('mark', {}, visibleText(text)),
      ', read with ',
      ...sourceNodes(source),
    ),
  );
  return [section('Repeats what others wrote', element('ul', { className: 'matches' }, ...entries))];
}

/** What was read before the call: it may have caused this request. */
export function provenanceList(sources = []) {
  if (sources.length === 0) return [];
  const items = sources.slice(0, MAX_SHOWN).map((source) => element('li', {}, ...sourceNodes(source)));
  const list = element('ul', { className: 'sources' }, ...items.slice(0, FEW_SOURCES));
  const rest = items.slice(FEW_SOURCES);
  const more =
    rest.length === 0
      ? []
      : [element('details', {}, element('summary', {}, `${rest.length} more`), element('ul', { className: 'sources' }, ...rest))];
  return [section('Read before this, written by others', list, ...more)];
}

function sourceNodes({ action, author, name, time }) {
  return [
    element('code', {}, action),
    ...(author === undefined ? [] : [', by ', element('bdi', {}, visibleText(author))]),
    ...(name === undefined || name === '' ? [] : [', ', element('q', {}, element('bdi', {}, quotedText(name)))]),
    ...(time === undefined ? [] : [`, ${formatter.dateTime(time)}`]),
  ];
}

export function section(title, ...children) {
  return element('div', { className: 'question-part' }, element('p', { className: 'question-title' }, title), ...children);
}
