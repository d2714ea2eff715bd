import { z } from 'zod';
import { invalid, notFound } from '../api-fault.ts';
import type { ApiMethod, ApiRequest, SandboxApi } from './api-method.ts';
import { formatRange, parseRange } from './sheets-a1.ts';
import { renderingOf, valueRange, writeValues } from './sheets-values.ts';
import { makeSpreadsheets, type SheetsState, type Spreadsheet, type Tab } from './sheets-world.ts';

const A = 'https://www.googleapis.com/auth/';
const WRITE = [`${A}spreadsheets`, `${A}drive`];
const READ = [`${A}spreadsheets.readonly`, `${A}drive.readonly`, ...WRITE];

type Request = ApiRequest<SheetsState>;

const valuesBody = z.object({ values: z.array(z.array(z.union([z.string(), z.number(), z.boolean()]))) });
const updatesBody = z.object({
  requests: z.array(z.object({ addSheet: z.object({ properties: z.object({ title: z.string() }) }).optional() })).min(1),
});

const methods: ApiMethod<SheetsState>[] = [
  {
    verb: 'GET',
    path: '/v4/spreadsheets/:spreadsheetId',
    scopes: READ,
    units: 1,
    handle: (request) => ({ json: describe(find(request)) }),
  },
  { verb: 'GET', path: '/v4/spreadsheets/:spreadsheetId/values/:range', scopes: READ, units: 1, handle: getValues },
  { verb: 'GET', path: '/v4/spreadsheets/:spreadsheetId/values\\:batchGet', scopes: READ, units: 1, handle: batchGetValues },
  { verb: 'PUT', path: '/v4/spreadsheets/:spreadsheetId/values/:range', scopes: WRITE, units: 1, handle: updateValues },
  { verb: 'POST', path: '/v4/spreadsheets/:spreadsheetId\\:batchUpdate', scopes: WRITE, units: 1, handle: batchUpdate },
];

/** The emulator of the sheets API. */
export const sheetsApi: SandboxApi<SheetsState> = {
  name: 'sheets',
  unitsPerMinute: 60,
  seed: (account) => ({ spreadsheets: makeSpreadsheets(account) }),
  methods,
};

function find({ state, params }: Request): Spreadsheet {
  const spreadsheet = state.spreadsheets.find(({ id }) => id === params.spreadsheetId);
  if (spreadsheet === undefined) throw notFound();
  return spreadsheet;
}

function getValues(request: Request) {
  return { json: valueRange(parseRange(find(request), request.params.range ?? ''), renderingOf(request.query)) };
}

function batchGetValues(request: Request) {
  const spreadsheet = find(request);
  const rendering = renderingOf(request.query);
  const ranges = request.query.getAll('ranges').map((range) => valueRange(parseRange(spreadsheet, range), rendering));
  return { json: { spreadsheetId: spreadsheet.id, ...(ranges.length > 0 && { valueRanges: ranges }) } };
}

function updateValues(request: Request) {
  const spreadsheet = find(request);
  if (!['RAW', 'USER_ENTERED'].includes(request.query.get('valueInputOption') ?? '')) throw invalid("'valueInputOption' is required");
  const range = parseRange(spreadsheet, request.params.range ?? '');
  const { values } = valuesBody.safeParse(request.body).data ?? {};
  if (values === undefined) throw invalid('Invalid value at "data.values"');
  writeValues(range, values);
  const updatedCells = values.reduce((sum, row) => sum + row.length, 0);
  return { json: { spreadsheetId: spreadsheet.id, updatedRange: formatRange(range), updatedRows: values.length, updatedCells } };
}

function batchUpdate(request: Request) {
  const spreadsheet = find(request);
  const { requests } = updatesBody.safeParse(request.body).data ?? {};
  if (requests === undefined) throw invalid('Must specify at least one request.');
  const replies = requests.map(({ addSheet }) => {
    if (addSheet === undefined) return {};
    const { title } = addSheet.properties;
    if (spreadsheet.tabs.some((tab) => tab.title === title)) throw invalid(`A sheet with the name "${title}" already exists.`);
    const tab: Tab = { id: 1 + Math.max(...spreadsheet.tabs.map(({ id }) => id)), title, rows: 1000, columns: 26, cells: [] };
    spreadsheet.tabs.push(tab);
    return { addSheet: { properties: properties(tab, spreadsheet.tabs.length - 1) } };
  });
  return { json: { spreadsheetId: spreadsheet.id, replies } };
}

function describe({ id, title, tabs }: Spreadsheet): object {
  return {
    spreadsheetId: id,
    properties: { title, locale: 'de_DE', autoRecalc: 'ON_CHANGE', timeZone: 'Europe/Berlin' },
    sheets: tabs.map((tab, index) => ({ properties: properties(tab, index) })),
    spreadsheetUrl: `https://docs.google.com/spreadsheets/d/${id}/edit`,
  };
}

function properties({ id, title, rows, columns, hidden }: Tab, index: number): object {
  const gridProperties = { rowCount: rows, columnCount: columns };
  return { sheetId: id, title, index, sheetType: 'GRID', gridProperties, ...(hidden && { hidden }) };
}
