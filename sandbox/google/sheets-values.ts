import { invalid } from '../api-fault.ts';
import { formatRange, type GridRange } from './sheets-a1.ts';
import type { Cell } from './sheets-world.ts';

const OPTIONS = {
  valueRenderOption: ['FORMATTED_VALUE', 'UNFORMATTED_VALUE', 'FORMULA'],
  dateTimeRenderOption: ['SERIAL_NUMBER', 'FORMATTED_STRING'],
  majorDimension: ['ROWS', 'COLUMNS'],
} as const;

const MAX_CELL = 50_000;

export type Rendering = ReturnType<typeof renderingOf>;

/** @throws ApiFault 400 for an unknown option */
export function renderingOf(query: URLSearchParams) {
  return {
    value: option(query, 'valueRenderOption'),
    date: option(query, 'dateTimeRenderOption'),
    dimension: option(query, 'majorDimension'),
  };
}

/** A ValueRange. Trailing empty cells and rows are left out, and so is `values` if it is empty. */
export function valueRange(range: GridRange, rendering: Rendering): object {
  const rows = range.tab.cells.slice(range.row, range.rowEnd).map((row) => row.slice(range.column, range.columnEnd));
  const lines = rendering.dimension === 'ROWS' ? rows : transpose(rows);
  const values = trimmed(
    lines.map((line) =>
      trimmed(
        [...line].map((cell) => render(cell, rendering)),
        (value) => value === '',
      ),
    ),
    (line) => line.length === 0,
  );
  return { range: formatRange(range), majorDimension: rendering.dimension, ...(values.length > 0 && { values }) };
}

/**
 * Writes rows from the range's first cell on, and enlarges the tab if necessary.
 *
 * @throws ApiFault 400 for a cell of more than 50,000 characters
 */
export function writeValues({ tab, row, column }: GridRange, rows: (string | number | boolean)[][]): void {
  if (rows.flat().some((value) => String(value).length > MAX_CELL)) {
    throw invalid(`Your input contains more than the maximum of ${MAX_CELL} characters in a single cell.`);
  }
  for (const [down, values] of rows.entries()) {
    while (tab.cells.length <= row + down) tab.cells.push([]);
    const cells = tab.cells[row + down] ?? [];
    for (const [across, value] of values.entries()) cells[column + across] = value === '' ? undefined : value;
    tab.columns = Math.max(tab.columns, column + values.length);
  }
  tab.rows = Math.max(tab.rows, row + rows.length);
}

function option<Name extends keyof typeof OPTIONS>(query: URLSearchParams, name: Name) {
  const known: readonly (typeof OPTIONS)[Name][number][] = OPTIONS[name];
  const value = query.get(name) ?? known[0];
  const option = known.find((candidate) => candidate === value);
  if (option === undefined) throw invalid(`Invalid value at '${name}': "${value}"`);
  return option;
}

function render(cell: Cell | null, { value, date }: Rendering): string | number | boolean {
  // After saving, a gap in a row is null.
  if (cell === undefined || cell === null) return '';
  if (typeof cell !== 'object') return value === 'FORMATTED_VALUE' ? shown(cell) : cell;
  if (value === 'FORMATTED_VALUE') return cell.shown;
  if (value === 'FORMULA' && cell.formula !== undefined) return cell.formula;
  return cell.isDate === true && date === 'FORMATTED_STRING' ? cell.shown : cell.value;
}

function shown(value: string | number | boolean): string {
  return typeof value === 'boolean' ? String(value).toUpperCase() : String(value);
}

function transpose(rows: Cell[][]): Cell[][] {
  const width = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column]));
}

function trimmed<T>(list: T[], isEmpty: (item: T) => boolean): T[] {
  return list.slice(0, list.findLastIndex((item) => !isEmpty(item)) + 1);
}
