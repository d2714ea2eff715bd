import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actApproved } from '../../../support/emulators/workspace-content.ts';
import { startFileAgents } from '../../../support/scenes/file-agents.ts';
import { connect } from '../../../support/scenes/flows.ts';
import type { TestSteward } from '../../../support/steward.ts';
import { eventually } from '../../../support/time/eventually.ts';

let steward: TestSteward;
let token: string;

beforeAll(async () => {
  steward = await startFileAgents();
  token = await steward.signIn();
  await connect(steward, { token });
});

afterAll(() => steward.stop());

function run(action: string, input: object = {}): Promise<any> {
  return actApproved(steward, token, action, input);
}

async function id(name: string): Promise<string> {
  const { items } = await run('drive.search', { type: 'document', max: 50 });
  return items.find((item: { name: string }) => item.name === name).id;
}

async function textOf(document: string, tab: string): Promise<string> {
  const { tabs } = await run('documents.read', { id: document, tab });
  return tabs.find((one: { text?: string }) => one.text !== undefined).text;
}

describe('documents.read', () => {
  it('returns every tab and child tab as Markdown, in reading order', async () => {
    const { tabs, title, link } = await run('documents.read', { id: await id('Harbour brief') });
    expect({ title, link }).toEqual({
      title: 'Harbour brief',
      link: `https://docs.google.com/document/d/${await id('Harbour brief')}/edit`,
    });
    expect(tabs.map(({ id: tab, title: name, parent }: any) => [tab, name, parent])).toEqual([
      ['t.0', 'Overview', undefined],
      ['t.budget', 'Budget', undefined],
      ['t.risks', 'Risks', 't.budget'],
      ['t.suppliers', 'Suppliers', 't.budget'],
      ['t.empty', 'Later', undefined],
    ]);
    expect(tabs[0].text).toBe(
      [
        '# Harbour 2026',
        '## Brief for the renovation',
        'The old harbour is to be **open again by May**. Drafts live at [harbour.example](https://harbour.example/plans).',
        '# Goals',
        '1. Quay walls\n2. Crane\n  a. Paint: *signal yellow*',
        '## Team',
        '- Ana Müller <ana.mueller@example.org>\n- Café owner 👩‍🍳 Zoë\n  - speaks French',
      ].join('\n\n'),
    );
    expect(tabs[1].text).toBe(
      [
        '# Budget',
        '| Part | Cost | Note |\n| --- | --- | --- |\n| Quay walls | € 120,000 | fixed \\| agreed |\n| Crane 🏗️ | € 45,500 | two<br>lines |',
        'Total: **€ 165,500**',
      ].join('\n\n'),
    );
    expect(tabs[3].text).toBe('Møller & Søn, the harbour’s own yard\n\n---');
    expect(tabs[4].text).toBe('');
  });

  it('includes header, footer, footnotes, chips and alternative texts', async () => {
    const document = await id('Handbook (all chapters)');
    expect((await textOf(document, 't.0')).split('\n\n')).toEqual([
      '[header] For staff only',
      '# Handbook',
      'All chapters in one document, with every photograph.[^1]',
      'Owner: Ana Müller <ana.mueller@example.org>, In review, due 3 Jun 2026',
      '[image: The quay: Cranes at dawn]',
      '[^1]: Photographs by the harbour office.',
      '[footer] Page [page number]',
    ]);
  });

  it('reads text among breaks, chips, equations and a table of contents, which only repeats headings', async () => {
    const document = await id('Handbook (all chapters)');
    expect((await textOf(document, 't.layout')).split('\n\n')).toEqual([
      ...['# Layout 🧭', 'See [Tide table](https://harbour.example/tides).', '## Tides', 'Height: [equation]\nNext column'],
      '| High | Low |\n| --- | --- |',
    ]);
  });

  it('reads one tab, by its id or its title, and names the others', async () => {
    const document = await id('Harbour brief');
    for (const tab of ['t.risks', 'Risks']) {
      const { tabs } = await run('documents.read', { id: document, tab });
      expect(tabs.map((one: { text?: string }) => one.text)).toEqual([
        undefined,
        undefined,
        '# Risks\n\n- Storm 🌊 in harbour season\n- Harbour fees',
        undefined,
        undefined,
      ]);
    }
  });

  it('lists the tabs if an unknown one is requested', async () => {
    await expect(run('documents.read', { id: await id('Harbour brief'), tab: 'Costs' })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { choices: expect.arrayContaining([{ id: 't.budget', title: 'Budget' }]) },
    });
  });

  it('returns long tabs in parts, without splitting surrogate pairs', async () => {
    const line = '🚢'.repeat(10_000);
    const { id: document } = await run('documents.create', { title: 'Long', text: line });
    for (let lines = 1; lines < 3; lines += 1) await run('documents.append', { id: document, text: line });
    const first = await run('documents.read', { id: document });
    expect(first).toMatchObject({ next_tab: 't.0', next_offset: 40_000 });
    const second = await run('documents.read', { id: document, tab: first.next_tab, offset: first.next_offset });
    expect(second).not.toHaveProperty('next_offset');
    expect(first.tabs[0].text + second.tabs[0].text).toBe([line, line, line].join('\n\n'));
    // The 40,000th unit of this part is the first half of a pair.
    const odd = await run('documents.read', { id: document, offset: 20_001 });
    expect(odd.tabs[0].text.isWellFormed()).toBe(true);
    expect(odd.next_offset).toBe(60_000);
  });

  it('reads shared documents, also from a shared drive', async () => {
    expect((await run('documents.read', { id: await id('Team budget notes') })).tabs[0].text).toMatch(/^The team budget/);
    expect((await run('documents.read', { id: await id('Travel policy') })).tabs[0].text).toMatch(/^# Travel policy/);
  });

  it('reports a file that is not a document, or is not found', async () => {
    const { items } = await run('drive.search', { query: 'Budget.csv' });
    await expect(run('documents.read', { id: items[0].id })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(run('documents.read', { id: '1unknown' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(run('documents.read', { id: '../documents' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^id: /),
    });
  });

  it.each(['html', 'malformed'] as const)('reports a %s response with status 200 as an error of the provider', async (kind) => {
    const document = await id('Harbour brief');
    await steward.control('faults', { part: 'workspace', path: '/api/v1/documents', kind });
    await expect(run('documents.read', { id: document })).rejects.toMatchObject({ code: 'provider_error' });
    await steward.control('faults/clear', {});
  });
});

describe('documents.create', () => {
  it('creates a document with its text, which the drive lists', async () => {
    const made = await run('documents.create', { title: 'Liste für Zoë 🎉', text: 'Erstens: 寿司\r\nZweitens' });
    expect(made).toEqual({ id: expect.any(String), title: 'Liste für Zoë 🎉', link: expect.stringContaining(made.id) });
    expect(await textOf(made.link, 't.0')).toBe('Erstens: 寿司\n\nZweitens');
    expect(await run('drive.info', { id: made.id })).toMatchObject({ name: 'Liste für Zoë 🎉', type: 'document' });
  });

  it('creates an empty document', async () => {
    const { id: document } = await run('documents.create', { title: 'Nothing yet' });
    expect(await textOf(document, 't.0')).toBe('');
  });

  it('reports that the document exists when its text could not be written', async () => {
    // Enough to create it only.
    await steward.control('workspace/quota', { api: 'docs', units_per_minute: 1 });
    await steward.control('clock', { advance_ms: 60_000 });
    const made = await run('documents.create', { title: 'Half made', text: 'never written' });
    await steward.control('workspace/quota', { api: 'docs', units_per_minute: 300 });
    expect(made).toMatchObject({ id: expect.any(String), problem: expect.stringMatching(/asks for a pause/) });
    expect(await textOf(made.id, 't.0')).toBe('');
  });

  it.each([
    ['a title with a line break', { title: 'a\nb' }],
    ['text with control characters', { title: 'x', text: 'a\u0000b' }],
    ['text with half a pair', { title: 'x', text: 'a\ud83d' }],
    ['characters that the provider would strip', { title: 'x', text: 'a\ue000b' }],
    ['an unknown field', { title: 'x', folder: 'root' }],
  ])('rejects %s', async (_, input) => {
    await expect(run('documents.create', input)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('documents.append', () => {
  it('adds lines after the last one', async () => {
    const { id: document } = await run('documents.create', { title: 'Log', text: 'one 🌞' });
    expect(await run('documents.append', { id: document, text: 'two 🌧️\nthree' })).toMatchObject({
      id: document,
      tab: 't.0',
      characters: 13,
    });
    await run('documents.append', { id: document, text: 'four' });
    expect(await textOf(document, 't.0')).toBe('one 🌞\n\ntwo 🌧️\n\nthree\n\nfour');
  });

  it('starts in the empty last line of a document', async () => {
    const { id: document } = await run('documents.create', { title: 'Ends empty', text: 'one\n' });
    await run('documents.append', { id: document, text: 'two' });
    await expect(run('documents.replace', { id: document, find: 'two', replace: '2' })).resolves.toMatchObject({ replaced: 1 });
    const legacy = await bodyOf(document);
    expect(legacy).toBe('one\n2\n');
  });

  it('adds to the given tab only', async () => {
    const document = (await run('drive.copy', { id: await id('Harbour brief'), name: 'Brief to append to' })).id;
    await run('documents.append', { id: document, tab: 'Risks', text: 'Seagulls' });
    expect(await textOf(document, 't.risks')).toBe('# Risks\n\n- Storm 🌊 in harbour season\n- Harbour fees\n\nSeagulls');
    expect(await textOf(document, 't.0')).not.toContain('Seagulls');
    await run('documents.append', { id: document, tab: 't.empty', text: 'First line' });
    expect(await textOf(document, 't.empty')).toBe('First line');
  });

  it('rejects a change of a document that changed since it was read, and writes nothing', async () => {
    const { id: document } = await run('documents.create', { title: 'Contested', text: 'start' });
    const path = `/api/v1/documents/${document}:batchUpdate`;
    const calls = async () => (await steward.control('state')).calls.workspace[path] ?? 0;
    const before = await calls();
    await steward.control('faults', { part: 'workspace', path, kind: 'delay', ms: 5_000, times: 1 });
    const late = run('documents.append', { id: document, text: 'late' });
    late.catch(() => {});
    await eventually(async () => (await calls()) > before);
    await run('documents.append', { id: document, text: 'first' });
    await expect(late).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(/Read it again/) });
    expect(await textOf(document, 't.0')).toBe('start\n\nfirst');
  });

  it('cannot change a file that is shared read-only', async () => {
    await expect(run('documents.append', { id: await id('Team budget notes'), text: 'x' })).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('rejects an empty text', async () => {
    await expect(run('documents.append', { id: await id('Meeting minutes'), text: '' })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('documents.replace', () => {
  async function copyOf(name: string): Promise<string> {
    return (await run('drive.copy', { id: await id(name) })).id;
  }

  it('counts what it replaced in all tabs', async () => {
    const document = await copyOf('Harbour brief');
    expect(await run('documents.replace', { id: document, find: 'harbour', replace: 'port', match_case: false })).toMatchObject({
      replaced: 6,
    });
    const { tabs } = await run('documents.read', { id: document });
    expect(tabs.map((tab: { text: string }) => tab.text).join('\n')).not.toMatch(/harbour(?!\.example\/)/i);
  });

  it('replaces in headers and footnotes, too', async () => {
    const document = await copyOf('Handbook (all chapters)');
    expect(await run('documents.replace', { id: document, find: 'staff', replace: 'guests' })).toMatchObject({ replaced: 1 });
    expect(await run('documents.replace', { id: document, find: 'harbour', replace: 'port' })).toMatchObject({ replaced: 1 });
    expect(await textOf(document, 't.0')).toContain('[header] For guests only');
  });

  it('replaces in one tab only, child tabs too', async () => {
    const document = await copyOf('Harbour brief');
    expect(await run('documents.replace', { id: document, find: 'Harbour', replace: 'Port', tab: 't.risks' })).toMatchObject({
      replaced: 1,
    });
    expect(await textOf(document, 't.risks')).toContain('Port fees');
    expect(await textOf(document, 't.0')).toContain('Harbour 2026');
  });

  it('is case-sensitive by default, keeps styles, and includes tables', async () => {
    const document = await copyOf('Meeting minutes');
    expect(await run('documents.replace', { id: document, find: 'budget', replace: 'plan' })).toMatchObject({ replaced: 2 });
    expect(await textOf(document, 't.0')).toContain('The Budget was read; the plan was agreed.');
    expect(await textOf(document, 't.0')).toContain('Order the **plan** review');
    const brief = await copyOf('Harbour brief');
    expect(await run('documents.replace', { id: brief, find: '45,500', replace: '54,000' })).toMatchObject({ replaced: 1 });
    expect(await textOf(brief, 't.budget')).toContain('| Crane 🏗️ | € 54,000 | two<br>lines |');
  });

  it('finds and writes emoji, several in a line', async () => {
    const document = await copyOf('Travel diary 🚢');
    expect(await run('documents.replace', { id: document, find: '🌞', replace: '☀️☀️' })).toMatchObject({ replaced: 3 });
    expect(await textOf(document, 't.0')).toBe('# 🚢 Travel diary\n\nDay 1: ☀️☀️☀️☀️ and 寿司 for dinner.\n\nDay 2: 🌧️, stayed in. ☀️☀️ later.');
  });

  it('deletes with an empty replacement, and returns 0 if nothing is found', async () => {
    const document = await copyOf('Travel diary 🚢');
    expect(await run('documents.replace', { id: document, find: ', stayed in', replace: '' })).toMatchObject({ replaced: 1 });
    expect(await run('documents.replace', { id: document, find: 'submarine', replace: 'x' })).toMatchObject({ replaced: 0 });
    expect(await run('documents.replace', { id: document, find: '.*', replace: 'x' })).toMatchObject({ replaced: 0 });
  });

  it.each([
    ['nothing to find', { find: '', replace: 'x' }],
    ['a tab that does not exist', { find: 'a', replace: 'b', tab: 'nope' }],
    ['control characters', { find: 'a', replace: 'b\u0007' }],
  ])('rejects %s', async (_, input) => {
    await expect(run('documents.replace', { id: await id('Meeting minutes'), ...input })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

/** The text of the first tab in the provider's export. */
async function bodyOf(document: string): Promise<string> {
  const { tabs } = await run('documents.read', { id: document });
  return `${tabs[0].text.replaceAll('\n\n', '\n')}\n`;
}
