import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spreadsheetFiles } from '../../sandbox/google/sheets-world.ts';
import { presentationFiles } from '../../sandbox/google/slides-world.ts';
import { googleAccount, newPerson, type Person } from '../support/emulators/workspace-content.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

let steward: TestSteward;
let me: Person;
let sheets: string;
let guests: string;
let slides: string;

beforeAll(async () => {
  steward = await startSteward();
  me = await newPerson(steward);
  const account = await googleAccount(steward, me.email);
  const [budget, list] = spreadsheetFiles(account);
  sheets = `/v4/spreadsheets/${budget?.id}`;
  guests = `/v4/spreadsheets/${list?.id}`;
  slides = `/v1/presentations/${presentationFiles(account)[0]?.id}`;
  await steward.control('workspace/quota', { api: 'sheets', units_per_minute: 100_000 });
});
afterAll(() => steward.stop());

const values = async (root: string, range: string, query = '') => me.google('GET', `${root}/values/${encodeURIComponent(range)}${query}`);

describe('sandbox sheets: values.get', () => {
  it.each([
    ['', ['January', '2026-01-01', '€1,250.00']],
    ['?valueRenderOption=UNFORMATTED_VALUE', ['January', 46_023, 1250]],
    ['?valueRenderOption=UNFORMATTED_VALUE&dateTimeRenderOption=FORMATTED_STRING', ['January', '2026-01-01', 1250]],
  ])('renders with the options %s', async (query, row) => {
    expect((await values(sheets, 'Budget!A2:C2', query)).body).toEqual({ range: 'Budget!A2:C2', majorDimension: 'ROWS', values: [row] });
  });

  it('returns the requested fields, in either notation', async () => {
    expect((await values(sheets, 'Budget!A2', '?fields=range,values')).body).toEqual({ range: 'Budget!A2', values: [['January']] });
    const tabs = async (fields: string) => (await me.google('GET', `${sheets}?fields=${fields}`)).body;
    const titles = { sheets: expect.arrayContaining([{ properties: { title: 'Budget', index: 0 } }]) };
    expect(await tabs('sheets(properties(title,index))')).toEqual(titles);
    expect(await tabs('sheets.properties.title,sheets/properties/index')).toEqual(titles);
    expect((await me.google('GET', `${slides}?fields=title`)).body).toEqual({ title: expect.any(String) });
    expect((await me.google('GET', `${slides}?fields=title(`)).status).toBe(400);
  });

  it('returns formulas only on request', async () => {
    expect((await values(sheets, 'Budget!F2', '?valueRenderOption=FORMULA')).body.values).toEqual([['=SUM(C2:E2)']]);
    expect((await values(sheets, 'Budget!F2')).body.values).toEqual([['€1,752.25']]);
  });

  it('omits trailing empty cells and rows in either dimension, and `values` if there are none', async () => {
    expect((await values(guests, "'Tom''s guests'!A3:E5")).body.values).toEqual([
      [],
      ['Zoë', 'FALSE'],
      ['李雷', '', '1', 'vegetarisch, kommt später'],
    ]);
    expect((await values(guests, "'Tom''s guests'!A3:C5", '?majorDimension=COLUMNS')).body.values).toEqual([
      ['', 'Zoë', '李雷'],
      ['', 'FALSE'],
      ['', '', '1'],
    ]);
    expect((await values(guests, "'Tom''s guests'!A8:C9")).body).toEqual({ range: "'Tom''s guests'!A8:C9", majorDimension: 'ROWS' });
  });

  it('cuts ranges at the grid, and rejects those that begin outside or are invalid', async () => {
    expect((await values(guests, "'Q1'!A1:Z999")).body.range).toBe("'Q1'!A1:D30");
    for (const range of ["'Q1'!A31", "'Q1'!E1", 'Nope!A1', "Tom's guests!A1", "'Q1'!", 'A0', 'A1:', '']) {
      const response = await values(guests, range);
      expect([400, 404], range).toContain(response.status);
    }
    expect((await values(guests, 'A1', '?valueRenderOption=NICE')).status).toBe(400);
  });

  it.each([
    ['R2C2', "'Tom''s guests'!B2"],
    ['R2C1:R3C2', "'Tom''s guests'!A2:B3"],
    ['rc', "'Tom''s guests'!A1"],
    ['C', "'Tom''s guests'!A1"],
    ["'R1C1'!R2C2", 'R1C1!B2'],
    ["'rc'", 'rc!A1:C10'],
  ])('reads %s as R1C1 notation rather than as the name of a tab', async (range, read) => {
    expect((await values(guests, range)).body.range).toBe(read);
  });

  it('reads ranges in a batch, and describes tabs', async () => {
    const { body } = await me.google('GET', `${sheets}/values:batchGet?ranges=Rates!A1:B1&ranges=Rates!A2`);
    expect(body.valueRanges.map((one: any) => one.values)).toEqual([[['USD', '0.92']], [['GBP']]]);
    const about = (await me.google('GET', `${sheets}?includeGridData=true`)).body;
    expect(about.sheets[2].properties).toMatchObject({ title: 'Rates', index: 2, hidden: true, gridProperties: { rowCount: 20 } });
  });

  it('writes if the token allows it', async () => {
    const path = `${guests}/values/${encodeURIComponent("'Q1'!B2")}`;
    expect((await me.google('PUT', path, { values: [['x']] })).status).toBe(400);
    const written = await me.google('PUT', `${path}?valueInputOption=RAW`, { values: [['x', 2], [true]] });
    expect(written.body).toMatchObject({ updatedRange: "'Q1'!B2", updatedRows: 2, updatedCells: 3 });
    expect((await values(guests, "'Q1'!A2:C3")).body.values).toEqual([
      ['Musik: "Für Elise"', 'x', '2'],
      ['Kuchen', 'TRUE'],
    ]);
  });
});

describe('sandbox sheets: values.update', () => {
  it('rejects a cell of more than 50,000 characters', async () => {
    const write = async (length: number) =>
      (await me.google('PUT', `${guests}/values/A1?valueInputOption=RAW`, { values: [['x'.repeat(length)]] })).status;
    expect([await write(50_001), await write(50_000)]).toEqual([400, 200]);
  });
});

describe('sandbox slides', () => {
  it('returns slides with notes, and single pages', async () => {
    const { body } = await me.google('GET', slides);
    expect(body.slides).toHaveLength(6);
    const [first] = body.slides;
    const { speakerNotesObjectId } = first.slideProperties.notesPage.notesProperties;
    expect(first.slideProperties.notesPage.pageElements.some(({ objectId }: any) => objectId === speakerNotesObjectId)).toBe(true);
    expect((await me.google('GET', `${slides}/pages/p1`)).body).toEqual(first);
    expect((await me.google('GET', `${slides}/pages/p99`)).status).toBe(404);
  });

  it('accepts changes if the token allows them', async () => {
    expect((await me.google('POST', `${slides}:batchUpdate`, { requests: [] })).status).toBe(400);
    await me.google('POST', `${slides}:batchUpdate`, { requests: [{ deleteObject: { objectId: 'p2' } }] });
    expect((await me.google('GET', slides)).body.slides.map(({ objectId }: any) => objectId)).toEqual(['p1', 'p3', 'p4', 'p5', 'p6']);
  });
});
