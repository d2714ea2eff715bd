import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FileAgentsApi, startFileAgentsApi } from '../../../support/scenes/file-agents-api.ts';
import { respond, type ScriptedCall } from '../../../support/servers/scripted-server.ts';
import { callAction } from '../../../support/users/agents.ts';

let scene: FileAgentsApi;

beforeAll(async () => {
  scene = await startFileAgentsApi();
});

afterAll(() => scene.stop());

async function run(action: string, input: object = {}): Promise<any> {
  return (await callAction(scene.steward, action, { id: 'd1', ...input })).data;
}

function documentOf(...content: unknown[]): object {
  return { documentId: 'd1', title: 'Hostile', revisionId: 'r1', tabs: [tab('t.0', content)] };
}

function tab(tabId: string, content: unknown[], childTabs: unknown[] = []): object {
  return { tabProperties: { tabId, title: tabId }, documentTab: { body: { content } }, childTabs };
}

function paragraph(...elements: unknown[]): object {
  return { paragraph: { elements } };
}

function text(content: string, textStyle: object = {}): object {
  return { textRun: { content, textStyle } };
}

/** A value nested many times. */
function nested(depth: number, wrap: (inner: unknown) => unknown, core: unknown): unknown {
  return Array.from({ length: depth }).reduce<unknown>((inner) => wrap(inner), core);
}

async function read(document: unknown): Promise<string> {
  scene.api.on('*', { body: document });
  return (await run('documents.read')).tabs[0].text;
}

