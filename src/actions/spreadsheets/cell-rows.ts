import { z } from 'zod';
import { unreadableResponse } from '../../providers/transport/response-json.ts';
import { list, unchecked } from '../../providers/transport/response-list.ts';
import { checked, responseReader } from '../../providers/transport/responses.ts';
import { multiLine } from '../shared/display-text.ts';

const MAX_COLUMNS = 18_278;
export const MAX_RANGES = 20;
const text = multiLine;

const valueRange = z.object({ range: z.string().max(500), values: unchecked.default([]) });

/** Limits of a range in one result. */
export interface RowLimits {
  max: number;
  /** Bytes of JSON, padding included. */
  maxBytes: number;
}

type Cell = string | number | boolean | null;

export interface ReadRange {
  /** The range that the provider read. */
  range: string;
  /** All of the same length. */
  rows: Cell[][];
  /** Rows that fitted into the result; the next part starts after them. */
  limit: number;
}

/** The first rows of a range. Further rows are ignored: a sheet may have millions of cells. */
export const cellRows = responseReader(import.meta.url, 'cellRows', (response, limits: RowLimits) => readRange(response, limits));

/** The same for several ranges. */
export const cellRanges = responseReader(import.meta.url, 'cellRanges', (response, limits: RowLimits) => {
  const { valueRanges } = checked(z.object({ valueRanges: list(z.unknown(), MAX_RANGES) }), response);
  return valueRanges.map((one) => readRange(one, limits));
});

function readRange(response: unknown, { max, maxBytes }: RowLimits): ReadRange {
  const { range, values } = checked(valueRange, response);
  const given = values.slice(0, max).map(toRow);
  const width = widthOf(given);
  const kept: Cell[][] = [];
  let left = maxBytes;
  for (const cells of given) {
    const row = cells.map(toCell);
    left -= Buffer.byteLength(JSON.stringify(row)) + (width - row.length) * ',null'.length;
    // At least one row, so that reading can continue.
    if (left < 0 && kept.length > 0) break;
    kept.push(row);
    if (left < 0) break;
  }
  const shown = widthOf(kept);
  const rows = kept.map((row) => Array.from({ length: shown }, (_, column) => (row[column] === '' ? null : (row[column] ?? null))));
  return { range, rows, limit: left < 0 ? kept.length : max };
}

function toRow(row: unknown): unknown[] {
  if (!Array.isArray(row) || row.length > MAX_COLUMNS) throw unreadableResponse('unexpected values');
  return row;
}

function toCell(cell: unknown): Cell {
  if (typeof cell === 'string') return text.parse(cell);
  if (typeof cell === 'number' || typeof cell === 'boolean' || cell === null) return cell;
  throw unreadableResponse('unexpected values');
}

function widthOf(rows: readonly unknown[][]): number {
  return rows.reduce((width, row) => Math.max(width, row.length), 0);
}
