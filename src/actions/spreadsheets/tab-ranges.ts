import { AppError } from '../../errors.ts';

/** A parsed range in A1 notation; rows count from 1. */
export interface TabRange {
  /** undefined: the first tab. */
  tab: string | undefined;
  /** undefined: the whole tab. */
  cells: CellBounds | undefined;
}

export interface CellBounds {
  /** Column letters; undefined = the first or last column. */
  fromColumn: string | undefined;
  toColumn: string | undefined;
  fromRow: number | undefined;
  toRow: number | undefined;
}

const CELLS = /^\$?([A-Za-z]{1,3})?\$?([1-9]\d{0,6})?(?::\$?([A-Za-z]{1,3})?\$?([1-9]\d{0,6})?)?$/;
/** May also be the name of a named range, which must not be quoted. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** R1C1 notation, in which the provider reads a cell or range before it looks for a tab of this name. */
const ROW_COLUMN = /^(?:R\d*(?:C\d*)?|C\d*)$/i;

/**
 * Reads `Tab!A1:C20`, `'Odd name'!A:C`, `Odd name!A1`, `A1:C20` or only a tab's name.
 *
 * @throws AppError `invalid_request` if a quoted tab is followed by an invalid range
 */
export function parseTabRange(range: string): TabRange {
  const quoted = /^'((?:[^']|'')+)'(?:!(.*))?$/.exec(range);
  if (quoted?.[1] !== undefined) {
    const cells = quoted[2] === undefined ? undefined : parseCells(quoted[2]);
    if (quoted[2] !== undefined && cells === undefined) throw new AppError('invalid_request', `range: ${range} is not a range of cells`);
    return { tab: quoted[1].replaceAll("''", "'"), cells };
  }
  const mark = range.lastIndexOf('!');
  const cells = parseCells(range.slice(mark + 1));
  if (cells === undefined) return { tab: range, cells: undefined };
  return { tab: mark === -1 ? undefined : range.slice(0, mark), cells };
}

/** The range in the provider's notation, with the tab's name quoted if necessary. */
export function formatTabRange({ tab, cells }: TabRange): string {
  const bounds = cells && formatCells(cells);
  if (tab === undefined) return bounds ?? '';
  const plain = PLAIN_NAME.test(tab) && !ROW_COLUMN.test(tab) && parseCells(tab) === undefined;
  const name = plain ? tab : `'${tab.replaceAll("'", "''")}'`;
  return bounds === undefined ? name : `${name}!${bounds}`;
}

/** Whether it is a single cell, such as `Budget!B7`. */
export function isOneCell({ cells }: TabRange): boolean {
  const { fromColumn, toColumn, fromRow, toRow } = cells ?? {};
  return fromColumn !== undefined && fromRow !== undefined && fromColumn === toColumn && fromRow === toRow;
}

/**
 * The column so many columns to the right of another.
 *
 * @param column its letters, in either case
 */
export function columnAfter(column: string, count: number): string {
  return columnLetters(columnNumber(column) + count);
}

/** The opposite of {@link columnLetters}. */
function columnNumber(letters: string): number {
  return [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

/** @param number counted from 1: 1 is A, 26 is Z, 27 is AA */
function columnLetters(number: number): string {
  const last = (number - 1) % 26;
  const before = (number - 1 - last) / 26;
  return `${before > 0 ? columnLetters(before) : ''}${String.fromCharCode(65 + last)}`;
}

function formatCells({ fromColumn = '', fromRow, toColumn = '', toRow }: CellBounds): string {
  const [from, to] = [`${fromColumn}${fromRow ?? ''}`, `${toColumn}${toRow ?? ''}`];
  return from === to && fromColumn !== '' && fromRow !== undefined ? from : `${from}:${to}`;
}

function parseCells(text: string): CellBounds | undefined {
  const match = CELLS.exec(text);
  if (match === null) return undefined;
  const [, fromColumn, fromRow, toColumn, toRow] = match;
  const single = !text.includes(':');
  // `A` and `7` alone are not cells: they may be the name of a tab.
  if (single && (fromColumn === undefined || fromRow === undefined)) return undefined;
  if (!single && [fromColumn ?? fromRow, toColumn ?? toRow].includes(undefined)) return undefined;
  const [firstColumn, lastColumn] = inOrder(fromColumn, single ? fromColumn : toColumn, columnNumber);
  const [firstRow, lastRow] = inOrder(rowNumber(fromRow), rowNumber(single ? fromRow : toRow), Number);
  return { fromColumn: firstColumn, toColumn: lastColumn, fromRow: firstRow, toRow: lastRow };
}

/** A range may be given by any two opposite corners: `B5:A1` is `A1:B5`. */
function inOrder<Bound>(from: Bound | undefined, to: Bound | undefined, numberOf: (bound: Bound) => number) {
  const isReversed = from !== undefined && to !== undefined && numberOf(from) > numberOf(to);
  return isReversed ? [to, from] : [from, to];
}

function rowNumber(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}
