import { z } from 'zod';
import { english } from '../../../public/language/english.js';
import { AppError } from '../../errors.ts';
import { unreadableResponse } from '../../providers/transport/response-json.ts';
import { WorkspaceApiError } from '../../providers/workspace/workspace-api-errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { cutList } from '../../validation/cut-text.ts';
import { text } from '../../validation/validate.ts';
import { explainKind } from '../drive/wrong-kind.ts';
import type { Action } from '../shared/action.ts';
import { builtIn } from '../shared/built-in.ts';
import { quoted } from '../shared/display-text.ts';
import { fileReference } from '../shared/file-reference.ts';
import { offset } from '../shared/text-part.ts';
import { cellRanges, cellRows, MAX_CELL, MAX_RANGES, type ReadRange, type RowLimits } from './cell-rows.ts';
import { SPREADSHEET, shownSpreadsheet, spreadsheetsInfo, tabTitles } from './spreadsheets-info.ts';
import { type CellBounds, columnAfter, formatTabRange, isOneCell, parseTabRange, type TabRange } from './tab-ranges.ts';

const MAX_ROWS = 1_000;
/** JSON of one result's rows: a little below the output limit, because `next` would skip truncated rows. */
const MAX_BYTES = 200_000;
/** A range's address and that of the next one. */
const BESIDE_BYTES = 500;

const range = text(300);

const input = z.strictObject({
  id: fileReference('spreadsheets').describe('Id or URL of the file.'),
  range: range
    .optional()
    .describe(
      'A1 notation: "Budget!A1:F20", "Año 2026!A:C", "Budget" for a whole tab; default the first visible tab. Quote a name that looks like cells ("\'Q1\'").',
    ),
  ranges: z.array(range).min(1).max(MAX_RANGES).optional().describe('Several, instead of range.'),
  max: z.int().min(1).max(MAX_ROWS).default(200).describe('Most rows of each range.'),
  offset: offset.describe('To read on in one long cell: its `next_offset` of `cut`, with its address as range.'),
});

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const output = z.object({
  ranges: z.array(
    z.object({
      range: z.string().describe('The range that was read.'),
      rows: z
        .array(z.array(cell))
        .describe(
          'Rows of equal length; null = empty. Values, not formulas; dates as the sheet shows them. Empty rows at the end are omitted.',
        ),
      cut: z
        .array(
          z.object({
            cell: z.string(),
            characters: z.int().describe('Length of the whole cell.'),
            next_offset: z.int().describe('Read on with `cell` as range and this as `offset`.'),
          }),
        )
        .optional()
        .describe(`Cells of which only the beginning is shown: ${english.number(MAX_CELL)} characters; more of a cell that is read alone.`),
      next: z.string().optional().describe('There are more rows: read this range next.'),
      next_columns: z.string().optional().describe('There are more columns of these rows: read this range, too.'),
    }),
  ),
});

const spreadsheetsRead = builtIn('workspace', {
  name: 'spreadsheets.read',
  effect: 'read',
  description: 'Read cell ranges of a spreadsheet, or its first tab. Long tabs and cells come in parts.',
  scopes: ['spreadsheets.readonly', 'drive'],
  input,
  output,
  sources: (_output, { id: item }) => [{ item, integrity: 'others' }],
  summary: ({ id, range, ranges }) =>
    `Read ${[range, ...(ranges ?? [])].flatMap((one) => (one === undefined ? [] : [quoted(one)])).join(', ') || 'the first tab'} of spreadsheet ${id}`,
  shown: ({ id }, _facts, { session }) => shownSpreadsheet(session, id),
  async run({ id, range, ranges, max, offset }, { session, capBytes }) {
    if (range !== undefined && ranges !== undefined) throw new AppError('invalid_request', 'range: give either range or ranges');
    const places = ranges?.map(parseTabRange) ?? [range === undefined ? FIRST_TAB : parseTabRange(range)];
    if (offset > 0 && !(places.length === 1 && places.every(isOneCell))) {
      throw new AppError('invalid_request', 'offset: is a place in one cell; give its address as range, such as "Budget!B7"');
    }
    const limits = { max, maxBytes: Math.floor(Math.min(MAX_BYTES, capBytes) / places.length) - BESIDE_BYTES, offset };
    return { ranges: await readPlaces(session, id, places, limits).catch((error) => explain(error, session, id)) };
  },
});

const FIRST_TAB: TabRange = { tab: undefined, cells: undefined };
const ALL_CELLS: CellBounds = { fromColumn: undefined, toColumn: undefined, fromRow: undefined, toRow: undefined };

