import { result as texts } from '../../language/en/results.js';
import { plainWords } from '../../language/names.js';
import { element } from '../kit/dom.js';
import { safeLink } from '../kit/safe-link.js';
import { formatter } from '../page/page-format.js';
import { readableText } from '../page/page-text.js';

const MAX_DEPTH = 8;
const MAX_ITEMS = 100;
const LONG_TEXT = 200;

/** Any value as names and values: what has no view of its own. */
export function treeView(value) {
  return element('div', { className: 'tree' }, node(value, 0));
}

function node(value, depth) {
  if (value === null || value === undefined || value === '')
    return element('span', { className: 'muted' }, value === '' ? texts.empty : '–');
  if (typeof value === 'string') return text(value);
  if (typeof value === 'boolean') return element('span', {}, value ? texts.yes : texts.no);
  if (typeof value !== 'object') return element('span', {}, formatter.number(value));
  if (depth >= MAX_DEPTH) return element('code', {}, '…');
  return Array.isArray(value) ? list(value, depth) : fields(value, depth);
}

function text(value) {
  if (/^https?:\/\/\S+$/.test(value)) return safeLink(value);
  const long = value.length > LONG_TEXT || value.includes('\n');
  return element(long ? 'div' : 'span', { className: long ? 'prose' : '' }, readableText(value));
}

function list(values, depth) {
  if (values.length === 0) return element('span', { className: 'muted' }, texts.noEntries);
  const shown = values.slice(0, MAX_ITEMS).map((one) => element('li', {}, node(one, depth + 1)));
  const more = values.length - shown.length;
  return element('ol', {}, ...shown, more > 0 ? element('li', { className: 'muted' }, texts.moreInJson(more)) : undefined);
}

function fields(value, depth) {
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  if (entries.length === 0) return element('span', { className: 'muted' }, texts.noFields);
  const rows = entries.map(([name, one]) =>
    element('div', {}, element('dt', {}, readableText(plainWords(name))), element('dd', {}, node(one, depth + 1))),
  );
  return element('dl', {}, ...rows);
}
