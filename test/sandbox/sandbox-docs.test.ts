import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callGoogleSandbox, type GoogleCall } from '../support/emulators/google-sandbox.ts';
import { fc } from '../support/runner/property.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

let steward: TestSteward;
let call: GoogleCall;

beforeAll(async () => {
  steward = await startSteward();
  call = await callGoogleSandbox(steward);
});

afterAll(() => steward.stop());

async function copyOf(name: string): Promise<string> {
  const { files } = (await call(`/drive/v3/files?q=${encodeURIComponent(`name = '${name}'`)}`)).body;
  return (await call(`/drive/v3/files/${files[0].id}/copy`, { json: {} })).body.id;
}

async function get(id: string, query = 'includeTabsContent=true'): Promise<any> {
  return (await call(`/v1/documents/${id}?${query}`)).body;
}

function update(id: string, requests: object[], requiredRevisionId?: string) {
  return call(`/v1/documents/${id}:batchUpdate`, {
    json: { requests, ...(requiredRevisionId !== undefined && { writeControl: { requiredRevisionId } }) },
  });
}

/** Text of a tab's runs. */
async function textOf(id: string, tabId = 't.0'): Promise<string> {
  const tab = allTabs((await get(id)).tabs).find((one) => one.tabProperties.tabId === tabId);
  return leaves(tab.documentTab.body.content)
    .map((element) => element.textRun?.content ?? '\ue907')
    .join('');
}

function allTabs(tabs: any[]): any[] {
  return tabs.flatMap((tab) => [tab, ...allTabs(tab.childTabs ?? [])]);
}

/** Elements of paragraphs, including those in tables. */
function leaves(content: any[]): any[] {
  return content.flatMap(({ paragraph, table }) => {
    if (table !== undefined) return table.tableRows.flatMap((row: any) => row.tableCells.flatMap((cell: any) => leaves(cell.content)));
    return paragraph?.elements ?? [];
  });
}

describe('GET /v1/documents/:id', () => {
  it('returns all tabs with their child tabs, or only the first one’s body as without includeTabsContent', async () => {
    const id = await copyOf('Harbour brief');
    const withTabs = await get(id);
    expect(withTabs).not.toHaveProperty('body');
    expect(withTabs.tabs.map((tab: any) => tab.childTabs?.length ?? 0)).toEqual([0, 2, 0]);
    const legacy = await get(id, '');
    expect(legacy).not.toHaveProperty('tabs');
    expect(legacy.body).toEqual(withTabs.tabs[0].documentTab.body);
  });

  it('counts indexes in UTF-16 units, without gaps, starting again in each tab', async () => {
    for (const tab of allTabs((await get(await copyOf('Harbour brief'))).tabs)) {
      const { content } = tab.documentTab.body;
      expect(content[1].startIndex).toBe(1);
      for (const [at, element] of content.slice(2).entries()) expect(element.startIndex).toBe(content[at + 1].endIndex);
      for (const { startIndex, endIndex, textRun } of leaves(content)) expect(endIndex - startIndex).toBe(textRun?.content.length ?? 1);
    }
  });

  it.each([
    'tabs',
    '*',
    'title,tabs(*)',
    'tabs(tabProperties,documentTab)',
    'tabs/documentTab/*',
    'tabs(tabProperties(tabId),documentTab(body,lists),childTabs)',
    'tabs(documentTab(body),childTabs(documentTab(body),childTabs))',
    'tabs(documentTab(body,commentAnchors))',
    'title,comments',
  ])('refuses the mask %s, which would select comments', async (fields) => {
    const refused = await call(
      `/v1/documents/${await copyOf('Harbour brief')}?includeTabsContent=true&fields=${encodeURIComponent(fields)}`,
    );
    expect(refused).toMatchObject({ status: 400, body: { error: { status: 'INVALID_ARGUMENT' } } });
    expect(refused.body.error.message).toBe('Field mask cannot retrieve comment-specific fields when include_comments is false.');
  });

  it.each(['title', 'tabs(tabProperties)', 'tabs(documentTab(body,lists),childTabs(documentTab/body))'])(
    'accepts the mask %s',
    async (fields) => {
      expect((await call(`/v1/documents/${await copyOf('Harbour brief')}?fields=${encodeURIComponent(fields)}`)).status).toBe(200);
    },
  );

  it('returns 404 for an unknown id and 400 for a file that is not a document', async () => {
    const { files } = (await call("/drive/v3/files?q=name%3D'Budget.csv'")).body;
    expect((await call('/v1/documents/unknown')).status).toBe(404);
    expect((await call(`/v1/documents/${files[0].id}`)).status).toBe(400);
  });
});

