import { z } from 'zod';
import { unreadableResponse } from '../../providers/transport/response-json.ts';
import { list, unchecked } from '../../providers/transport/response-list.ts';
import { checked, responseReader } from '../../providers/transport/responses.ts';
import { multiLine } from '../shared/display-text.ts';
import { jsonBytes } from '../shared/fitting.ts';
import { PART_UNITS, type PartLimit, textPart } from '../shared/text-part.ts';
import { columnAfter, formatTabRange, isOneCell, parseTabRange, type TabRange } from './tab-ranges.ts';

const MAX_COLUMNS = 18_278;
export const MAX_RANGES = 20;
/** Characters of a cell among others; a cell that is read alone shows more of its text. */
export const MAX_CELL = 2_000;
/** What a result says of a cell that is cut, with the name of its tab. */
const CUT_BYTES = 700;

const valueRange = z.object({ range: z.string().max(500), values: unchecked.default([]) });

/** Limits of a range in one result. */
export interface RowLimits {
  max: number;
  /** Bytes of JSON, padding included. */
  maxBytes: number;
  /** Where to begin in the text of each cell, UTF-16 units. */
  offset?: number;
}

type Cell = string | number | boolean | null;

/** A cell of which a part is shown. */
export interface CutCell {
  /** Its address, as a range. */
  cell: string;
  /** Of the whole cell, UTF-16 units. */
  characters: number;
  /** Where the following part begins. */
  next_offset: number;
}

export interface ReadRange {
  /** The range that the provider read. */
  range: string;
  /** All of the same length. */
  rows: Cell[][];
  /** Rows that fitted into the result; the next part starts after them. */
  limit: number;
  /** Columns that fitted, if a single row is too long for the result. */
  columns: number | undefined;
  cut: CutCell[];
}

/** The first rows of a range. Further rows are ignored: a sheet may have millions of cells. */
export const cellRows = responseReader(import.meta.url, 'cellRows', (response, limits: RowLimits) => readRange(response, limits));

/** The same for several ranges. */
export const cellRanges = responseReader(import.meta.url, 'cellRanges', (response, limits: RowLimits) => {
  const { valueRanges } = checked(z.object({ valueRanges: list(z.unknown(), MAX_RANGES) }), response);
  return valueRanges.map((one) => readRange(one, limits));
});

interface ReadCell {
  value: Cell;
  cut?: CutCell;
}

function readRange(response: unknown, { max, maxBytes, offset = 0 }: RowLimits): ReadRange {
  const { range, values } = checked(valueRange, response);
  const place = parseTabRange(range);
  const limit = { units: isOneCell(place) ? PART_UNITS : MAX_CELL, bytes: maxBytes - CUT_BYTES };
  const given = values.slice(0, max).map(toRow);
  const width = widthOf(given);
  const kept: ReadCell[][] = [];
  let left = maxBytes;
  for (const [index, cells] of given.entries()) {
    const row = cells.map((cell, column) => readCell(cell, { offset, limit, address: () => addressOf(place, index, column) }));
    left -= bytesOf(row) + (width - row.length) * ',null'.length;
    // At least one row, so that reading can continue.
    if (left < 0 && kept.length > 0) break;
    kept.push(row);
    if (left < 0) break;
  }
  const columns = kept.length === 1 && left < 0 ? fittingColumns(kept[0] ?? [], maxBytes) : undefined;
  const cells = kept.map((row) => row.slice(0, columns));
  return {
    range,
    rows: padded(cells.map((row) => row.map(({ value }) => value))),
    limit: left < 0 ? kept.length : max,
    columns,
    cut: cells.flat().flatMap(({ cut }) => cut ?? []),
  };
}

/** Rows of the same length, with null for what is empty. */
function padded(rows: Cell[][]): Cell[][] {
  const width = widthOf(rows);
  return rows.map((row) => Array.from({ length: width }, (_, column) => (row[column] === '' ? null : (row[column] ?? null))));
}

/** @returns undefined if all of them fit; one at least */
function fittingColumns(row: readonly ReadCell[], bytes: number): number | undefined {
  let left = bytes;
  const over = row.findIndex((cell) => {
    left -= bytesOf([cell]);
    return left < 0;
  });
  return over === -1 || row.length === 1 ? undefined : Math.max(1, over);
}

function bytesOf(row: readonly ReadCell[]): number {
  return jsonBytes(row.map(({ value }) => value)) + row.reduce((sum, { cut }) => sum + (cut === undefined ? 0 : jsonBytes(cut) + 1), 0);
}

function toRow(row: unknown): unknown[] {
  if (!Array.isArray(row) || row.length > MAX_COLUMNS) throw unreadableResponse('unexpected values');
  return row;
}

function readCell(cell: unknown, part: { offset: number; limit: PartLimit; address: () => string }): ReadCell {
  if (typeof cell === 'string') return textCell(multiLine.parse(cell), part);
  if (typeof cell === 'number' || typeof cell === 'boolean' || cell === null) return { value: cell };
  throw unreadableResponse('unexpected values');
}

function textCell(text: string, { offset, limit, address }: { offset: number; limit: PartLimit; address: () => string }): ReadCell {
  const { text: value, next_offset: next } = textPart(text, offset, limit);
  return next === undefined ? { value } : { value, cut: { cell: address(), characters: text.length, next_offset: next } };
}

function addressOf({ tab, cells }: TabRange, down: number, across: number): string {
  const column = columnAfter(cells?.fromColumn ?? 'A', across);
  const row = (cells?.fromRow ?? 1) + down;
  return formatTabRange({ tab, cells: { fromColumn: column, toColumn: column, fromRow: row, toRow: row } });
}

function widthOf(rows: readonly unknown[][]): number {
  return rows.reduce((width, row) => Math.max(width, row.length), 0);
}
