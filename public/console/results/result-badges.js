import { badges, result } from '../../language/en/results.js';
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
  const title = named === '' ? badges.unknownAuthor : badges.by(named, others > MAX_AUTHORS);
  return [
    ...(integrity === 'others' ? [badge('attention', badges.others, title)] : []),
    ...(integrity === 'own' ? [badge('', badges.own, badges.ownMeans)] : []),
    ...(confidentiality === 'financial' ? [badge('finance', badges.financial, badges.financialMeans)] : []),
    ...(meta.truncated ? [badge('attention', badges.shortened, meta.hint)] : []),
  ];
}

function badge(kind, text, title) {
  const node = tag(kind, text);
  node.title = title;
  return node;
}

/** “3 messages · demo@example.com · 120 ms”. */
export function resultFacts({ account, ms } = {}, count) {
  const facts = [count, account, ms === undefined ? undefined : result.took(ms)].filter((fact) => fact !== undefined && fact !== '');
  return element('p', { className: 'result-facts' }, facts.map((fact) => readableText(String(fact))).join(' · '));
}

/** What a list has more of than it shows. */
export function moreNote(next, failed) {
  const notes = [
    ...(next === undefined || next === null || next === false ? [] : [result.more]),
    ...(Array.isArray(failed) && failed.length > 0 ? [result.unreadable(failed.length, formatter.number(failed.length))] : []),
  ];
  return notes.length === 0 ? undefined : element('p', { className: 'muted result-more' }, notes.join(' '));
}
