import { element } from '../kit/dom.js';

/**
 * A table that scrolls by itself where it is too wide.
 *
 * @param caption names it; shown to assistive technology only
 * @param columns `{title, amount?}`; amounts are aligned at the right
 * @param rows lists of nodes or texts
 * @param foot the same for the last rows
 */
export function dataTable(caption, columns, rows, foot = []) {
  const cell = (tag, content, index, more = {}) =>
    element(tag, { className: columns[index]?.amount ? 'amount' : '', ...more }, content ?? '');
  const line = (row) => element('tr', {}, ...row.map((content, index) => cell('td', content, index)));
  const total = ([name, ...row]) =>
    element('tr', {}, cell('th', name, 0, { scope: 'row' }), ...row.map((content, index) => cell('td', content, index + 1)));
  const table = element(
    'table',
    { className: 'data' },
    element('caption', { className: 'unseen' }, caption),
    element('thead', {}, element('tr', {}, ...columns.map(({ title }, index) => cell('th', title, index, { scope: 'col' })))),
    element('tbody', {}, ...rows.map(line)),
    foot.length === 0 ? undefined : element('tfoot', {}, ...foot.map(total)),
  );
  // Focusable, because the keyboard has to reach what scrolls.
  return element('div', { className: 'scroller', tabIndex: 0, role: 'region', 'aria-label': caption }, table);
}