describe('documents.read with unusual responses', () => {
  it('joins runs of the same style, and keeps spaces outside of the marks', async () => {
    const bold = { bold: true };
    const content = [text('Hel', bold), text('lo ', { ...bold, foregroundColor: {} }), text('world', { bold: false }), text(' !', {})];
    expect(await read(documentOf(paragraph(...content)))).toBe('**Hello** world !');
  });

  it('includes only links that a browser may open', async () => {
    const link = (url: string) => text('here', { link: { url } });
    expect(await read(documentOf(paragraph(link('javascript:alert(1)'), text(' '), link('https://a.example/x(1)?y=)'))))).toBe(
      'here [here](https://a.example/x%281%29?y=%29)',
    );
    const chip = { richLink: { richLinkProperties: { title: 'Plan', uri: 'data:text/html,x' } } };
    expect(await read(documentOf(paragraph(chip)))).toBe('Plan');
  });

  it('shows people, dates, footnotes and images as text', async () => {
    const elements = [
      { person: { personProperties: { name: 'Ana', email: 'ana@example.org' } } },
      text(' on '),
      { dateElement: { dateElementProperties: { displayText: '3 March' } } },
      { footnoteReference: { footnoteNumber: '1' } },
      { inlineObjectElement: { inlineObjectId: 'x' } },
      { somethingNew: {} },
    ];
    expect(await read(documentOf(paragraph(...elements)))).toBe('Ana <ana@example.org> on 3 March[^1][image]');
  });

  it('names a chip by what it has', async () => {
    const chips = [
      { person: { personProperties: { name: '', email: 'ana@example.org' } } },
      { person: { personProperties: { name: 'Ana', email: '' } } },
      { richLink: { richLinkProperties: { title: '', uri: 'https://a.example/plan' } } },
      { dateElement: { dateElementProperties: { displayText: '', timestamp: '2026-06-03T12:00:00Z' } } },
      { dropdown: { dropdownProperties: { displayValue: '' } } },
    ];
    expect((await read(documentOf(...chips.map((chip) => paragraph(chip))))).split('\n\n')).toEqual([
      ...['ana@example.org', 'Ana', '[https://a.example/plan](https://a.example/plan)', '2026-06-03T12:00:00Z', '[dropdown]'],
    ]);
  });

  it('tells what is raised, lowered or struck through, since it reads otherwise without it', async () => {
    const raised = { baselineOffset: 'SUPERSCRIPT' };
    const elements = [
      ...[text('10'), text('6', raised), text(' H', { baselineOffset: 'NONE' }), text('2', { baselineOffset: 'SUBSCRIPT' }), text('O ')],
      ...[text('n', raised), text('+1', { ...raised, bold: false }), text(' not ', { ...raised, strikethrough: true })],
    ];
    expect(await read(documentOf(paragraph(...elements)))).toBe('10<sup>6</sup> H<sub>2</sub>O <sup>n+1</sup> <sup>~~not~~</sup>');
  });

  it('shows the address of a linked image, and the text of a link that is too long', async () => {
    const textStyle = { link: { url: 'https://a.example/go' } };
    const image = { inlineObjectElement: { inlineObjectId: 'x', textStyle } };
    const long = text('long', { link: { url: `https://a.example/${'x'.repeat(5_000)}` } });
    expect(await read(documentOf(paragraph(image, text(' '), long)))).toBe('[[image]](https://a.example/go) long');
  });

  it('numbers the items of lists as the document does', async () => {
    const level = (glyphType: string, glyphFormat: string, more: object = {}) => ({ glyphType, glyphFormat, ...more });
    const properties = (...nestingLevels: object[]) => ({ listProperties: { nestingLevels } });
    const lists = {
      a: properties(level('DECIMAL', '%0.'), level('ALPHA', '%0.%1)'), level('ROMAN', '(%0.%1.%2)')),
      b: properties(level('UPPER_ROMAN', 'Art. %0', { startNumber: 3 }), { glyphSymbol: '●', glyphFormat: '%1' }),
      c: properties(level('ZERO_DECIMAL', '%0', { startNumber: 0 }), level('UPPER_ALPHA', '%1.', { startNumber: 0 })),
      d: properties({ glyphType: 'DECIMAL' }, level('NONE', '%1.'), level('DECIMAL', ''), level('GLYPH_TYPE_UNSPECIFIED', '%3')),
    };
    const item = (listId: string, nestingLevel: number, content = 'x\n') => ({
      paragraph: { elements: [text(content)], bullet: { listId, ...(nestingLevel > 0 && { nestingLevel }) } },
    });
    const items = [
      ...[item('a', 0), item('a', 1), item('a', 1), item('a', 2), paragraph(text('between\n')), item('a', 0), item('a', 1)],
      ...[item('a', 0, '\n'), item('a', 0), item('b', 0), item('b', 1), item('b', 0), item('c', 0), item('c', 1), item('c', 1)],
      ...[item('d', 0), item('d', 1), item('d', 2), item('d', 3), item('d', 9), item('none', 0)],
    ];
    const tabs = [{ tabProperties: { tabId: 't.0' }, documentTab: { body: { content: items }, lists } }];
    const marks = (await read({ ...documentOf(), tabs })).split(/\n+/).map((line) => line.trim().replace(/ x$/, ''));
    expect(marks).toEqual([
      ...['1.', '1.a)', '1.b)', '(1.b.i)', 'between', '2.', '2.a)', '4.', 'Art. III', '-', 'Art. IV', '00', 'A.', 'B.'],
      ...['1.', '-', '-', '-', '-', '-'],
    ]);
  });

  it('shows dropdowns, page numbers, and what has no text, by a word', async () => {
    const elements = [
      { dropdown: { dropdownProperties: { displayValue: 'In review' } } },
      ...[
        { dropdown: {} },
        { autoText: { type: 'PAGE_NUMBER' } },
        { autoText: { type: 'PAGE_COUNT' } },
        { autoText: {} },
        { equation: {} },
      ],
      ...[{ dateElement: { dateElementProperties: { timestamp: '2026-06-03T12:00:00Z' } } }, { dateElement: {} }],
    ];
    const shown = elements.map((element) => paragraph(element));
    expect((await read(documentOf(...shown))).split('\n\n')).toEqual([
      ...['In review', '[dropdown]', '[page number]', '[page count]', '[automatic text]', '[equation]', '2026-06-03T12:00:00Z', '[date]'],
    ]);
  });

  it('never shows the character in place of an object', async () => {
    expect(await read(documentOf(paragraph(text('status \ue907 done\ue000\u{f0000}!'))))).toBe('status [object] done[object][object]!');
  });

  it('shows the alternative texts of images, drawings and charts, each once', async () => {
    const object = (embeddedObject: object) => ({ inlineObjectProperties: { embeddedObject } });
    const inlineObjects = {
      a: object({ title: 'Chart', description: 'Sales 2026\nby quarter', imageProperties: {} }),
      b: object({ description: 'A plan', embeddedDrawingProperties: {} }),
      c: object({ title: 'Sales', linkedContentReference: { sheetsChartReference: {} } }),
      d: object({ imageProperties: {} }),
    };
    const positionedObjects = { p: { positionedObjectProperties: { embeddedObject: { title: 'Aside' } } } };
    const ids = ['a', 'b', 'c', 'd', 'a', 'none'];
    const content = [
      paragraph(...ids.map((inlineObjectId) => ({ inlineObjectElement: { inlineObjectId } }))),
      { paragraph: { elements: [text('\n')], positionedObjectIds: ['p'] } },
    ];
    const tabs = [{ tabProperties: { tabId: 't.0' }, documentTab: { body: { content }, inlineObjects, positionedObjects } }];
    expect(await read({ ...documentOf(), tabs })).toBe(
      '[image: Chart: Sales 2026 by quarter][drawing: A plan][chart: Sales][image][image][image]\n\n[image: Aside]',
    );
  });

  it('shows headers above, footnotes and footers below, of each tab', async () => {
    const segment = (...lines: string[]) => ({ content: lines.map((line) => paragraph(text(`${line}\n`))) });
    const note = (footnoteId: string, footnoteNumber?: string) => ({ footnoteReference: { footnoteId, footnoteNumber } });
    const cell = { content: [paragraph(text('cell'), note('n2', '2'))] };
    const documentTab = {
      body: { content: [paragraph(text('claim'), note('n1', '1')), { table: { tableRows: [{ tableCells: [cell] }] } }] },
      headers: { h1: segment('ACME', 'CONFIDENTIAL'), first: segment('ACME', 'CONFIDENTIAL'), even: segment('') },
      footers: { f1: { content: [paragraph(text('Page '), { autoText: { type: 'PAGE_NUMBER' } })] } },
      footnotes: { n2: segment(' Two'), n1: segment(' One', 'more'), unused: segment('never cited') },
    };
    const child = { tabProperties: { tabId: 't.1' }, documentTab: { ...documentTab, headers: {}, footers: {}, footnotes: {} } };
    scene.api.on('*', { body: { ...documentOf(), tabs: [{ tabProperties: { tabId: 't.0' }, documentTab, childTabs: [child] }] } });
    const { tabs } = await run('documents.read');
    const body = 'claim[^1]\n\n| cell[^2] |\n| --- |';
    expect(tabs.map((one: { text: string }) => one.text)).toEqual([
      `[header] ACME<br>CONFIDENTIAL\n\n${body}\n\n[^1]: One<br>more\n\n[^2]: Two\n\n[footer] Page [page number]`,
      body,
    ]);
  });

  it('shows a footnote once that refers to itself or is referred to many times', async () => {
    const note = { footnoteReference: { footnoteId: 'n' } };
    const documentTab = {
      body: { content: [paragraph(...Array(1_000).fill(note))] },
      footnotes: { n: { content: [paragraph(text('x'.repeat(10_000)), note)] } },
    };
    expect((await read({ ...documentOf(), tabs: [{ tabProperties: { tabId: 't.0' }, documentTab }] })).length).toBeLessThan(20_000);
  });

  it('drops control characters, and converts a soft line break', async () => {
    expect(await read(documentOf(paragraph(text('a\u0000b\u000bc\ud800'))))).toBe('ab\nc\ufffd');
  });

  it.each(['\u000b', '\u000c', '\r', '\u0085', '\u2028', '\u2029'])('keeps a line with %j in it whole', async (lineBreak) => {
    const broken = text(`a${lineBreak}b\n`);
    const heading = { paragraph: { elements: [broken], paragraphStyle: { namedStyleType: 'HEADING_1' } } };
    const table = { table: { tableRows: [{ tableCells: [{ content: [paragraph(broken)] }] }] } };
    const documentTab = { body: { content: [heading, table] }, footers: { f: { content: [paragraph(broken)] } } };
    const tabs = [{ tabProperties: { tabId: 't.0' }, documentTab }];
    expect(await read({ ...documentOf(), tabs })).toBe('# a b\n\n| a<br>b |\n| --- |\n\n[footer] a<br>b');
  });

  it.each(['columnBreak', 'pageBreak'])('breaks a line at a %s', async (kind) => {
    const elements = [text('Left'), { [kind]: { textStyle: {} } }, text('Right\n')];
    const heading = { paragraph: { elements, paragraphStyle: { namedStyleType: 'HEADING_2' } } };
    expect(await read(documentOf(paragraph(...elements), heading, paragraph({ [kind]: {} }, text('\n'))))).toBe(
      'Left\nRight\n\n## Left Right',
    );
  });

  it('reads a table of uneven rows without padding', async () => {
    const cell = { content: [paragraph(text('x\n'))] };
    const wide = { tableCells: Array.from({ length: 5_000 }, () => cell) };
    const rows = [wide, ...Array.from({ length: 5_000 }, () => ({ tableCells: [] }))];
    // Filled up, these would be 25 million cells.
    expect((await read(documentOf({ table: { tableRows: rows } }))).length).toBeLessThan(100_000);
  });

  it('reads megabytes of blanks in linear time', async () => {
    const blanks = `a${' '.repeat(1_000_000)}b\n`;
    const cell = { content: [paragraph(text(blanks))] };
    const response = documentOf(paragraph(text(blanks)), { table: { tableRows: [{ tableCells: [cell] }] } });
    expect((await read(response)).length).toBe(40_000);
  });

  it.each([
    [
      'tables in tables without end',
      documentOf(nested(50, (inner) => ({ table: { tableRows: [{ tableCells: [{ content: [inner] }] }] } }), paragraph())),
    ],
    ['tabs under tabs without end', { ...documentOf(), tabs: [nested(50, (inner) => tab('t', [], [inner]), tab('t', []))] }],
    ['no tabs', { ...documentOf(), tabs: [] }],
    ['a tab without an id', { ...documentOf(), tabs: [{ documentTab: {} }] }],
    ['an invalid tab', { ...documentOf(), tabs: ['t.0'] }],
    ['text that is none', documentOf(paragraph({ textRun: { content: { length: 5 } } }))],
    ['an invalid element', documentOf('paragraph')],
    ['a document that is a list', [documentOf()]],
  ])('reports %s as an error of the provider', async (_, body) => {
    await expect(read(body)).rejects.toMatchObject({ code: 'provider_error' });
  });

  it('rejects a deeply nested response', async () => {
    const deep = `{"documentId":"d1","tabs":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`;
    scene.api.on('*', (response) => response.writeHead(200).end(deep));
    await expect(run('documents.read')).rejects.toMatchObject({ code: 'provider_error' });
  });

  it('says that a document is too large, with its link', async () => {
    scene.api.on('*', (response) => response.writeHead(200).end(Buffer.alloc(13 * 1024 * 1024, ' ')));
    await expect(run('documents.read')).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/Open it at https:\/\/docs\.google\.com\/document\/d\/d1\/edit/),
      details: { link: 'https://docs.google.com/document/d/d1/edit' },
    });
  });

  it('continues with the next tab when a result is full', async () => {
    const tabs = [
      tab('t.a', [paragraph(text('a'.repeat(39_999)))]),
      tab('t.b', [paragraph(text('bb'))]),
      tab('t.c', [paragraph(text('c'))]),
    ];
    scene.api.on('*', { body: { ...documentOf(), tabs } });
    const first = await run('documents.read');
    expect(first.tabs.map((one: { text?: string }) => one.text?.length)).toEqual([39_999, 1, undefined]);
    expect(first).toMatchObject({ next_tab: 't.b', next_offset: 1 });
    expect((await run('documents.read', { tab: 't.b', offset: 1 })).tabs[1].text).toBe('b');
    const full = [tab('t.a', [paragraph(text('a'.repeat(40_000)))]), tab('t.b', [paragraph(text('b'))])];
    scene.api.on('*', { body: { ...documentOf(), tabs: full } });
    expect(await run('documents.read')).toMatchObject({ next_tab: 't.b', next_offset: 0 });
  });

  it('requests all tabs, without suggestions', async () => {
    await read(documentOf());
    expect(scene.api.calls.at(-1)?.url).toMatch(/includeTabsContent=true/);
    expect(scene.api.calls.at(-1)?.url).toMatch(/suggestionsViewMode=PREVIEW_WITHOUT_SUGGESTIONS/);
    const parts = 'documentTab(body(content),lists,headers,footers,footnotes,inlineObjects,positionedObjects)';
    expect(scene.api.calls.at(-1)?.query.get('fields')?.split(parts)).toHaveLength(4);
  });
});

