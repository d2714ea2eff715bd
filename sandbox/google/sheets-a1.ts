import { invalid } from '../api-fault.ts';
import type { Spreadsheet, Tab } from './sheets-world.ts';

/** A range of a tab, counted from 0, with exclusive ends. */
export interface GridRange {
  tab: Tab;
  row: number;
  column: number;
  rowEnd: number;
  columnEnd: number;
}

const CELL = /^\$?([A-Za-z]{1,3})?\$?([1-9]\d{0,6})?$/;
/** The other notation: `R1C1`, `RC`; a missing number is that of the first row or column. */
const ROW_COLUMN = /^R(?:(\d*)C(\d*))?$|^C$/i;
/** Other names must be quoted. */
const PLAIN_NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/**
 * Parses A1 notation: `Tab!A1:B2`, `'Odd name'!A:C`, `A1:B2` (of the first visible tab), `Tab`; or R1C1 notation, which
 * comes before names of tabs.
 *
 * @throws ApiFault 400 with the provider's message
 */
export function parseRange(spreadsheet: Spreadsheet, range: string): GridRange {
  const { name, cells: written } = split(range);
  const cells = fromRowColumn(written) ?? written;
  if (name === undefined && !isCells(cells)) return whole(findTab(spreadsheet, cells, range));
  const tab = name === undefined ? spreadsheet.tabs.find(({ hidden }) => hidden !== true) : findTab(spreadsheet, name, range);
  if (tab === undefined) throw unparsable(range);
  return cells === '' ? whole(tab) : cellsOf(tab, cells, range);
}

/** A range in a response: `'Odd name'!A1:C20`. */
export function formatRange({ tab, row, column, rowEnd, columnEnd }: GridRange): string {
  const name = PLAIN_NAME.test(tab.title) && !isCells(tab.title) ? tab.title : `'${tab.title.replaceAll("'", "''")}'`;
  const [first, last] = [`${letters(column)}${row + 1}`, `${letters(columnEnd - 1)}${rowEnd}`];
  return `${name}!${first === last ? first : `${first}:${last}`}`;
}

/** `R2C3:R4C5` as `C2:E4`; undefined for anything else. */
function fromRowColumn(text: string): string | undefined {
  const parts = text.split(':').map((part) => ROW_COLUMN.exec(part));
  if (isCells(text) || parts.includes(null)) return undefined;
  return parts.map((part) => `${letters(number(part?.[2] || undefined, 1) - 1)}${number(part?.[1] || undefined, 1)}`).join(':');
}

function split(range: string): { name: string | undefined; cells: string } {
  const quoted = /^'((?:[^']|'')+)'(?:!(.+))?$/.exec(range);
  if (quoted?.[1] !== undefined) return { name: quoted[1].replaceAll("''", "'"), cells: quoted[2] ?? '' };
  const mark = range.indexOf('!');
  if (mark === -1) return { name: undefined, cells: range };
  const name = range.slice(0, mark);
  if (!PLAIN_NAME.test(name)) throw unparsable(range);
  return { name, cells: range.slice(mark + 1) };
}

function findTab({ tabs }: Spreadsheet, name: string, range: string): Tab {
  const tab = tabs.find(({ title }) => title.toLowerCase() === name.toLowerCase());
  if (tab === undefined) throw unparsable(range);
  return tab;
}

function whole(tab: Tab): GridRange {
  return { tab, row: 0, column: 0, rowEnd: tab.rows, columnEnd: tab.columns };
}

function isCells(text: string): boolean {
  const [from = '', to] = text.split(':');
  const match = CELL.exec(from);
  return from !== '' && match !== null && (to !== undefined || (match[1] !== undefined && match[2] !== undefined));
}

function cellsOf(tab: Tab, cells: string, range: string): GridRange {
  const [from = '', to = from, ...more] = cells.split(':');
  const [first, last] = [CELL.exec(from), CELL.exec(to)];
  if (!isCells(cells) || first === null || last === null || to === '' || more.length > 0) throw unparsable(range);
  const row = number(first[2], 1) - 1;
  const column = first[1] === undefined ? 0 : columnNumber(first[1]);
  if (row >= tab.rows || column >= tab.columns) {
    throw invalid(`Range (${range}) exceeds grid limits. Max rows: ${tab.rows}, max columns: ${tab.columns}`);
  }
  const rowEnd = Math.min(number(last[2], tab.rows), tab.rows);
  const columnEnd = last[1] === undefined ? tab.columns : Math.min(columnNumber(last[1]) + 1, tab.columns);
  if (rowEnd <= row || columnEnd <= column) throw unparsable(range);
  return { tab, row, column, rowEnd, columnEnd };
}

function number(digits: string | undefined, otherwise: number): number {
  return digits === undefined ? otherwise : Number(digits);
}

/** A is 0, Z is 25, AA is 26. */
function columnNumber(name: string): number {
  return [...name.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function letters(column: number): string {
  const rest = Math.floor(column / 26);
  return `${rest > 0 ? letters(rest - 1) : ''}${String.fromCharCode(65 + (column % 26))}`;
}

function unparsable(range: string) {
  return invalid(`Unable to parse range: ${range}`);
}
