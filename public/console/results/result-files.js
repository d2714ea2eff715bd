import { counts } from '../../language/en/counts.js';
import { files as texts } from '../../language/en/results.js';
import { plainWords } from '../../language/names.js';
import { markdown } from '../chat/markdown.js';
import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { safeLink } from '../kit/safe-link.js';
import { formatter } from '../page/page-format.js';
import { readableText } from '../page/page-text.js';
import { moreNote } from './result-badges.js';
import { dataTable } from './result-table.js';

const KINDS = { folder: 'DIR', document: 'DOC', spreadsheet: 'XLS', presentation: 'PPT', pdf: 'PDF', image: 'IMG', text: 'TXT' };

const isFile = (one) => typeof one?.name === 'string' && typeof one.mime === 'string' && typeof one.type === 'string';

export const isFileList = ({ items }) => Array.isArray(items) && items.length > 0 && items.every(isFile);

export function fileList({ items, next, failed }) {
  return {
    count: counts.files(items.length, formatter),
    nodes: [element('ul', { className: 'rows' }, ...items.map(fileRow)), moreNote(next, failed)],
  };
}

function fileRow(file) {
  const { name, type, modified, size, owner, link, shared, trashed } = file;
  const facts = [
    plainWords(type),
    size === undefined ? '' : formatter.bytes(size),
    modified ? formatter.dateTime(modified) : '',
    owner ? readableText(owner) : '',
  ];
  return element(
    'li',
    { className: 'file' },
    element('span', { className: 'file-kind', 'aria-hidden': 'true' }, KINDS[type] ?? 'FILE'),
    element(
      'div',
      {},
      element(
        'p',
        { className: 'file-name', dir: 'auto' },
        link ? safeLink(link, name) : readableText(name),
        ' ',
        shared ? tag('attention', 'shared') : undefined,
        trashed ? tag('', texts.inTrash) : undefined,
      ),
      element('p', { className: 'event-facts' }, facts.filter(Boolean).join(' · ')),
    ),
  );
}

export const isSingleFile = isFile;

/** One file, with its content or the people who see it. */
export function singleFile(data) {
  const { text, base64, format, people, next_offset: next } = data;
  return {
    nodes: [
      element('ul', { className: 'rows' }, fileRow(data)),
      ...(people ? [peopleList(people)] : []),
      ...content({ text, base64, format, name: data.name }),
      moreNote(next),
    ],
  };
}

export const isAttachment = (data) => typeof data.mime === 'string' && (typeof data.text === 'string' || typeof data.base64 === 'string');

export function attachment({ name = texts.attachment, mime, size, text, base64, next_offset: next }) {
  return {
    nodes: [
      element(
        'p',
        { className: 'result-title' },
        readableText(name),
        element('span', { className: 'muted' }, texts.facts(mime, size === undefined ? undefined : formatter.bytes(size))),
      ),
      ...content({ text, base64, format: mime, name }),
      moreNote(next),
    ],
  };
}

function content({ text, base64, format, name }) {
  if (typeof text === 'string') {
    if (text === '') return [element('p', { className: 'muted' }, texts.empty)];
    return [format === 'text/markdown' ? markdown(text) : element('div', { className: 'prose', dir: 'auto' }, readableText(text))];
  }
  if (typeof base64 !== 'string') return [];
  return [
    element('p', { className: 'muted' }, texts.notShown(readableText(name), format, formatter.bytes(Math.floor((base64.length * 3) / 4)))),
  ];
}

function peopleList(people) {
  const rows = people.map(({ who, role }) => [readableText(who ?? ''), readableText(role ?? '')]);
  return dataTable(texts.access, [{ title: texts.who }, { title: texts.role }], rows);
}

export const isPermissionList = ({ items }) =>
  Array.isArray(items) && items.length > 0 && items.every((item) => typeof item?.role === 'string' && 'type' in item);

export function permissionList({ items }) {
  return { count: counts.peopleAndGroups(items.length, formatter), nodes: [peopleList(items)] };
}

export const isDocument = ({ tabs, title }) =>
  typeof title === 'string' && Array.isArray(tabs) && tabs.length > 0 && tabs.every((one) => typeof one?.text === 'string');

/** The tabs of a document as text; its Markdown is read as such. */
export function documentText({ title, link, tabs, next_offset: next }) {
  const heading = element('p', { className: 'result-title' }, link ? safeLink(link, title) : readableText(title));
  const parts = tabs.map(({ title: name, text }) => {
    const body = text === '' ? element('p', { className: 'muted' }, texts.empty) : markdown(text);
    if (tabs.length === 1) return body;
    return element('details', { className: 'message', open: text !== '' }, element('summary', {}, readableText(name)), body);
  });
  return { count: tabs.length === 1 ? undefined : counts.tabs(tabs.length, formatter), nodes: [heading, ...parts, moreNote(next)] };
}

export const isSlides = ({ slides }) =>
  Array.isArray(slides) && slides.length > 0 && slides.every((one) => typeof one?.number === 'number');

export function slideList({ title, slides, next }) {
  const cards = slides.map(({ number, title: name, text, notes, skipped }) =>
    element(
      'li',
      { className: 'slide' },
      element('p', { className: 'slide-number' }, `${number}`, skipped ? ' ' : undefined, skipped ? tag('', texts.skipped) : undefined),
      name ? element('p', { className: 'slide-title', dir: 'auto' }, readableText(name)) : undefined,
      text ? element('div', { className: 'prose plain', dir: 'auto' }, readableText(text)) : undefined,
      notes ? element('p', { className: 'slide-notes', dir: 'auto' }, texts.notes(readableText(notes))) : undefined,
    ),
  );
  return {
    count: counts.slides(slides.length, formatter),
    nodes: [
      title ? element('p', { className: 'result-title' }, readableText(title)) : undefined,
      element('ol', { className: 'slides' }, ...cards),
      moreNote(next),
    ],
  };
}

export const isSheet = ({ ranges }) => Array.isArray(ranges) && ranges.length > 0 && ranges.every((one) => Array.isArray(one?.rows));

/** Cells as a table; the first row is shown as it is, since nothing says that it is a heading. */
export function sheetTables({ ranges }) {
  const nodes = ranges.flatMap(({ range, rows, next }) => {
    const name = readableText(range ?? texts.cells);
    if (rows.length === 0) return [element('p', { className: 'result-title' }, name), element('p', { className: 'muted' }, texts.noValues)];
    const isNumber = (index) => rows.slice(1).some((row) => typeof row[index] === 'number');
    const columns = Array.from(rows[0], (_, index) => ({ title: columnName(index), amount: isNumber(index) }));
    const cells = rows.map((row) =>
      row.map((value) => (value === null ? '' : typeof value === 'number' ? formatter.number(value) : readableText(value))),
    );
    return [element('p', { className: 'result-title' }, name), dataTable(name, columns, cells), moreNote(next)];
  });
  return {
    count: counts.rows(
      ranges.reduce((sum, { rows }) => sum + rows.length, 0),
      formatter,
    ),
    nodes,
  };
}

const LETTERS = 26;

/** 0 → A, 26 → AA. */
function columnName(index) {
  const before = index >= LETTERS ? columnName(Math.floor(index / LETTERS) - 1) : '';
  return before + String.fromCharCode('A'.charCodeAt(0) + (index % LETTERS));
}
