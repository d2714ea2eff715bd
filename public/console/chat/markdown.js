import { markdown as texts } from '../../language/en/chat.js';
import { element } from '../kit/dom.js';
import { readableText } from '../page/page-text.js';
import { dataTable } from '../results/result-table.js';
import { inlineMarkdown } from './markdown-inline.js';

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})[ \t](.*)$/;
const ITEM = /^( {0,40})(?:([-*+])|(\d{1,9})[.)]) (.*)$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;
const RULE = /^[ \t]*[-*_][-*_ \t]+$/;
const TABLE_RULE = /^[ \t|:-]+$/;
/** Levels of lists and quotes; deeper ones are shown at this one. */
const MAX_DEPTH = 6;

/**
 * A part of Markdown as elements: paragraphs, headings, lists, quotes, code, tables, bold, links. Whatever else is in
 * the text stays text. Nothing is loaded: an image becomes a link.
 */
export function markdown(text) {
  return element(
    'div',
    { className: 'markdown', dir: 'auto' },
    ...blocks(String(text).replaceAll('\r\n', '\n').replaceAll('\t', '    ').split('\n'), 0),
  );
}

function blocks(lines, depth) {
  const nodes = [];
  let at = 0;
  while (at < lines.length) {
    const { node, next } = block(lines, at, depth);
    if (node !== undefined) nodes.push(node);
    at = next;
  }
  return nodes;
}

function block(lines, at, depth) {
  const line = lines[at];
  if (line.trim() === '') return { next: at + 1 };
  const heading = HEADING.exec(line);
  if (FENCE.test(line)) return fenced(lines, at);
  if (heading !== null) return { node: headingOf(heading), next: at + 1 };
  if (isRule(line)) return { node: element('hr'), next: at + 1 };
  if (QUOTE.test(line)) return quote(lines, at, depth);
  if (ITEM.test(line)) return list(lines, at, depth);
  if (line.includes('|') && isTableRule(lines[at + 1] ?? '')) return table(lines, at);
  return paragraph(lines, at);
}

const isTableRule = (line) => TABLE_RULE.test(line) && line.includes('--');

/** At least three of one mark. */
function isRule(line) {
  const marks = line.replaceAll(' ', '');
  return RULE.test(line) && marks.length >= 3 && new Set(marks).size === 1;
}

/** Not a real heading: those of the page would no longer be an outline. */
function headingOf([, marks, text]) {
  return element('p', { className: `markdown-heading level-${marks.length}` }, ...inlineMarkdown(text.trim()));
}

function fenced(lines, at) {
  const [, fence] = FENCE.exec(lines[at]);
  let end = at + 1;
  while (end < lines.length && !lines[end].trim().startsWith(fence)) end += 1;
  const code = lines.slice(at + 1, end).join('\n');
  return { node: element('pre', { tabIndex: 0, role: 'region', 'aria-label': texts.code }, readableText(code)), next: end + 1 };
}

function quote(lines, at, depth) {
  let end = at;
  const inner = [];
  while (end < lines.length && QUOTE.test(lines[end])) inner.push(QUOTE.exec(lines[end++])[1]);
  const content = depth < MAX_DEPTH ? blocks(inner, depth + 1) : inlineMarkdown(inner.join('\n'));
  return { node: element('blockquote', {}, ...content), next: end };
}

/** Lines that belong to the item are indented further than its mark, or follow it without a blank line. */
function list(lines, at, depth) {
  const [, indent, , number] = ITEM.exec(lines[at]);
  const items = [];
  let next = at;
  while (next < lines.length) {
    const item = ITEM.exec(lines[next]);
    if (
      item === null ||
      item[1].length > indent.length + 1 ||
      item[1].length < indent.length ||
      (item[3] === undefined) !== (number === undefined)
    )
      break;
    const end = endOfItem(lines, next, indent.length);
    const inner = [item[4], ...lines.slice(next + 1, end).map((line) => line.replace(/^(?: {1,4}|\t)/, ''))];
    items.push(element('li', {}, ...itemContent(inner, depth)));
    next = end;
    while (next < lines.length && lines[next].trim() === '' && ITEM.test(lines[next + 1] ?? '')) next += 1;
  }
  const node = number === undefined ? element('ul') : element('ol', { start: Number(number) });
  node.append(...items);
  return { node, next };
}

function endOfItem(lines, at, indent) {
  let end = at + 1;
  while (end < lines.length) {
    const line = lines[end];
    if (line.trim() === '') return end;
    const item = ITEM.exec(line);
    if (item !== null && item[1].length <= indent + 1) return end;
    if (item === null && /^\S/.test(line) && (HEADING.test(line) || FENCE.test(line))) return end;
    end += 1;
  }
  return end;
}

function itemContent(lines, depth) {
  if (lines.length === 1 || depth >= MAX_DEPTH) return inlineMarkdown(lines.join('\n'));
  const nested = lines.findIndex((line, index) => index > 0 && ITEM.test(line));
  const text = nested === -1 ? lines : lines.slice(0, nested);
  return [...inlineMarkdown(text.join('\n')), ...(nested === -1 ? [] : blocks(lines.slice(nested), depth + 1))];
}

function table(lines, at) {
  const cells = (line) => {
    const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
    return inner
      .split(/(?<!\\)\|/)
      .map((cell) => element('span', {}, ...inlineMarkdown(cell.trim().replaceAll('\\|', '|').replaceAll('<br>', ', '))));
  };
  const columns = cells(lines[at]).map((title) => ({ title }));
  let end = at + 2;
  const rows = [];
  while (end < lines.length && lines[end].includes('|')) rows.push(cells(lines[end++]).slice(0, columns.length));
  return { node: dataTable(texts.table, columns, rows), next: end };
}

function paragraph(lines, at) {
  let end = at + 1;
  const starts = (line) => line.trim() === '' || [FENCE, HEADING, ITEM, QUOTE].some((pattern) => pattern.test(line)) || isRule(line);
  while (end < lines.length && !starts(lines[end])) end += 1;
  return { node: element('p', {}, ...inlineMarkdown(lines.slice(at, end).join('\n'))), next: end };
}
