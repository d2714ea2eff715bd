import { chart as texts } from '../../language/en/results.js';
import { element } from '../kit/dom.js';
import { dataTable } from './result-table.js';

const SVG = 'http://www.w3.org/2000/svg';
/** Pixels: a bar is below its name, so that both fit on a phone. */
const ROW = 42;
const TEXT = 15;
const BAR = { y: 22, height: 10, rx: 5 };

let count = 0;

/**
 * Horizontal bars with names and values, and the same as a table for those who don't see them.
 *
 * @param title of the chart
 * @param unit what a bar is: “Category”
 * @param bars `{name, value}`, drawn in this order
 * @param format of a value
 */
export function barChart({ title, unit, bars, format }) {
  count += 1;
  const id = `chart-${count}`;
  const most = Math.max(...bars.map(({ value }) => Math.abs(value)), 0);
  const height = bars.length * ROW;
  const summary = bars.map(({ name, value }) => `${name} ${format(value)}`).join(', ');
  const drawing = svg(
    'svg',
    { width: '100%', height, role: 'img', 'aria-labelledby': `${id}-title ${id}-desc`, class: 'chart-drawing' },
    svg('title', { id: `${id}-title` }, title),
    svg('desc', { id: `${id}-desc` }, texts.described(unit, summary)),
    ...bars.map((bar, index) => row(bar, index, most, format)),
  );
  const rows = bars.map(({ name, value }) => [name, format(value)]);
  const table = dataTable(texts.titleAsTable(title), [{ title: unit }, { title: texts.amount, amount: true }], rows);
  return element(
    'figure',
    { className: 'chart' },
    element('figcaption', {}, title),
    drawing,
    element('details', {}, element('summary', {}, texts.asTable), table),
  );
}

function row({ name, value }, index, most, format) {
  const top = index * ROW;
  const bar = { ...BAR, y: top + BAR.y };
  const share = most === 0 ? 0 : (Math.abs(value) / most) * 100;
  return svg(
    'g',
    {},
    svg('text', { class: 'chart-name', x: 0, y: top + TEXT }, name),
    svg('text', { class: 'chart-value', x: '100%', y: top + TEXT, 'text-anchor': 'end' }, format(value)),
    svg('rect', { ...bar, class: 'chart-track', width: '100%' }),
    svg('rect', { ...bar, class: value < 0 ? 'chart-bar negative' : 'chart-bar', width: `${Math.max(share, 1)}%` }),
  );
}

function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}
