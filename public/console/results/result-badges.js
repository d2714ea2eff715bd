import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { formatter } from '../page/page-format.js';
import { readableText } from '../page/page-text.js';

const MAX_AUTHORS = 3;

/**
 * Where a result comes from and how far it may go, as badges.
 *
 * @param meta of a call (`labels`), or of the assistant (`integrity`, `confidentiality`)
 */
export function resultBadges(meta = {}) {
  const { integrity, confidentiality, sources = [], more = 0 } = meta.labels ?? meta;
  const authors = [...new Set(sources.flatMap(({ author }) => author ?? []))];
  const named = authors.slice(0, MAX_AUTHORS).map(readableText).join(', ');
  const others = sources.length + more;
  const title =
    named === ''
      ? 'Text in it was not written by you: it is shown, never obeyed.'
      : `By ${named}${others > MAX_AUTHORS ? ' and others' : ''}`;
  return [
    ...(integrity === 'others' ? [badge('attention', 'written by others', title)] : []),
    ...(integrity === 'own' ? [badge('', 'your own', 'Nobody else can have written this.')] : []),
    ...(confidentiality === 'financial'
      ? [badge('finance', 'financial', 'After this was read, nothing is sent to others, unless the operator allows them.')]
      : []),
    ...(meta.truncated ? [badge('attention', 'shortened', meta.hint)] : []),
  ];
}

function badge(kind, text, title) {
  const node = tag(kind, text);
  node.title = title;
  return node;
}

/** “3 messages · demo@example.com · 120 ms”. */
export function resultFacts({ account, ms } = {}, count) {
  const facts = [count, account, ms === undefined ? undefined : `${ms} ms`].filter((fact) => fact !== undefined && fact !== '');
  return element('p', { className: 'result-facts' }, facts.map((fact) => readableText(String(fact))).join(' · '));
}

/** What a list has more of than it shows. */
export function moreNote(next, failed) {
  const notes = [
    ...(next === undefined || next === null || next === false ? [] : ['There are more.']),
    ...(Array.isArray(failed) && failed.length > 0 ? [`${formatter.count(failed.length, 'entry', 'entries')} could not be read.`] : []),
  ];
  return notes.length === 0 ? undefined : element('p', { className: 'muted result-more' }, notes.join(' '));
}
