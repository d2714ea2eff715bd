import { z } from 'zod';
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
import { cellRanges, cellRows, MAX_RANGES, type ReadRange, type RowLimits } from './cell-rows.ts';
import { SPREADSHEET, spreadsheetsInfo, tabTitles } from './spreadsheets-info.ts';
import { formatTabRange, parseTabRange, type TabRange } from './tab-ranges.ts';

const MAX_ROWS = 1_000;
/** JSON of one result's rows: a little below the output limit, because `next` would skip truncated rows. */
const MAX_BYTES = 200_000;
/** A range's address and that of the next one. */
const BESIDE_BYTES = 500;

const range = text(300);

const input = z.strictObject({
  id: fileReference('spreadsheets').describe('Id or web address of the file.'),
  range: range
    .optional()
    .describe(
      'A1 notation: "Budget!A1:F20", "Año 2026!A:C", "Budget" for a whole tab; default the first tab. Quote a name that looks like cells ("\'Q1\'").',
    ),
  ranges: z.array(range).min(1).max(MAX_RANGES).optional().describe('Several, instead of range.'),
  max: z.int().min(1).max(MAX_ROWS).default(200).describe('Most rows of each range.'),
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
      next: z.string().optional().describe('There is more: read this range next.'),
    }),
  ),
});

const spreadsheetsRead = builtIn('workspace', {
  name: 'spreadsheets.read',
  effect: 'read',
  description: 'Read cell ranges of a spreadsheet.',
  scopes: ['spreadsheets.readonly', 'drive'],
  input,
  output,
  sources: (_output, { id: item }) => [{ item, integrity: 'others' }],
  summary: ({ id, range, ranges }) =>
    `Read ${[range, ...(ranges ?? [])].flatMap((one) => (one === undefined ? [] : [quoted(one)])).join(', ')} of spreadsheet ${id}`,
  async run({ id, range, ranges, max }, { session, capBytes }) {
    if ((range === undefined) === (ranges === undefined)) throw new AppError('invalid_request', 'range: give either range or ranges');
    const requested = (ranges ?? [range ?? '']).map((one) => windowOf(parseTabRange(one), max));
    const windows = requested.map(({ window }) => formatTabRange(window));
    const limits = { max, maxBytes: Math.floor(Math.min(MAX_BYTES, capBytes) / requested.length) - BESIDE_BYTES };
    const found = await getValues(session, id, windows, limits).catch((error) => explain(error, session, id));
    if (found.length !== requested.length) throw unreadableResponse('another number of ranges');
    return { ranges: found.map((one, index) => describe(one, requested[index]?.toRow)) };
  },
});

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
  if (error instanceof AppError && error.code === 'too_large') {
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

function describe({ range, rows, limit }: ReadRange, toRow: RequestedRange['toRow']) {
  const { tab, cells } = parseTabRange(range);
  const from = cells?.fromRow ?? 1;
  const end = cells?.toRow ?? 0;
  if (cells === undefined || end < from + limit) return { range, rows };
  const part = (fromRow: number, toRow: number | undefined) => formatTabRange({ tab, cells: { ...cells, fromRow, toRow } });
  return { range: part(from, from + limit - 1), rows, next: part(from + limit, toRow === 'unknown' ? end : toRow) };
}

/** Built-in actions of the spreadsheets agent: read-only, even if the granted scopes allow more. */
export const spreadsheetsActions: readonly Action[] = [spreadsheetsInfo, spreadsheetsRead];