describe('documents’ changes', () => {
  const OWN = { id: 'd1', name: 'Hostile', mimeType: 'application/vnd.google-apps.document', shared: false, ownedByMe: true };

  /** Records the bodies sent to batchUpdate. */
  function recording(reply: object, sent: any[], status = 200) {
    return (response: ServerResponse, call: ScriptedCall) => {
      // Nobody else sees the document.
      if (call.url.includes('/drive/v3/files/')) return respond(response, { body: OWN });
      const tabs = [tab('t.a', [paragraph(text('x\n'))]), tab('t.b', [])];
      if (call.method === 'GET') return respond(response, { body: { ...documentOf(paragraph(text('x\n'))), tabs } });
      sent.push(call.body);
      respond(response, { body: reply, status });
    };
  }

  it('always name the tab and the revision they were made for', async () => {
    const sent: any[] = [];
    scene.api.on('*', recording({ replies: [{}] }, sent));
    await run('documents.append', { text: 'more' });
    await run('documents.append', { text: 'more', tab: 't.b' });
    await run('documents.replace', { find: 'x', replace: 'y' });
    const insert = (tabId: string, inserted: string) => ({ insertText: { text: inserted, endOfSegmentLocation: { tabId } } });
    expect(sent.map(({ requests }) => requests[0])).toEqual([
      insert('t.a', '\nmore'),
      insert('t.b', 'more'),
      { replaceAllText: { containsText: { text: 'x', matchCase: true }, replaceText: 'y', tabsCriteria: { tabIds: ['t.a', 't.b'] } } },
    ]);
    expect(sent.map(({ writeControl }) => writeControl)).toEqual(Array(3).fill({ requiredRevisionId: 'r1' }));
  });

  it('return 0 if the response has no count', async () => {
    scene.api.on('*', recording({}, []));
    expect(await run('documents.replace', { find: 'x', replace: 'y' })).toMatchObject({ replaced: 0 });
  });

  it('distinguish a rejection by the provider from a conflict', async () => {
    scene.api.on('*', recording({ error: { code: 400, status: 'INVALID_ARGUMENT' } }, [], 400));
    await expect(run('documents.append', { text: 'more' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/refused the input/),
    });
  });

  it('are sent once, whatever the response', async () => {
    const sent: any[] = [];
    scene.api.on('*', recording({ error: { code: 503 } }, sent, 503));
    await expect(run('documents.append', { text: 'more' })).rejects.toBeInstanceOf(Error);
    expect(sent).toHaveLength(1);
  });
});
