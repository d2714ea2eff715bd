import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { WorkspaceApiError } from '../../providers/workspace/workspace-api-errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { text } from '../../validation/validate.ts';
import { builtIn } from '../built-in.ts';
import { quoted } from '../display-text.ts';
import { explainKind } from '../drive/wrong-kind.ts';
import { fileReference } from '../file-reference.ts';
import { cellRanges, cellRows, type ReadRange, type RowLimits } from './cell-rows.ts';
import { SPREADSHEET, tabTitles } from './spreadsheets-info.ts';
import { formatTabRange, parseTabRange, type TabRange } from './tab-ranges.ts';

const MAX_RANGES = 20;
const MAX_ROWS = 1_000;
/** JSON of one answer's rows: a little below where answers are cut, since `next` would then pass over what was cut off. */
const MAX_BYTES = 200_000;

const range = text(300).describe(
  'A1 notation with the tab’s name as it is: "Budget!A1:F20", "Año 2026!A:C", "Budget" for a whole tab. Without a tab: the first one. Quotes around a name only where it reads like cells ("\'Q1\'").',
);

const input = z.strictObject({
  id: fileReference('spreadsheets').describe('Id of the file, or its address in the browser.'),
  range: range.optional(),
  ranges: z.array(range).min(1).max(MAX_RANGES).optional().describe(`Instead of range: up to ${MAX_RANGES} of them.`),
  max: z.int().min(1).max(MAX_ROWS).default(200).describe('Rows of each range.'),
});

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const output = z.object({
  ranges: z.array(
    z.object({
      range: z.string().describe('What was read.'),
      rows: z
        .array(z.array(cell))
        .describe(
          'All of one length; null = empty. Values, not formulas; dates as the sheet shows them. Empty rows at the end are left out.',
        ),
      next: z.string().optional().describe('Range with which to read on.'),
    }),
  ),
});

export const spreadsheetsRead = builtIn({
  name: 'spreadsheets.read',
  provider: 'workspace',
  effect: 'read',
  description: 'Read ranges of a spreadsheet’s cells.',
  scopes: ['spreadsheets.readonly', 'drive'],
  input,
  output,
  summary: ({ id, range, ranges }) =>
    `Read ${[range, ...(ranges ?? [])].flatMap((one) => (one === undefined ? [] : [quoted(one)])).join(', ')} of spreadsheet ${id}`,
  async run({ id, range, ranges, max }, { session }) {
    if ((range === undefined) === (ranges === undefined)) throw new AppError('invalid_request', 'range: give either range or ranges');
    const asked = (ranges ?? [range ?? '']).map((one) => windowOf(parseTabRange(one), max));
    const windows = asked.map(({ window }) => formatTabRange(window));
    const limits = { max, maxBytes: Math.floor(MAX_BYTES / asked.length) };
    const found = await getValues(session, id, windows, limits).catch((error) => explain(error, session, id));
    if (found.length !== asked.length) throw new AppError('provider_error', 'The provider’s answer could not be understood.');
    return { ranges: found.map((one, index) => describe(one, asked[index]?.toRow)) };
  },
});

interface Asked {
  window: TabRange;
  /** Last row that was asked for; undefined = to the end, `unknown` to us where a name stands for the range. */
  toRow: number | undefined | 'unknown';
}

/** The first rows of a range, and one more: whether it is there tells whether the range goes on. */
function windowOf({ tab, cells }: TabRange, max: number): Asked {
  const whole = { tab, cells: undefined };
  // A plain name may be that of a named range, which has bounds of its own.
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

/** The provider only says that it won't do; most often the tab isn't called that. */
async function explain(error: unknown, session: WorkspaceSession, id: string): Promise<never> {
  if (error instanceof AppError && error.code === 'too_large') {
    throw new AppError('too_large', 'This range is too large. Give cells, such as "Budget!A1:F200".', { cause: error });
  }
  if (!(error instanceof WorkspaceApiError) || error.httpStatus !== 400) return explainKind(error, session, id, SPREADSHEET);
  // Asks for the spreadsheet itself, which fails where the file is none.
  const tabs = await tabTitles(session, id);
  throw new AppError('invalid_request', `range: no such tab or cells. Tabs: ${tabs.join(', ').slice(0, 1_000)}`, {
    cause: error,
    details: { ...error.details, tabs },
  });
}

function describe({ range, rows, limit }: ReadRange, asked: Asked['toRow']) {
  const { tab, cells } = parseTabRange(range);
  const from = cells?.fromRow ?? 1;
  const end = cells?.toRow ?? 0;
  if (cells === undefined || end < from + limit) return { range, rows };
  const part = (fromRow: number, toRow: number | undefined) => formatTabRange({ tab, cells: { ...cells, fromRow, toRow } });
  return { range: part(from, from + limit - 1), rows, next: part(from + limit, asked === 'unknown' ? end : asked) };
}