/** What is too large to be read by a name, which may be that of a range, is read as the first rows of a tab. */
async function readPlaces(session: WorkspaceSession, id: string, places: readonly TabRange[], limits: RowLimits) {
  try {
    return await readWindows(session, id, places, limits);
  } catch (error) {
    const isNamed = places.some(({ tab, cells }) => tab !== undefined && cells === undefined);
    if (!isNamed || !isTooLarge(error)) throw error;
    const tabs = places.map(({ tab, cells = ALL_CELLS }) => ({ tab, cells }));
    return await readWindows(session, id, tabs, limits).catch(() => {
      throw error;
    });
  }
}

async function readWindows(session: WorkspaceSession, id: string, places: readonly TabRange[], limits: RowLimits) {
  const requested = places.map((place) => windowOf(place, limits.max));
  const windows = requested.map(({ window }) => formatTabRange(window));
  const found = await getValues(session, id, windows, limits);
  if (found.length !== requested.length) throw unreadableResponse('another number of ranges');
  return found.map((one, index) => describe(one, requested[index]?.toRow));
}

interface RequestedRange {
  window: TabRange;
  /** Last requested row; undefined = to the end, `unknown` for a named range. */
  toRow: number | undefined | 'unknown';
}

/** The first rows of a range and one more, which shows whether the range continues. */
function windowOf({ tab, cells }: TabRange, max: number): RequestedRange {
  const whole = { tab, cells: undefined };
  // A plain name may be that of a named range, whose bounds are unknown.
  if (tab !== undefined && cells === undefined && formatTabRange(whole) === tab) return { window: whole, toRow: 'unknown' };
  const { fromColumn, toColumn, fromRow = 1, toRow } = cells ?? {};
  const end = Math.min(toRow ?? Number.POSITIVE_INFINITY, fromRow + max);
  return { window: { tab, cells: { fromColumn, toColumn, fromRow, toRow: end } }, toRow };
}

async function getValues(session: WorkspaceSession, spreadsheetId: string, ranges: string[], limits: RowLimits): Promise<ReadRange[]> {
  const rendering = { valueRenderOption: 'UNFORMATTED_VALUE', dateTimeRenderOption: 'FORMATTED_STRING', majorDimension: 'ROWS' };
  const [first = '', ...others] = ranges;
  if (others.length === 0) {
    const params = { spreadsheetId, range: first, ...rendering, fields: 'range,values' };
    return [await session.call('sheets.spreadsheets.values.get', params, cellRows, limits)];
  }
  const params = { spreadsheetId, ranges, ...rendering, fields: 'valueRanges(range,values)' };
  return session.call('sheets.spreadsheets.values.batchGet', params, cellRanges, limits);
}

/** The provider's error has no details; most often the tab doesn't exist. */
async function explain(error: unknown, session: WorkspaceSession, id: string): Promise<never> {
  if (isTooLarge(error)) {
    throw new AppError('too_large', 'This range is too large. Give a smaller one, such as "Budget!A1:F200".', { cause: error });
  }
  if (!(error instanceof WorkspaceApiError) || error.httpStatus !== 400) return explainKind(error, session, id, SPREADSHEET);
  // Fails if the file is not a spreadsheet.
  const tabs = await tabTitles(session, id);
  throw new AppError('invalid_request', `range: no such tab or cells. Tabs: ${cutList(tabs, 1_000)}`, {
    cause: error,
    details: { ...error.details, tabs },
  });
}

function isTooLarge(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'too_large';
}

function describe({ range, rows, limit, columns, cut }: ReadRange, toRow: RequestedRange['toRow']) {
  const found = { rows, ...(cut.length > 0 && { cut }) };
  const { tab, cells } = parseTabRange(range);
  if (cells === undefined) return { range, ...found };
  const { fromColumn = 'A', fromRow: from = 1, toRow: end = 0 } = cells;
  const part = (bounds: Partial<CellBounds>) => formatTabRange({ tab, cells: { ...cells, ...bounds } });
  const hasMore = end >= from + limit;
  const shown = {
    ...(hasMore && { fromRow: from, toRow: from + limit - 1 }),
    ...(columns !== undefined && { fromColumn, toColumn: columnAfter(fromColumn, columns - 1) }),
  };
  return {
    range: hasMore || columns !== undefined ? part(shown) : range,
    ...found,
    ...(hasMore && { next: part({ fromRow: from + limit, toRow: toRow === 'unknown' ? end : toRow }) }),
    ...(columns !== undefined && {
      next_columns: part({ ...shown, fromColumn: columnAfter(fromColumn, columns), toColumn: cells.toColumn }),
    }),
  };
}

/** Built-in actions of the spreadsheets agent: read-only, even if the granted scopes allow more. */
export const spreadsheetsActions: readonly Action[] = [spreadsheetsInfo, spreadsheetsRead];
