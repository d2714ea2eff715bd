import { z } from 'zod';
import { list } from '../../providers/transport/response-list.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { NATIVE } from '../drive/drive-file.ts';
import { explainKind } from '../drive/wrong-kind.ts';
import { builtIn } from '../shared/built-in.ts';
import { singleLine } from '../shared/display-text.ts';
import { fileReference } from '../shared/file-reference.ts';
import { fitting, jsonBytes } from '../shared/fitting.ts';
import type { Shown } from '../shared/shown.ts';

/** Names of tabs that an error lists. */
const MAX_NAMED = 200;
/** Beside the tabs and the names: numbers. */
const BESIDE_BYTES = 200;
export const SPREADSHEET = `${NATIVE}spreadsheet`;

const spreadsheet = z.object({
  properties: z.object({ title: singleLine, locale: singleLine.optional(), timeZone: singleLine.optional() }),
  sheets: list(
    z.object({
      properties: z.object({
        title: singleLine,
        hidden: z.boolean().optional(),
        sheetType: z.string().max(40).optional(),
        gridProperties: z.object({ rowCount: z.int().optional(), columnCount: z.int().optional() }).optional(),
      }),
    }),
  ).default([]),
});

const input = z.strictObject({
  id: fileReference('spreadsheets').describe('Id or URL of the file.'),
  from: z.int().min(0).max(100_000).default(0).describe('`next` of the previous result.'),
});

const output = z.object({
  title: z.string(),
  locale: z.string().optional(),
  zone: z.string().optional().describe('Time zone of the dates.'),
  tabs: z.array(
    z.object({
      title: z.string(),
      rows: z.int().optional().describe('Size of the grid, empty cells included.'),
      columns: z.int().optional(),
      hidden: z.literal(true).optional(),
      kind: z.string().optional().describe('Type of a tab that is not a grid of cells.'),
    }),
  ),
  next: z.int().optional().describe('There are more tabs: pass this as `from`.'),
});

export const spreadsheetsInfo = builtIn('workspace', {
  name: 'spreadsheets.info',
  effect: 'read',
  description: 'Read the title, tabs and sizes of a spreadsheet.',
  scopes: ['spreadsheets.readonly', 'drive'],
  input,
  output,
  sources: ({ title: name }, { id: item }) => [{ item, integrity: 'others', name }],
  summary: ({ id }) => `List the tabs of spreadsheet ${id}`,
  shown: ({ id }, _facts, { session }) => shownSpreadsheet(session, id),
  async run({ id, from }, { session, capBytes }) {
    const { properties, sheets } = await getSpreadsheet(session, id);
    const { title, locale, timeZone } = properties;
    const about = { title, locale, zone: timeZone };
    const described = sheets.slice(from).map((sheet) => describeTab(sheet.properties));
    const tabs = fitting(described, capBytes - jsonBytes(about) - BESIDE_BYTES);
    const next = from + tabs.length;
    return { ...about, tabs, ...(next < sheets.length && { next }) };
  },
});

/** Names of the tabs that have cells: others show a chart (SheetType: `OBJECT`). */
export async function tabTitles(session: WorkspaceSession, id: string): Promise<string[]> {
  const { sheets } = await getSpreadsheet(session, id);
  const withCells = sheets.filter(({ properties }) => properties.sheetType !== 'OBJECT');
  return withCells.slice(0, MAX_NAMED).map(({ properties }) => properties.title);
}

/** For a question. */
export async function shownSpreadsheet(session: WorkspaceSession, id: string): Promise<Shown> {
  const { properties } = await getSpreadsheet(session, id);
  return { items: { id: [{ name: properties.title, type: 'spreadsheet', link: `https://docs.google.com/spreadsheets/d/${id}/edit` }] } };
}

function getSpreadsheet(session: WorkspaceSession, id: string): Promise<z.output<typeof spreadsheet>> {
  const fields = 'properties(title,locale,timeZone),sheets.properties(title,hidden,sheetType,gridProperties(rowCount,columnCount))';
  return session
    .call('sheets.spreadsheets.get', { spreadsheetId: id, fields }, spreadsheet)
    .catch((error) => explainKind(error, session, id, SPREADSHEET));
}

type SheetProperties = z.output<typeof spreadsheet>['sheets'][number]['properties'];

function describeTab({ title, hidden, sheetType = 'GRID', gridProperties }: SheetProperties) {
  return {
    title,
    rows: gridProperties?.rowCount,
    columns: gridProperties?.columnCount,
    ...(hidden === true && { hidden }),
    ...(sheetType !== 'GRID' && { kind: sheetType.toLowerCase() }),
  };
}