describe('POST /v1/documents/:id:batchUpdate', () => {
  it('inserts at an index behind an emoji, never within one', async () => {
    const id = await copyOf('Travel diary 🚢');
    const at = (await textOf(id)).indexOf(' Travel') + 1;
    expect((await update(id, [{ insertText: { text: '⚓', location: { index: at, tabId: 't.0' } } }])).status).toBe(200);
    expect(await textOf(id)).toMatch(/^🚢⚓ Travel diary\n/);
    expect((await update(id, [{ insertText: { text: 'x', location: { index: 2, tabId: 't.0' } } }])).status).toBe(400);
  });

  it('inserts at the end of a tab; a line break adds an item to a list', async () => {
    const id = await copyOf('Harbour brief');
    await update(id, [{ insertText: { text: '\nGulls', endOfSegmentLocation: { tabId: 't.risks' } } }]);
    const risks = allTabs((await get(id)).tabs).find((tab) => tab.tabProperties.tabId === 't.risks');
    expect(risks.documentTab.body.content.at(-1)).toMatchObject({ paragraph: { bullet: { listId: 'kix.bullets' } } });
    expect(await textOf(id, 't.risks')).toMatch(/fees\nGulls\n$/);
  });

  it('deletes within and across paragraphs, not the last line break nor half a pair', async () => {
    const id = await copyOf('Travel diary 🚢');
    const text = await textOf(id);
    const remove = (start: number, end: number) =>
      update(id, [{ deleteContentRange: { range: { startIndex: start + 1, endIndex: end + 1, tabId: 't.0' } } }]);
    expect((await remove(0, 1)).status).toBe(400);
    expect((await remove(text.length - 3, text.length)).status).toBe(400);
    expect((await remove(text.indexOf('Day 1'), text.indexOf('Day 2'))).status).toBe(200);
    expect(await textOf(id)).toBe('🚢 Travel diary\nDay 2: 🌧️, stayed in. 🌞 later.\n');
  });

  it('deletes no part of a table from outside of it', async () => {
    const id = await copyOf('Harbour brief');
    const content = (await get(id)).tabs[1].documentTab.body.content;
    const table = content.find((element: any) => element.table !== undefined);
    const range = { startIndex: table.startIndex - 1, endIndex: table.endIndex + 1, tabId: 't.budget' };
    expect((await update(id, [{ deleteContentRange: { range } }])).status).toBe(400);
  });

  it('styles a range', async () => {
    const id = await copyOf('Team budget notes');
    const range = { startIndex: 5, endIndex: 9, tabId: 't.0' };
    expect((await update(id, [{ updateTextStyle: { range, textStyle: { bold: true }, fields: 'bold' } }])).status).toBe(200);
    const runs = leaves((await get(id)).tabs[0].documentTab.body.content).map(({ textRun }) => [textRun.content, textRun.textStyle.bold]);
    expect(runs.slice(0, 3)).toEqual([
      ['The ', undefined],
      ['team', true],
      [expect.stringMatching(/^ budget/), undefined],
    ]);
  });

  it('replaces in the named tabs, or in all', async () => {
    const id = await copyOf('Harbour brief');
    const replace = (tabsCriteria?: object) => ({
      replaceAllText: { containsText: { text: 'harbour', matchCase: false }, replaceText: 'port', ...(tabsCriteria && { tabsCriteria }) },
    });
    expect((await update(id, [replace({ tabIds: ['t.risks', 't.suppliers'] })])).body.replies).toEqual([
      { replaceAllText: { occurrencesChanged: 3 } },
    ]);
    expect((await update(id, [replace()])).body.replies).toEqual([{ replaceAllText: { occurrencesChanged: 3 } }]);
    expect((await update(id, [replace()])).body.replies).toEqual([{ replaceAllText: {} }]);
    expect((await update(id, [replace({ tabIds: ['t.none'] })])).status).toBe(400);
  });

  it('applies all requests or none, and rejects another revision', async () => {
    const id = await copyOf('Travel diary 🚢');
    const { revisionId } = await get(id);
    const good = { insertText: { text: 'A', location: { index: 1, tabId: 't.0' } } };
    expect((await update(id, [good, { insertText: { text: 'B', location: { index: 9_999, tabId: 't.0' } } }])).status).toBe(400);
    expect((await get(id)).revisionId).toBe(revisionId);
    const done = await update(id, [good], revisionId);
    expect(done).toMatchObject({ status: 200, body: { documentId: id, writeControl: { requiredRevisionId: (await get(id)).revisionId } } });
    expect((await update(id, [good], revisionId)).status).toBe(400);
    expect(await textOf(id)).toMatch(/^A🚢/);
  });

  it.each([
    [{ insertText: { text: '', location: { index: 1 } } }],
    [{ insertText: { text: 'x' } }],
    [{ insertText: { text: 'x', location: { index: 1 }, endOfSegmentLocation: {} } }],
    [{ replaceAllText: { containsText: { text: '' }, replaceText: 'x' } }],
    [{ deleteContentRange: { range: { startIndex: 3, endIndex: 3 } } }],
    [{ makeCoffee: {} }],
  ])('rejects %j', async (request) => {
    expect((await update(await copyOf('Travel diary 🚢'), [request])).status).toBe(400);
  });

  it('edits any text like a string', async () => {
    const words = fc.string({ unit: fc.constantFrom('a', 'B', ' ', '\n', '🌞', 'é', '寿'), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        words,
        fc.nat(),
        words.filter((text) => text !== ''),
        async (start, place, inserted) => {
          const { body } = await call('/v1/documents', { json: { title: 'any' } });
          if (start !== '') await update(body.documentId, [{ insertText: { text: start, endOfSegmentLocation: { tabId: 't.0' } } }]);
          const at = place % (start.length + 1);
          const halves = /[\udc00-\udfff]/.test(start[at] ?? '');
          const { status } = await update(body.documentId, [{ insertText: { text: inserted, location: { index: at + 1, tabId: 't.0' } } }]);
          expect(status).toBe(halves ? 400 : 200);
          const expected = halves ? start : start.slice(0, at) + inserted + start.slice(at);
          expect(await textOf(body.documentId)).toBe(`${expected}\n`);
          const { replies } = (
            await update(body.documentId, [{ replaceAllText: { containsText: { text: 'a', matchCase: true }, replaceText: 'ää' } }])
          ).body;
          expect(replies[0].replaceAllText.occurrencesChanged ?? 0).toBe(expected.split('a').length - 1);
          expect(await textOf(body.documentId)).toBe(`${expected.replaceAll('a', 'ää')}\n`);
        },
      ),
      { numRuns: 40 },
    );
  });
});
