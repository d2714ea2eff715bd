import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callApproved, newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { startFileAgents } from '../../../support/scenes/file-agents.ts';
import type { TestSteward } from '../../../support/steward.ts';

let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startFileAgents();
  me = await newPerson(steward);
});
afterAll(() => steward.stop());

async function act(action: string, input: object): Promise<any> {
  return callApproved(steward, me.token, action, input);
}

async function briefCopy(): Promise<string> {
  const { items } = (await act('drive.search', { query: 'Harbour brief', type: 'document' })).data;
  return (await act('drive.copy', { id: items[0].id })).data.id;
}

async function contentOf(id: string, tabId = 't.0'): Promise<any[]> {
  const { tabs } = (await me.google('GET', `/v1/documents/${id}?includeTabsContent=true`)).body as any;
  const all = tabs.flatMap((tab: any) => [tab, ...(tab.childTabs ?? [])]);
  return all.find((tab: any) => tab.tabProperties.tabId === tabId).documentTab.body.content;
}

/** The text of the last paragraphs, with each style that differs from an ordinary paragraph's. */
async function lastParagraphs(id: string, number: number, tabId?: string): Promise<unknown[]> {
  return (await contentOf(id, tabId)).slice(-number).map(({ paragraph }) => {
    const { namedStyleType, direction: _, ...layout } = paragraph.paragraphStyle;
    const runs = paragraph.elements.map(({ textRun }: any) => [textRun?.content.replace(/\n$/, ''), textRun?.textStyle]);
    return { text: runs.map(([text]: any) => text).join(''), style: namedStyleType, layout, runs, bullet: paragraph.bullet };
  });
}

function ordinary(text: string): object {
  return { text, style: 'NORMAL_TEXT', layout: {}, runs: [[text, {}]], bullet: undefined };
}

/** A document of one paragraph with a style. */
async function styledDocument(text: string, request: (range: object) => object): Promise<string> {
  const { id } = (await act('documents.create', { title: 'Styled', text })).data;
  const [last] = (await contentOf(id)).slice(-1);
  const range = { startIndex: last.startIndex, endIndex: last.endIndex, tabId: 't.0' };
  const { status } = await me.google('POST', `/v1/documents/${id}:batchUpdate`, { requests: [request(range)] });
  expect(status).toBe(200);
  return id;
}

const red = { color: { rgbColor: { red: 1 } } };
const paragraphStyle = (style: object) => (range: object) => ({
  updateParagraphStyle: { range, paragraphStyle: style, fields: Object.keys(style).join(',') },
});
const textStyle = (style: object) => (range: object) => ({
  updateTextStyle: { range, textStyle: style, fields: Object.keys(style).join(',') },
});

describe('documents.append after a line with a style', () => {
  it.each([
    ['a heading', paragraphStyle({ namedStyleType: 'HEADING_2' })],
    ['a centred line', paragraphStyle({ alignment: 'CENTER' })],
    ['an indented line', paragraphStyle({ indentStart: { magnitude: 36, unit: 'PT' }, indentFirstLine: { magnitude: 18, unit: 'PT' } })],
    ['a line with a border and a page break', paragraphStyle({ borderBottom: { dashStyle: 'SOLID' }, pageBreakBefore: true })],
    ['bold text', textStyle({ bold: true, italic: true, strikethrough: true })],
    ['coloured text', textStyle({ foregroundColor: red })],
    ['a link', textStyle({ link: { url: 'https://harbour.example/' } })],
  ])('adds ordinary paragraphs after %s, which keeps its style', async (_, request) => {
    const id = await styledDocument('Before', request);
    const [before] = await lastParagraphs(id, 1);
    await act('documents.append', { id, text: 'One 🌞\nTwo' });
    expect(await lastParagraphs(id, 3)).toEqual([before, ordinary('One 🌞'), ordinary('Two')]);
  });

  it.each([
    ['an item of a list', 't.risks'],
    ['an item of a nested list', 't.0'],
    ['an object', 't.suppliers'],
    ['bold text at the end of a line', 't.budget'],
    ['nothing', 't.empty'],
  ])('adds ordinary paragraphs after %s', async (_, tab) => {
    const id = await briefCopy();
    const before = await lastParagraphs(id, 1, tab);
    const { undo } = (await act('documents.append', { id, tab, text: 'One\n\nTwo' })).meta;
    expect(undo).toBeUndefined();
    expect(await lastParagraphs(id, 3, tab)).toEqual([ordinary('One'), ordinary(''), ordinary('Two')]);
    if (tab !== 't.empty') expect((await lastParagraphs(id, 4, tab))[0]).toEqual(before[0]);
  });

  it('makes an empty last line an ordinary one, and says no undo for it', async () => {
    const id = await styledDocument(
      'Before\n',
      paragraphStyle({ namedStyleType: 'HEADING_1', indentStart: { magnitude: 36, unit: 'PT' } }),
    );
    const { meta } = await act('documents.append', { id, text: 'One' });
    expect(meta.undo).toBeUndefined();
    expect(await lastParagraphs(id, 2)).toEqual([ordinary('Before'), ordinary('One')]);
  });

  it('leaves an empty line of ordinary style at the end if the text ends in a line break', async () => {
    const id = await styledDocument('Before', paragraphStyle({ namedStyleType: 'HEADING_1' }));
    await act('documents.append', { id, text: 'One\n' });
    expect(await lastParagraphs(id, 2)).toEqual([ordinary('One'), ordinary('')]);
  });

  it('keeps the direction of the document’s language', async () => {
    const id = await styledDocument('שלום', paragraphStyle({ direction: 'RIGHT_TO_LEFT', alignment: 'END' }));
    await act('documents.append', { id, text: 'עולם' });
    const [last] = (await contentOf(id)).slice(-1);
    expect(last.paragraph.paragraphStyle).toEqual({ namedStyleType: 'NORMAL_TEXT', direction: 'RIGHT_TO_LEFT' });
  });
});

describe('documents.append after breaks, a table of contents and a table at the end', () => {
  it('adds ordinary paragraphs behind all of them, and changes none', async () => {
    const { items } = (await act('drive.search', { query: 'Handbook', type: 'document' })).data;
    const { id } = (await act('drive.copy', { id: items[0].id })).data;
    const before = await contentOf(id, 't.layout');
    await act('documents.append', { id, tab: 'Layout', text: 'Sea 🌊 level\nEnd' });
    expect(await lastParagraphs(id, 2, 't.layout')).toEqual([ordinary('Sea 🌊 level'), ordinary('End')]);
    expect((await contentOf(id, 't.layout')).slice(0, -2)).toEqual(before.slice(0, -1));
  });
});

describe('documents.replace', () => {
  it('keeps the style of what it replaces, in each line of the new text', async () => {
    const id = await styledDocument('Before', paragraphStyle({ namedStyleType: 'HEADING_2' }));
    await act('documents.replace', { id, find: 'Before', replace: 'One\nTwo' });
    expect(await lastParagraphs(id, 2)).toMatchObject([
      { text: 'One', style: 'HEADING_2' },
      { text: 'Two', style: 'HEADING_2' },
    ]);
  });
});
