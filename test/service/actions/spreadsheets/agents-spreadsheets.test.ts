import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { spreadsheetFiles } from '../../../../sandbox/google/sheets-world.ts';
import { presentationFiles } from '../../../../sandbox/google/slides-world.ts';
import { BUILT_INS } from '../../../../src/actions/built-ins.ts';
import { columnAfter } from '../../../../src/actions/spreadsheets/tab-ranges.ts';
import { googleAccount, newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { ownIntegrations } from '../../../support/inputs/own-integrations.ts';
import { type ApiScene, startApiScene } from '../../../support/scenes/api-scene.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { callAction } from '../../../support/users/agents.ts';

describe('on the sandbox', () => {
  let steward: TestSteward;
  let me: Person;
  let budget = '';
  let guests = '';
  let empty = '';

  beforeAll(async () => {
    steward = await startSteward();
  });
  afterAll(() => steward.stop());
  beforeEach(async () => {
    me = await newPerson(steward);
    [budget = '', guests = '', empty = ''] = spreadsheetFiles(await googleAccount(steward, me.email)).map(({ id }) => id);
  });

  const read = async (id: string, range: string, more: object = {}) =>
    (await me.act('spreadsheets.read', { id, range, ...more })).ranges[0];

  describe('spreadsheets.info', () => {
    it('lists the tabs and their sizes', async () => {
      expect(await me.act('spreadsheets.info', { id: budget })).toEqual({
        title: 'Household budget 2026',
        locale: 'de_DE',
        zone: 'Europe/Berlin',
        tabs: [
          { title: 'Budget', rows: 200, columns: 10 },
          { title: 'Año 2026', rows: 50, columns: 5 },
          { title: 'Rates', rows: 20, columns: 3, hidden: true },
        ],
      });
    });

    it('accepts the URL of a spreadsheet only', async () => {
      for (const link of [
        `https://docs.google.com/spreadsheets/d/${budget}/edit#gid=0`,
        `https://docs.google.com/spreadsheets/u/1/d/${budget}/edit?usp=sharing`,
        `https://docs.google.com/a/example.com/spreadsheets/d/${budget}`,
        `https://drive.google.com/file/d/${budget}/view`,
        `https://drive.google.com/open?id=${budget}`,
      ]) {
        expect((await me.act('spreadsheets.info', { id: link })).title, link).toBe('Household budget 2026');
      }
      for (const link of [
        `https://docs.google.com/document/d/${budget}/edit`,
        `https://docs.google.com.evil.example/spreadsheets/d/${budget}/edit`,
        `http://docs.google.com/spreadsheets/d/${budget}/edit`,
        `https://drive.google.com/drive/u/0/folders/${budget}`,
        `https://docs.google.com/spreadsheets/d/e/${budget}/pubhtml`,
        'a/../../drive/v3/files',
        'a b',
        '',
      ]) {
        await expect(me.act('spreadsheets.info', { id: link }), link).rejects.toMatchObject({ code: 'invalid_request' });
      }
    });

    it('does not find missing spreadsheets, or those of another account', async () => {
      await expect(me.act('spreadsheets.info', { id: 'unknown' })).rejects.toMatchObject({ code: 'not_found' });
      const other = await newPerson(steward);
      await expect(other.act('spreadsheets.info', { id: budget })).rejects.toMatchObject({ code: 'not_found' });
    });
  });

  describe('spreadsheets.read', () => {
    it('returns numbers as numbers, dates as displayed, and results instead of formulas', async () => {
      const { rows } = await read(budget, 'Budget');
      expect(rows.slice(0, 2)).toEqual([
        ['Month', 'From', 'Rent', 'Food', 'Travel', 'Total', 'Closed'],
        ['January', '2026-01-01', 1250, 412.35, 89.9, 1752.25, true],
      ]);
      expect(rows.at(-1)).toEqual(['Sum', null, null, null, null, 11166.3, null]);
      expect(JSON.stringify(rows)).not.toContain('=SUM');
    });

    it('returns rows of equal length, although the provider omits empty cells', async () => {
      const { rows } = await read(guests, "Tom's guests");
      expect(rows).toEqual([
        ['Name', 'Zusage', 'Personen', 'Anmerkung', null],
        ['Søren Ångström', true, 2, null, null],
        [null, null, null, null, null],
        ['Zoë', false, null, null, null],
        ['李雷', null, 1, 'vegetarisch, kommt später', null],
        [null, null, null, null, 'nach hinten verrutscht'],
        ['José', true, 3, null, null],
      ]);
    });

    it.each([
      ['Año 2026!A1:C', "'Año 2026'!A1:C50"],
      ["'Año 2026'!A1:C", "'Año 2026'!A1:C50"],
      ['Año 2026!$A$1:$C$2', "'Año 2026'!A1:C2"],
      ['Año 2026', "'Año 2026'!A1:E50"],
      ['Budget!A:B', 'Budget!A1:B200'],
      ['Budget!2:3', 'Budget!A2:J3'],
      ['B2', 'Budget!B2'],
      ['A5:B', 'Budget!A5:B200'],
    ])('understands %s', async (range, understood) => {
      expect((await read(budget, range)).range).toBe(understood);
    });

    it.each([
      ["Tom's guests!A2:A2", 'Søren Ångström'],
      ["'Tom''s guests'!A2", 'Søren Ångström'],
      ["'Q1'!A1", 'Idee'],
      ["'Q1'", 'Idee'],
      ['Q1!A1:A1', 'Idee'],
      ['Wow! A1', 'sehr'],
      ["'Wow! A1'!B1", 'gut'],
      ['R1C1', 'eins'],
      ['R1C1!A2:B2', 'drei'],
      ['rc', 'Reserve'],
    ])('quotes names that need it: %s', async (range, first) => {
      expect((await read(guests, range)).rows[0][0]).toBe(first);
    });

    it('reads several ranges, in order', async () => {
      const { ranges } = await me.act('spreadsheets.read', { id: budget, ranges: ['Rates!A1:B2', 'Año 2026!A4:C4', 'Budget!A1:A1'] });
      expect(ranges.map(({ rows }: any) => rows)).toEqual([
        [
          ['USD', 0.92],
          ['GBP', 0.0125],
        ],
        [['2026-10-25 10:30', 'Taxi', -18.5]],
        [['Month']],
      ]);
    });

    it('pages through long tabs, and ends with them', async () => {
      const lines: unknown[] = [];
      let range: string | undefined = 'Long!A:B';
      let responses = 0;
      while (range !== undefined) {
        const part = await read(guests, range, { max: 500 });
        lines.push(...part.rows);
        range = part.next;
        responses += 1;
      }
      expect(lines).toHaveLength(1_200);
      expect(lines[1_199]).toEqual([1_200, 'line 1200']);
      expect(responses).toBe(3);
    });

    it('reads no more pages than requested', async () => {
      const first = await read(guests, 'Long!A2:B5', { max: 2 });
      expect(first).toEqual({
        range: 'Long!A2:B3',
        rows: [
          [2, 'line 2'],
          [3, 'line 3'],
        ],
        next: 'Long!A4:B5',
      });
      expect(await read(guests, first.next, { max: 2 })).toEqual({
        range: 'Long!A4:B5',
        rows: [
          [4, 'line 4'],
          [5, 'line 5'],
        ],
      });
    });

    it.each([
      ['Long!B5:A2', 'Long!A2:B3', 'Long!A4:B5'],
      ['Long!A5:B2', 'Long!A2:B3', 'Long!A4:B5'],
      ['Long!B:A', 'Long!A1:B2', 'Long!A3:B'],
      ['Long!5:2', 'Long!A2:B3', 'Long!A4:B5'],
    ])('reads %s, whose corners are the other two, from its first row on', async (range, shown, next) => {
      expect(await read(guests, range, { max: 2 })).toMatchObject({ range: shown, next });
    });

    it('returns nothing for an empty tab', async () => {
      expect(await read(empty, 'Sheet1')).toMatchObject({ rows: [] });
      expect(await read(empty, 'A1:C3')).toEqual({ range: 'Sheet1!A1:C3', rows: [] });
    });

    it('lists the tabs if a range is invalid', async () => {
      for (const range of ['Bugdet!A1', 'Nothing', 'Budget!A500:B600', "'Budget"]) {
        await expect(read(budget, range), range).rejects.toMatchObject({
          code: 'invalid_request',
          message: 'range: no such tab or cells. Tabs: Budget, Año 2026, Rates',
          details: { tabs: ['Budget', 'Año 2026', 'Rates'] },
        });
      }
      await expect(read(budget, "'Budget'!nowhere")).rejects.toMatchObject({ code: 'invalid_request' });
    });

    it.each(['cell by cell', 'among other cells'])('reads the whole text of a long cell, with what is shown of it: %s', async (way) => {
      const whole = `${'x'.repeat(1_999)}👩‍💻${'é👍🏽\n'.repeat(7_000)}end`;
      await me.google('PUT', `/v4/spreadsheets/${empty}/values/B2?valueInputOption=RAW`, { values: [[whole, 'short']] });
      const first = await read(empty, way === 'cell by cell' ? 'B2' : 'A1:C3');
      const [beginning] = first.rows.flat().filter((cell: unknown) => typeof cell === 'string' && cell.startsWith('x'));
      expect(first.cut).toEqual([{ cell: 'Sheet1!B2', characters: whole.length, next_offset: beginning.length }]);
      let text = beginning;
      for (let [cut] = first.cut; cut !== undefined; ) {
        const part = await read(empty, cut.cell, { offset: cut.next_offset });
        expect(part.rows[0][0]).not.toBe('');
        expect(`${part.rows[0][0]}`.isWellFormed()).toBe(true);
        text += part.rows[0][0];
        [cut] = part.cut ?? [];
      }
      expect(text).toBe(whole);
      expect(first.rows.flat().includes('short')).toBe(way === 'among other cells');
    });

    it('cuts a cell among others after 2,000 characters, between two of them', async () => {
      const values = [['y'.repeat(2_000), `${'x'.repeat(1_998)}👩‍💻`]];
      await me.google('PUT', `/v4/spreadsheets/${empty}/values/A1?valueInputOption=RAW`, { values });
      expect(await read(empty, 'A1:B1')).toEqual({
        range: 'Sheet1!A1:B1',
        rows: [['y'.repeat(2_000), 'x'.repeat(1_998)]],
        cut: [{ cell: 'Sheet1!B1', characters: 2_003, next_offset: 1_998 }],
      });
    });

    it('reads on in one cell only', async () => {
      for (const input of [{}, { range: 'A1:B1' }, { range: 'Sheet1' }, { ranges: ['A1', 'B1'] }]) {
        await expect(me.act('spreadsheets.read', { id: empty, ...input, offset: 1 })).rejects.toMatchObject({
          code: 'invalid_request',
          message: 'offset: is a place in one cell; give its address as range, such as "Budget!B7"',
        });
      }
    });

    it('reads the first tab that isn’t hidden without a range, in parts', async () => {
      const [first] = (await me.act('spreadsheets.read', { id: budget })).ranges;
      expect(first).toEqual(await read(budget, 'Budget'));
      expect((await me.act('spreadsheets.read', { id: budget, range: '' })).ranges).toEqual([first]);
      const [beginning] = (await me.act('spreadsheets.read', { id: budget, max: 2 })).ranges;
      expect(beginning).toEqual({ range: 'Budget!A1:J2', rows: first.rows.slice(0, 2), next: 'Budget!A3:J' });
    });

    it('accepts no more than a range or ranges', async () => {
      for (const input of [{ range: 'A1', ranges: ['A1'] }, { ranges: [] }, { range: 'A\n1' }, { ranges: Array(21).fill('A1') }]) {
        await expect(me.act('spreadsheets.read', { id: budget, ...input }), JSON.stringify(input)).rejects.toMatchObject({
          code: 'invalid_request',
        });
      }
    });

    it('requires the agent’s scope in the integrations file', async () => {
      const other = await newPerson(steward, { untick: ['spreadsheets.readonly'] });
      await expect(other.act('spreadsheets.info', { id: budget })).rejects.toMatchObject({
        code: 'missing_scopes',
        details: { missingScopes: ['spreadsheets.readonly'] },
      });
    });

    it('accepts the drive’s scope if the file allows it', async () => {
      const agent = (scope: string) => `{ provider: workspace, description: Reading., scopes: [${scope}.readonly, drive] }`;
      const file = ownIntegrations(
        `version: 1\nagents:\n  spreadsheets: ${agent('spreadsheets')}\n  presentations: ${agent('presentations')}\n`,
      );
      const own = await startSteward({ INTEGRATIONS_FILE: file });
      try {
        const drive = await newPerson(own, { untick: ['spreadsheets.readonly', 'presentations.readonly'] });
        const account = await googleAccount(own, drive.email);
        expect((await drive.act('spreadsheets.info', { id: spreadsheetFiles(account)[0]?.id })).tabs).toHaveLength(3);
        expect((await drive.act('presentations.read', { id: presentationFiles(account)[0]?.id })).count).toBe(6);
      } finally {
        await own.stop();
      }
    });
  });

  it('no action of the agent writes, although the token allows it', async () => {
    const write = await me.google('PUT', `/v4/spreadsheets/${empty}/values/A1?valueInputOption=RAW`, { values: [['by hand', 1]] });
    expect(write.status).toBe(200);
    expect(
      (await me.google('POST', `/v4/spreadsheets/${empty}:batchUpdate`, { requests: [{ addSheet: { properties: { title: 'New' } } }] }))
        .status,
    ).toBe(200);
    expect((await read(empty, 'Sheet1')).rows).toEqual([['by hand', 1]]);
    const own = [...BUILT_INS.values()].filter(({ name }) => name.startsWith('spreadsheets.'));
    expect(own.map(({ name, effect }) => [name, effect])).toEqual([
      ['spreadsheets.info', 'read'],
      ['spreadsheets.read', 'read'],
    ]);
  });
});

describe('a provider with unusual responses', () => {
  let scene: ApiScene;
  let token: string;
  beforeAll(async () => {
    scene = await startApiScene();
  });
  afterAll(() => scene.stop());
  beforeEach(async () => {
    scene.api.reset();
    ({ token } = await scene.connect());
  });

  const VALUES = '/v4/spreadsheets/s1/values/A1%3AZ201';
  const read = async (input: object = { range: 'A1:Z' }) =>
    (await callAction(scene.steward, 'spreadsheets.read', { id: 's1', ...input }, { token })).data as any;

  it('receives requests for unformatted values, and only for what is needed', async () => {
    scene.api.on(VALUES, { body: { range: 'Sheet1!A1:Z201', values: [] } });
    await read();
    expect(scene.api.calls.map(({ method, query }) => [method, Object.fromEntries(query)])).toEqual([
      [
        'GET',
        {
          valueRenderOption: 'UNFORMATTED_VALUE',
          dateTimeRenderOption: 'FORMATTED_STRING',
          majorDimension: 'ROWS',
          fields: 'range,values',
        },
      ],
    ]);
  });

  it.each([
    ['a page of HTML', '<!doctype html>'],
    ['no range', { values: [] }],
    ['values that are not rows', { range: 'A1', values: ['a'] }],
    ['cells that are objects', { range: 'A1', values: [[{ formula: '=1' }]] }],
    ['rows wider than any sheet', { range: 'A1', values: [Array(20_000).fill(1)] }],
  ])('is rejected: %s', async (_, body) => {
    scene.api.on(VALUES, { body });
    await expect(read()).rejects.toMatchObject({ code: 'provider_error' });
  });

  it('cannot enlarge the result by one wide row, and omitted rows can be read next', async () => {
    const values = [Array(18_000).fill(1), ...Array.from({ length: 200 }, () => [2])];
    scene.api.on(VALUES, { body: { range: 'Sheet1!A1:ZZZ201', values } });
    const [response] = (await read()).ranges;
    expect(JSON.stringify(response).length).toBeLessThan(256 * 1024);
    expect(response.rows.length).toBeLessThan(5);
    expect(response.next).toBe(`Sheet1!A${response.rows.length + 1}:ZZZ`);
  });

  it('can be read on to the right where a single row is too long for a result', async () => {
    const row = Array.from({ length: 300 }, (_, column) => `${column}`.padEnd(1_500, 'x'));
    scene.api.on(VALUES, { body: { range: 'Sheet1!C1:ZZ201', values: [row, ['next']] } });
    const [first] = (await read()).ranges;
    const width = first.rows[0].length;
    expect(first.rows).toEqual([row.slice(0, width)]);
    expect(width).toBeGreaterThan(100);
    const last = columnAfter('C', width - 1);
    expect(first.range).toBe(`Sheet1!C1:${last}1`);
    expect(first.next).toBe('Sheet1!C2:ZZ');
    expect(first.next_columns).toBe(`Sheet1!${columnAfter(last, 1)}1:ZZ1`);
  });

  it('can be read on to the right if there is only one row, and its cells are cut', async () => {
    scene.api.on('/v4/spreadsheets/s1/values/A1%3AALL1', { body: { range: 'A1:ALL1', values: [Array(1_000).fill('ü'.repeat(3_000))] } });
    const [first] = (await read({ range: 'A1:ALL1' })).ranges;
    expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(256 * 1024);
    expect(first.cut).toHaveLength(first.rows[0].length);
    expect(first.cut[30]).toEqual({ cell: 'AE1', characters: 3_000, next_offset: 2_000 });
    expect(first.next).toBeUndefined();
    expect(first.next_columns).toBe(`${columnAfter('A', first.rows[0].length)}1:ALL1`);
  });

  it('is truncated and cleaned', async () => {
    scene.api.on(VALUES, { body: { range: 'Sheet1!A1:Z9', values: [[`a\u0000b\r\nc${'x'.repeat(5_000)}`]] } });
    const cell = (await read()).ranges[0].rows[0][0];
    expect(cell.startsWith('ab\ncx')).toBe(true);
    expect(cell.length).toBeLessThanOrEqual(2_000);
  });

  it('is shown with all its tabs, read on where they are too many, and the kind of a tab without cells', async () => {
    const tab = (title: string, more: object = {}) => ({ properties: { title, ...more } });
    const sheets = [tab('Chart', { sheetType: 'OBJECT' }), ...Array.from({ length: 201 }, () => tab('Rows', { sheetType: 'GRID' }))];
    scene.api.on('/v4/spreadsheets/s1', { body: { properties: { title: 'Many tabs' }, sheets } });
    const info = async (input: object = {}) =>
      (await callAction(scene.steward, 'spreadsheets.info', { id: 's1', ...input }, { token })).data as any;
    const { tabs, next } = await info();
    expect([tabs.length, next]).toEqual([202, undefined]);
    expect(tabs.slice(0, 2)).toEqual([{ title: 'Chart', kind: 'object' }, { title: 'Rows' }]);
    const long = Array.from({ length: 300 }, (_, index) => tab(`${index} ${'é'.repeat(1_000)}`));
    scene.api.on('/v4/spreadsheets/s1', { body: { properties: { title: 'Long names' }, sheets: long } });
    const first = await info();
    const { tabs: rest, next: end } = await info({ from: first.next });
    expect([...first.tabs, ...rest, ...(await info({ from: end })).tabs].map(({ title }: any) => title)).toEqual(
      long.map(({ properties }) => properties.title),
    );
  });

  it('is read in part if a tab is too large to be read whole, whose name may be that of a range', async () => {
    const tooLarge = (response: ServerResponse) => response.writeHead(200).end(Buffer.alloc(13 * 1024 * 1024, ' '));
    scene.api.on('/v4/spreadsheets/s1/values/Data', tooLarge);
    scene.api.on('/v4/spreadsheets/s1/values/Data%211%3A3', { body: { range: 'Data!A1:C3', values: [[1], [2], [3]] } });
    expect((await read({ range: 'Data', max: 2 })).ranges).toEqual([{ range: 'Data!A1:C2', rows: [[1], [2]], next: 'Data!A3:C' }]);
    scene.api.on('/v4/spreadsheets/s1/values/Data%211%3A3', { status: 400, body: {} });
    await expect(read({ range: 'Data', max: 2 })).rejects.toMatchObject({ code: 'too_large' });
  });

  it('names the tabs that have cells if a range is invalid', async () => {
    scene.api.on('/v4/spreadsheets/s1/values/1%3A201', { status: 400, body: {} });
    const sheets = [
      ...[
        { title: 'Sales chart', sheetType: 'OBJECT' },
        { title: 'Sales', sheetType: 'GRID' },
      ],
      ...[{ title: 'Warehouse', sheetType: 'DATA_SOURCE' }, { title: 'Old' }],
    ].map((properties) => ({ properties }));
    scene.api.on('/v4/spreadsheets/s1', { body: { properties: { title: 'x' }, sheets } });
    await expect(read({})).rejects.toMatchObject({ details: { tabs: ['Sales', 'Warehouse', 'Old'] } });
  });

  it('is rejected if it returns fewer ranges than requested', async () => {
    scene.api.on('/v4/spreadsheets/s1/values:batchGet', { body: { valueRanges: [{ range: 'A1', values: [] }] } });
    await expect(read({ ranges: ['A1:B2', 'C1:D2'] })).rejects.toMatchObject({ code: 'provider_error' });
  });
});
