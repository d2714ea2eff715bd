import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { presentationFiles } from '../../../../sandbox/google/slides-world.ts';
import { BUILT_INS } from '../../../../src/actions/built-ins.ts';
import { googleAccount, newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { type ApiScene, startApiScene } from '../../../support/scenes/api-scene.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { callAction } from '../../../support/users/agents.ts';

describe('on the sandbox', () => {
  let steward: TestSteward;
  let me: Person;
  let review = '';
  let blank = '';
  beforeAll(async () => {
    steward = await startSteward();
  });
  afterAll(() => steward.stop());
  beforeEach(async () => {
    me = await newPerson(steward);
    [review = '', blank = ''] = presentationFiles(await googleAccount(steward, me.email)).map(({ id }) => id);
  });
  const read = (id: string, more: object = {}) => me.act('presentations.read', { id, ...more });

  describe('presentations.read', () => {
    it('returns titles, text, notes, bullets, tables, nested groups and picture descriptions', async () => {
      expect(await read(review)).toEqual({
        title: 'Quarterly review – Übersicht',
        count: 6,
        slides: [
          {
            number: 1,
            title: 'Quarterly review',
            text: 'Übersicht für den Beirat 🚀',
            notes: 'Welcome everyone.\nKeep it under two minutes.',
          },
          {
            number: 2,
            title: 'Results',
            text: '- Revenue up 12%\n  - Mostly from renewals\n- Churn down to 1.9%\nSource: finance',
            notes: 'Mention the one-off in March.',
          },
          { number: 3, title: 'Regions', text: 'Region | Q1 | Q2\nNord | 1.2 | 1.4\nSüd | 0.9 | ' },
          { number: 4, text: 'Plan\nBuild\nShip\nit\ndeep | cell\nOnwards' },
          { number: 5, text: '[Team photo: Six people in front of the Brandenburger Tor]', images: 1 },
          { number: 6, title: 'Backup numbers', text: '', notes: 'Only if they ask.', skipped: true },
        ],
      });
    });

    it('returns the requested slides in that order, ignoring missing ones', async () => {
      const { count, slides } = await read(review, { slides: [4, 1, 99] });
      expect(count).toBe(6);
      expect(slides.map(({ number }: any) => number)).toEqual([4, 1]);
    });

    it('continues from a slide, and reports a missing one', async () => {
      expect((await read(review, { from: 5 })).slides.map(({ number }: any) => number)).toEqual([5, 6]);
      for (const [field, input] of [
        ['from', { from: 7 }],
        ['slides', { slides: [99, 7] }],
      ] as const) {
        const message = `${field}: there is no such slide; the presentation has 6`;
        await expect(read(review, input)).rejects.toMatchObject({ code: 'invalid_request', message });
      }
    });

    it('accepts a presentation’s URL, reads an empty one, and reports a missing one', async () => {
      expect((await read(`https://docs.google.com/presentation/d/${review}/edit#slide=id.p1`)).count).toBe(6);
      expect(await read(blank)).toEqual({ title: 'Untitled presentation', count: 0, slides: [] });
      await expect(read('unknown')).rejects.toMatchObject({ code: 'not_found' });
      const other = await newPerson(steward);
      await expect(other.act('presentations.read', { id: review })).rejects.toMatchObject({ code: 'not_found' });
    });

    it.each([
      ['a number that no slide has', { slides: [0] }],
      ['no slides', { slides: [] }],
      ['101 slides', { slides: Array.from({ length: 101 }, (_, index) => index + 1) }],
      ['an id that leaves its place', { id: '../../v1/documents/x' }],
      ['a spreadsheet’s address', { id: 'https://docs.google.com/spreadsheets/d/abc/edit' }],
    ])('rejects %s', async (_, input) => {
      await expect(read(review, input)).rejects.toMatchObject({ code: 'invalid_request' });
    });

    it('requires the agent’s scope in the integrations file', async () => {
      const other = await newPerson(steward, { untick: ['presentations.readonly'] });
      await expect(other.act('presentations.read', { id: review })).rejects.toMatchObject({
        code: 'missing_scopes',
        details: { missingScopes: ['presentations.readonly'] },
      });
    });
  });

  it('no action of the agent writes, although the token allows it', async () => {
    const requests = [{ deleteObject: { objectId: 'p6' } }];
    expect((await me.google('POST', `/v1/presentations/${review}:batchUpdate`, { requests })).status).toBe(200);
    expect((await read(review)).count).toBe(5);
    expect((await me.google('GET', `/v1/presentations/${review}/pages/p1`)).body.objectId).toBe('p1');
    const own = [...BUILT_INS.values()].filter(({ name }) => name.startsWith('presentations.'));
    expect(own.map(({ name, effect }) => [name, effect])).toEqual([['presentations.read', 'read']]);
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
  const read = async (input: object = {}) =>
    (await callAction(scene.steward, 'presentations.read', { id: 'p1', ...input }, { token })).data as any;
  const saying = (body: unknown) => scene.api.on('/v1/presentations/p1', { body });
  const textOf = (content: string) => ({ text: { textElements: [{ paragraphMarker: {} }, { textRun: { content } }] } });

  it('receives a GET for text only', async () => {
    saying({ title: 'x', slides: [] });
    await read();
    const [call] = scene.api.calls;
    expect([call?.method, call?.query.get('fields')?.startsWith('title,slides(pageElements(')]).toEqual(['GET', true]);
  });

  it.each([
    ['a page of HTML', '<!doctype html>'],
    ['no title', { slides: [] }],
    ['invalid slides', { title: 'x', slides: 'many' }],
    ['invalid elements', { title: 'x', slides: [{ pageElements: [1] }] }],
  ])('is rejected: %s', async (_, body) => {
    saying(body);
    await expect(read()).rejects.toMatchObject({ code: 'provider_error' });
  });

  it('are limited in depth, and do not hide other elements', async () => {
    let nested: object = { shape: textOf('too deep') };
    for (let depth = 0; depth < 500; depth += 1) nested = { elementGroup: { children: [nested] } };
    saying({ title: 'x', slides: [{ pageElements: [nested, { shape: textOf('beside') }] }] });
    expect((await read()).slides[0].text).toBe('beside');
  });

  it('is ignored in a group if it is invalid', async () => {
    const children = [7, null, { shape: 'round' }, { shape: textOf('kept') }];
    saying({ title: 'x', slides: [{ pageElements: [{ elementGroup: { children } }] }] });
    expect((await read()).slides[0].text).toBe('kept');
  });

  it.each(['SLIDE_NUMBER', 'DATE_AND_TIME', 'FOOTER', 'HEADER'])('are left out if they are on every slide: %s', async (type) => {
    const repeated = { shape: { placeholder: { type }, ...textOf('on every slide') } };
    saying({ title: 'x', slides: [{ pageElements: [repeated, { shape: textOf('kept') }] }] });
    expect((await read()).slides[0].text).toBe('kept');
  });

  it.each([
    [
      'a line of dashes',
      [{ paragraphMarker: {} }, { textRun: { content: 'a\n' } }, { textRun: { content: '-----\n' } }, { textRun: { content: 'b' } }],
      'a\n-----\nb',
    ],
    ['a signature’s line', [{ paragraphMarker: {} }, { textRun: { content: 'a\n-- \nb' } }], 'a\n-- \nb'],
    ['a single dash', [{ paragraphMarker: {} }, { textRun: { content: 'a\n-\nb' } }], 'a\n-\nb'],
    ['dashes with spaces', [{ paragraphMarker: {} }, { textRun: { content: 'a\n - - -\nb' } }], 'a\n - - -\nb'],
    [
      'a bullet that holds dashes',
      [{ paragraphMarker: { bullet: {} } }, { textRun: { content: '---\n' } }, { paragraphMarker: {} }, { textRun: { content: 'b' } }],
      '- ---\nb',
    ],
    [
      'a bullet that holds one in two runs',
      [{ paragraphMarker: { bullet: { nestingLevel: 1 } } }, { textRun: { content: ' ' } }, { textRun: { content: '-\n' } }],
      '-  -',
    ],
    ['dashes after a soft break', [{ paragraphMarker: { bullet: {} } }, { textRun: { content: 'a\u000b---\n' } }], '- a\n---'],
  ])('keeps what someone has written with dashes: %s', async (_what, textElements, text) => {
    const table = {
      tableRows: [{ tableCells: [{ text: { textElements } }, { text: { textElements: [{ textRun: { content: '-' } }] } }] }],
    };
    saying({ title: 'x', slides: [{ pageElements: [{ shape: { text: { textElements } } }, { table }] }] });
    const inRow = text
      .split('\n')
      .map((line) => line.trim())
      .join(' ');
    expect((await read()).slides[0].text).toBe(`${text}\n${inRow} | -`);
  });

  it('shows the alternative text of a title, too', async () => {
    const shape = { placeholder: { type: 'TITLE' }, ...textOf('Sales') };
    const [described, repeated] = [
      { shape, description: 'what is seen' },
      { shape, title: 'Sales' },
    ];
    saying({ title: 'x', slides: [{ pageElements: [described, { shape: textOf('box') }] }, { pageElements: [repeated] }] });
    expect((await read()).slides).toEqual([
      { number: 1, title: 'Sales', text: '[what is seen]\nbox' },
      { number: 2, title: 'Sales', text: '' },
    ]);
  });

  it('shows the alternative text of every kind of element, in groups too, beside its own text', async () => {
    const alt = { title: 'Title', description: 'what is seen' };
    const elements = [
      { image: {}, ...alt },
      { image: {} },
      { video: { source: 'YOUTUBE' }, ...alt },
      { video: {} },
      { sheetsChart: { chartId: 1 }, description: 'what is seen' },
      { sheetsChart: {} },
      { wordArt: { renderedText: 'Onwards' }, ...alt },
      { wordArt: { renderedText: 'Onwards' }, title: 'Onwards' },
      { table: { tableRows: [{ tableCells: [{ text: { textElements: [{ textRun: { content: 'cell' } }] } }] }] }, ...alt },
      { shape: textOf('box'), ...alt },
      { shape: {}, ...alt },
    ];
    const text = [
      ...['[Title: what is seen]', '[video: Title: what is seen]', '[video]', '[chart: what is seen]', '[chart]'],
      ...[
        'Onwards\n[Title: what is seen]',
        'Onwards',
        'cell\n[Title: what is seen]',
        'box\n[Title: what is seen]',
        '[Title: what is seen]',
      ],
    ].join('\n');
    saying({ title: 'x', slides: [{ pageElements: elements }, { pageElements: [{ elementGroup: { children: elements } }] }] });
    expect((await read()).slides).toEqual([
      { number: 1, text, images: 2 },
      { number: 2, text, images: 2 },
    ]);
  });

  it('shows addresses of links, and what is raised, lowered or struck through', async () => {
    const to = (url: string) => ({ link: { url } });
    const run = (content: string, style: object = {}) => ({ textRun: { content, style } });
    const textElements = [
      ...[{ paragraphMarker: {} }, run('See '), run('the ', to('https://a.example/')), run('plan', { ...to('https://a.example/') })],
      ...[
        run('\n'),
        { paragraphMarker: {} },
        run('10'),
        run('6', { baselineOffset: 'SUPERSCRIPT' }),
        run(' '),
        run('no\n', { strikethrough: true }),
      ],
      ...[run('script', to('javascript:alert(1)')), run(' slide', { link: { slideIndex: 2 } })],
    ];
    const elements = [
      { shape: { text: { textElements } } },
      { shape: { ...textOf('Sign up'), shapeProperties: to('https://b.example/') } },
      { shape: { shapeProperties: to('https://c.example/') } },
      { image: { imageProperties: to('https://d.example/') }, title: 'Logo' },
      { image: { imageProperties: to('https://e.example/') } },
    ];
    saying({ title: 'x', slides: [{ pageElements: elements }] });
    expect((await read()).slides[0].text.split('\n')).toEqual([
      ...['See [the plan](https://a.example/)', '10<sup>6</sup> ~~no~~', 'script slide', '[Sign up](https://b.example/)'],
      ...['[[Logo]](https://d.example/)', '[[image]](https://e.example/)'],
    ]);
    const fields = scene.api.calls[0]?.query.get('fields');
    expect(fields).toContain('style(link(url),strikethrough,baselineOffset)');
    expect(fields).toContain('shapeProperties(link(url))');
    expect(fields).toContain('imageProperties(link(url))');
  });

  it('numbers items as the slide does, and shows other signs as dashes', async () => {
    const glyphs = ['1.', 'b)', '(iv)', '2.1.', '3', '●', 'o', 'Ø', undefined];
    const textElements = glyphs.flatMap((glyph) => [{ paragraphMarker: { bullet: { glyph } } }, { textRun: { content: 'x\n' } }]);
    saying({ title: 'x', slides: [{ pageElements: [{ shape: { text: { textElements } } }] }] });
    expect((await read()).slides[0].text.split('\n')).toEqual(
      ['1.', 'b)', '(iv)', '2.1.', '3', '-', '-', '-', '-'].map((mark) => `${mark} x`),
    );
    expect(scene.api.calls[0]?.query.get('fields')).toContain('bullet(listId,nestingLevel,glyph)');
  });

  it('keeps the cells of a table in their columns, although those that cover several are listed once', async () => {
    const cell = (content: string, columnIndex?: number) => ({ location: { rowIndex: 1, columnIndex }, ...textOf(content) });
    const rows = [[cell('a'), cell('across', 1), cell('d', 3)], [cell('below', 2), cell('e', 3)], [cell('x', 2 ** 31 - 1)]];
    const table = { tableRows: rows.map((tableCells) => ({ tableCells })) };
    saying({ title: 'x', slides: [{ pageElements: [{ table }] }] });
    const lines = (await read()).slides[0].text.split('\n');
    expect(lines.slice(0, 2)).toEqual(['a | across |  | d', ' |  | below | e']);
    expect(lines[2].length).toBeLessThan(1_000);
    expect(scene.api.calls[0]?.query.get('fields')).toContain('tableCells(location(columnIndex),');
  });

  it('asks for the kinds of elements', async () => {
    saying({ title: 'x', slides: [] });
    await read();
    expect(scene.api.calls[0]?.query.get('fields')).toContain('video(source),sheetsChart(chartId),elementGroup)');
  });

  it('never shows the character in place of an object', async () => {
    saying({ title: 'x', slides: [{ pageElements: [{ shape: textOf('Due \ue907 soon') }] }] });
    expect((await read()).slides[0].text).toBe('Due [object] soon');
  });

  it('shows no bullet of an empty paragraph', async () => {
    const bullet = { paragraphMarker: { bullet: {} } };
    const textElements = [
      bullet,
      { textRun: { content: 'a\n' } },
      bullet,
      { textRun: { content: ' \n' } },
      bullet,
      { textRun: { content: 'b\n' } },
      bullet,
    ];
    saying({ title: 'x', slides: [{ pageElements: [{ shape: { text: { textElements } } }] }] });
    expect((await read()).slides[0].text).toBe('- a\n \n- b');
  });

  it('is read in parts', async () => {
    const long = 'ä'.repeat(9_000);
    saying({ title: 'a\u0000b', slides: Array.from({ length: 60 }, () => ({ pageElements: [{ shape: textOf(long) }] })) });
    const first = await read();
    expect(first.title).toBe('a b');
    expect(first.slides[0]).toEqual({ number: 1, text: 'ä'.repeat(8_000), next_offset: 8_000 });
    expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(256 * 1024);
    expect(first.next).toBe(first.slides.length + 1);
    const second = await read({ from: first.next });
    expect(second.slides[0].number).toBe(first.next);
  });

  it('whose text, title or notes are long is read on, whole characters at a time', async () => {
    const [text, notes] = ['a👍🏽'.repeat(9_000), 'é😀'.repeat(7_000)];
    const title = 'Agenda '.repeat(200).trim();
    const named = { shape: { ...textOf(title), placeholder: { type: 'TITLE' } } };
    const pages = { speakerNotesObjectId: 'n' };
    const notesPage = { notesProperties: pages, pageElements: [{ objectId: 'n', shape: textOf(notes) }] };
    saying({ title: 'x', slides: [{}, { pageElements: [named, { shape: textOf(text) }], slideProperties: { notesPage } }] });
    const parts = [(await read({ slides: [2] })).slides[0]];
    expect(parts[0].title).toMatch(/^Agenda .*…$/);
    for (let last = parts[0]; last.next_offset !== undefined; last = parts.at(-1)) {
      parts.push((await read({ slides: [2], offset: last.next_offset })).slides[0]);
    }
    expect(parts.map((part) => part.text).join('')).toBe(`${title}\n${text}`);
    expect(parts.map((part) => part.notes ?? '').join('')).toBe(notes);
    await expect(read({ offset: 8_000 })).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('one slide') });
  });
});
