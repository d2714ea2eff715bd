import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppError } from '../../../../src/errors.ts';
import { actApproved } from '../../../support/emulators/workspace-content.ts';
import { startFileAgents } from '../../../support/scenes/file-agents.ts';
import { connect } from '../../../support/scenes/flows.ts';
import type { TestSteward } from '../../../support/steward.ts';
import { callAction } from '../../../support/users/agents.ts';

let steward: TestSteward;
let token: string;
/** Ids of the seeded files by name. */
const ids = new Map<string, string>();

beforeAll(async () => {
  steward = await startFileAgents();
  token = await steward.signIn();
  await connect(steward, { token });
  let page: string | undefined;
  do {
    const { items, next } = await run('drive.search', { max: 50, ...(page !== undefined && { page }) });
    for (const item of items) ids.set(item.name, item.id);
    page = next;
  } while (page !== undefined);
});

afterAll(() => steward.stop());

function run(action: string, input: object = {}): Promise<any> {
  return actApproved(steward, token, action, input);
}

function id(name: string): string {
  const found = ids.get(name);
  if (found === undefined) throw new Error(`the world holds no ${name}`);
  return found;
}

function names(response: { items: { name: string }[] }): string[] {
  return response.items.map(({ name }) => name).sort();
}

/** Calls so far whose path contains a text. */
async function calls(part: string): Promise<number> {
  const { workspace } = (await steward.control('state')).calls;
  return Object.entries(workspace as Record<string, number>)
    .filter(([path]) => path.includes(part))
    .reduce((sum, [, count]) => sum + count, 0);
}

describe('drive.search', () => {
  it('finds words in names and in contents', async () => {
    expect(names(await run('drive.search', { query: 'crane' }))).toEqual(['Budget.csv', 'Harbour brief']);
    expect(names(await run('drive.search', { query: '寿司' }))).toEqual(['Travel diary 🚢', '寿司レシピ.txt']);
    expect(names(await run('drive.search', { query: 'Übermütige' }))).toEqual(['Käsespätzle für Übermütige.md']);
  });

  it('returns id, kind, size, time, owner, link and folder of each file', async () => {
    const [file] = (await run('drive.search', { query: 'Budget.csv', type: 'text' })).items;
    expect(file).toEqual({
      id: id('Budget.csv'),
      name: 'Budget.csv',
      type: 'text',
      mime: 'text/csv',
      modified: expect.stringMatching(/^2\d{3}-.*Z$/),
      size: 50,
      owner: 'demo@example.com',
      link: `https://drive.google.com/file/d/${id('Budget.csv')}/view?usp=drivesdk`,
      folder: id('Harbour 2026'),
      shared: false,
    });
  });

  it.each([
    ['a quote that ends the text', "x' or name contains 'Budget"],
    ['a quote and a parenthesis', "x') or trashed = true or (name contains 'Old"],
    ['a backslash before the quote', "x\\' or name contains \\'Budget"],
    ['a backslash at the end', 'x\\'],
    ['a line of the grammar', "' in parents or trashed = true or name = '"],
  ])('treats %s as words, not as a query', async (_, query) => {
    expect(names(await run('drive.search', { query }))).toEqual([]);
  });

  it('finds names with quotes and backslashes', async () => {
    const name = 'Ana\'s "final" notes \\ draft.txt';
    expect(names(await run('drive.search', { query: "Ana's" }))).toEqual([name]);
    expect(names(await run('drive.search', { query: '\\ draft' }))).toContain(name);
  });

  it('excludes files in the trash', async () => {
    expect(names(await run('drive.search', { query: 'Thrown away' }))).toEqual([]);
  });

  it('finds files in shared drives, and files shared by others', async () => {
    expect(names(await run('drive.search', { query: 'Travel policy' }))).toEqual(['Travel policy']);
    expect(names(await run('drive.search', { type: 'document', max: 50 }))).toContain('Travel policy');
    expect(names(await run('drive.search', { query: 'Shared checklist' }))).toEqual(['Shared checklist.txt']);
  });

  it.each([
    ['document', 'Harbour brief', 'Budget.csv'],
    ['spreadsheet', 'Household budget 2026', 'Harbour brief'],
    ['presentation', 'Quarterly review – Übersicht', 'Harbour brief'],
    ['folder', 'Projects', 'Harbour (shortcut)'],
    ['pdf', 'Floor plan.pdf', 'Logo.png'],
    ['image', 'Logo.png', 'Floor plan.pdf'],
    ['text', 'Budget.csv', 'Archive.bin'],
  ])('finds files of the type %s', async (type, found, left) => {
    const listed = names(await run('drive.search', { type, max: 50 }));
    expect(listed).toContain(found);
    expect(listed).not.toContain(left);
  });

  it('lists a folder by its id, its address and a shortcut to it', async () => {
    const inside = ['Budget.csv', 'Harbour brief', 'Plans'];
    expect(names(await run('drive.search', { folder: id('Harbour 2026') }))).toEqual(inside);
    expect(
      names(await run('drive.search', { folder: `https://drive.google.com/drive/u/1/folders/${id('Harbour 2026')}?usp=sharing` })),
    ).toEqual(inside);
    expect(names(await run('drive.search', { folder: id('Harbour (shortcut)') }))).toEqual(inside);
  });

  it('lists My Drive as `root`', async () => {
    const listed = names(await run('drive.search', { folder: 'root', max: 50 }));
    expect(listed).toContain('Projects');
    expect(listed).not.toContain('Plans');
  });

  it('does not list a file that is not a folder', async () => {
    await expect(run('drive.search', { folder: id('Budget.csv') })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/is not a folder/),
    });
  });

  it('pages without repeating or omitting a file', async () => {
    const seen: string[] = [];
    let page: string | undefined;
    do {
      const response = await run('drive.search', { type: 'text', max: 3, ...(page !== undefined && { page }) });
      expect(response.items.length).toBeLessThanOrEqual(3);
      seen.push(...response.items.map((item: { id: string }) => item.id));
      page = response.next;
    } while (page !== undefined);
    const all = await run('drive.search', { type: 'text', max: 50 });
    expect(seen.sort()).toEqual(all.items.map((item: { id: string }) => item.id).sort());
    expect(seen.length).toBeGreaterThan(6);
  });

  it('rejects a page of another search', async () => {
    const { next } = await run('drive.search', { type: 'text', max: 2 });
    await expect(run('drive.search', { type: 'image', page: next })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it.each([
    ['control characters', { query: 'a\u0000b' }],
    ['an unknown type', { type: 'exe' }],
    ['too many at once', { max: 51 }],
    ['a folder that is not an id', { folder: "x' in parents or '" }],
    ['an unknown field', { q: 'trashed = true' }],
  ])('rejects %s', async (_, input) => {
    await expect(run('drive.search', input)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('drive.info', () => {
  it('returns a file’s type, location and permissions', async () => {
    expect(await run('drive.info', { id: id('Harbour brief') })).toMatchObject({
      name: 'Harbour brief',
      type: 'document',
      description: 'What the renovation is about',
      created: expect.any(String),
      folder: id('Harbour 2026'),
      people: [{ who: 'demo@example.com', role: 'owner' }],
    });
  });

  it('returns the target of a shortcut without following it', async () => {
    expect(await run('drive.info', { id: id('Budget (shortcut)') })).toMatchObject({ type: 'shortcut', target: id('Budget.csv') });
  });

  it('finds a shared drive’s file', async () => {
    expect(await run('drive.info', { id: id('Travel policy') })).toMatchObject({ name: 'Travel policy' });
  });

  it.each([
    ['an edit link', 'https://docs.google.com/document/d/ID/edit?usp=sharing#heading=h.1'],
    ['a file link', 'https://drive.google.com/file/d/ID/view'],
    ['an open link', 'https://drive.google.com/open?id=ID'],
    ['spaces around', '  ID '],
  ])('takes %s', async (_, form) => {
    expect(await run('drive.info', { id: form.replace('ID', id('Harbour brief')) })).toMatchObject({ id: id('Harbour brief') });
  });

  it.each(['../about', 'a/b', 'a?alt=media', 'https://docs.google.com/document/d/e/2PACX-1vQ/pub', 'javascript:/d/abc', '', 'ä'])(
    'rejects the id %j without a request to the provider',
    async (odd) => {
      const before = await calls('/api/drive');
      await expect(run('drive.info', { id: odd })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(/^id: /),
      });
      expect(await calls('/api/drive')).toBe(before);
    },
  );

  it('reports an unknown id as not found', async () => {
    await expect(run('drive.info', { id: '1unknown' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('drive.read', () => {
  it('reads documents as Markdown, spreadsheets as CSV and presentations as text', async () => {
    expect(await run('drive.read', { id: id('Harbour brief') })).toMatchObject({
      format: 'text/markdown',
      text: expect.stringContaining('**open again by May**'),
    });
    expect(await run('drive.read', { id: id('Household budget 2026') })).toMatchObject({
      format: 'text/csv',
      text: expect.stringContaining('January'),
    });
    expect(await run('drive.read', { id: id('Quarterly review – Übersicht') })).toMatchObject({
      format: 'text/plain',
      text: expect.stringMatching(/^Quarterly review/),
    });
  });

  it('reads documents without the content of their images', async () => {
    const { text } = (await run('drive.read', { id: id('Meeting minutes') })) as { text: string };
    expect(text).toContain('![][image1]');
    expect(text).toContain('[image1]: <[image/png, 12 kB left out]>');
    expect(text).not.toContain('base64');
  });

  it('reads text files, whatever their encoding', async () => {
    expect(await run('drive.read', { id: id('寿司レシピ.txt') })).toMatchObject({ text: '酢飯 300 g\n海苔 4 枚\n' });
    expect(await run('drive.read', { id: id('Old protocol.txt') })).toMatchObject({ text: 'Für Zoë' });
  });

  it('returns other small files as base64', async () => {
    const { base64, format, text } = await run('drive.read', { id: id('Logo.png') });
    expect({ format, text }).toEqual({ format: 'image/png', text: undefined });
    expect(Buffer.from(base64, 'base64').subarray(1, 4).toString()).toBe('PNG');
  });

  it('returns long text in consecutive parts, without splitting surrogate pairs', async () => {
    let text = '';
    let parts = 0;
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const part: any = await run('drive.read', { id: id('Chronicle.txt'), offset });
      expect(part.text.isWellFormed()).toBe(true);
      text += part.text;
      offset = part.next_offset;
      parts += 1;
    }
    expect(parts).toBeGreaterThan(2);
    expect(Buffer.byteLength(text)).toBe(160_000);
    const numbers = text.split('\n').map((line) => line.slice(0, 7));
    expect(numbers.slice(0, 3)).toEqual(['0000000', '0000001', '0000002']);
    expect(numbers.slice(0, -1).every((number, index) => Number(number) === index)).toBe(true);
  });

  it('follows shortcuts, and returns their target', async () => {
    expect(await run('drive.read', { id: id('Budget (shortcut)') })).toMatchObject({
      id: id('Budget.csv'),
      text: expect.stringMatching(/^part,cost/),
    });
  });

  it('reports a shortcut without a target', async () => {
    await expect(run('drive.read', { id: id('Old contract (shortcut)') })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/“Old contract \(shortcut\)” leads to a file that was deleted or is not shared/),
    });
  });

  it('gives up on circular shortcuts', async () => {
    const before = await calls('/api/drive');
    await expect(run('drive.read', { id: id('Round and round (shortcut)') })).rejects.toMatchObject({ code: 'not_found' });
    expect((await calls('/api/drive')) - before).toBeLessThan(10);
  });

  it('rejects an export over 10 MB, with the link', async () => {
    await expect(run('drive.read', { id: id('Handbook (all chapters)') })).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/export limit of 10 MB: use documents\.read\.$/),
      details: { name: 'Handbook (all chapters)', link: expect.stringMatching(/^https:\/\/docs\.google\.com\/document/) },
    });
  });

  it.each(['Server.log', 'Archive.bin'])('rejects %s of 50 MB before fetching it', async (name) => {
    const before = await calls(`/files/${id(name)}`);
    await expect(run('drive.read', { id: id(name) })).rejects.toMatchObject({
      code: 'too_large',
      details: { size: 52_428_800, link: expect.any(String) },
    });
    expect((await calls(`/files/${id(name)}`)) - before).toBe(1);
  });

  it('refers to drive.search for folders', async () => {
    await expect(run('drive.read', { id: id('Projects') })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/drive\.search/),
    });
  });

  it('returns nothing after the end', async () => {
    const response = await run('drive.read', { id: id('Budget.csv'), offset: 5_000 });
    expect(response.text).toBe('');
    expect(response).not.toHaveProperty('next_offset');
  });
});

describe('drive.create', () => {
  it('creates a text file with the given content and name', async () => {
    const name = 'Grüße & "Küsse" \' \\ 🎉.txt';
    const content = 'Zoë: 寿司 🍣\r\n--boundary--\r\n{"a":1}\n';
    const made = await run('drive.create', { name, content, folder: id('Recipes') });
    expect(made).toMatchObject({ name, type: 'text', mime: 'text/plain', folder: id('Recipes'), size: Buffer.byteLength(content) });
    expect((await run('drive.read', { id: made.id })).text).toBe(content.replaceAll('\r\n', '\n'));
  });

  it('creates folders, also through a shortcut, and files in them', async () => {
    const folder = await run('drive.create', { name: '2027', type: 'folder', folder: id('Harbour (shortcut)') });
    expect(folder).toMatchObject({ type: 'folder', folder: id('Harbour 2026') });
    const file = await run('drive.create', { name: 'empty.json', type: 'json', folder: folder.id });
    expect(file).toMatchObject({ mime: 'application/json', size: 0 });
    expect(names(await run('drive.search', { folder: folder.id }))).toEqual(['empty.json']);
  });

  it('creates a CSV file as CSV', async () => {
    expect(await run('drive.create', { name: 'rows', content: 'a,b\n1,2\n', type: 'csv' })).toMatchObject({ mime: 'text/csv' });
  });

  it.each([
    ['a native spreadsheet', { name: 'x', type: 'spreadsheet', content: 'a,b' }],
    ['a native presentation', { name: 'x', type: 'presentation' }],
    ['a native type of the provider', { name: 'x', type: 'application/vnd.google-apps.spreadsheet' }],
    ['content for a folder', { name: 'x', type: 'folder', content: 'y' }],
    ['a name with a line break', { name: 'a\nb' }],
    ['a name with NUL', { name: 'a\u0000b' }],
    ['no name', { name: '' }],
    ['an unknown field of the provider', { name: 'x', mimeType: 'text/plain' }],
  ])('rejects %s', async (_, input) => {
    await expect(run('drive.create', input)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('rejects a folder that is a file, and one that is not found', async () => {
    await expect(run('drive.create', { name: 'x', folder: id('Budget.csv') })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(run('drive.create', { name: 'x', folder: '1unknown' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('drive.copy, move, rename and trash', () => {
  it('copies a document with its content', async () => {
    const copy = await run('drive.copy', { id: id('Meeting minutes'), name: 'Minutes (copy)', folder: id('Plans') });
    expect(copy).toMatchObject({ name: 'Minutes (copy)', type: 'document', folder: id('Plans') });
    expect((await run('documents.read', { id: copy.id })).tabs[0].text).toContain('Minutes, 3 March');
  });

  it('copies a shortcut’s target, and native files unchanged', async () => {
    expect(await run('drive.copy', { id: id('Budget (shortcut)') })).toMatchObject({ name: 'Copy of Budget.csv', type: 'text' });
    expect(await run('drive.copy', { id: id('Household budget 2026') })).toMatchObject({ type: 'spreadsheet' });
  });

  it('does not copy a folder', async () => {
    await expect(run('drive.copy', { id: id('Projects') })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/folders can’t be copied/),
    });
  });

  it('moves a file to another folder, and again to the same one', async () => {
    const { id: file } = await run('drive.create', { name: 'moved.txt', content: 'x', folder: id('Recipes') });
    expect(await run('drive.move', { id: file, folder: id('Harbour (shortcut)') })).toMatchObject({ folder: id('Harbour 2026') });
    expect(await run('drive.move', { id: file, folder: id('Harbour 2026') })).toMatchObject({ folder: id('Harbour 2026') });
    expect(names(await run('drive.search', { folder: id('Recipes') }))).not.toContain('moved.txt');
  });

  it('moves a file to `root`', async () => {
    const { id: file } = await run('drive.create', { name: 'home.txt', content: 'x', folder: id('Recipes') });
    const { folder } = await run('drive.info', { id: id('Projects') });
    expect(await run('drive.move', { id: file, folder: 'root' })).toMatchObject({ folder });
    // A file that is already there is not removed from it.
    expect(await run('drive.move', { id: file, folder: 'root' })).toMatchObject({ folder });
  });

  it('does not move a folder into itself', async () => {
    await expect(run('drive.move', { id: id('Projects'), folder: id('Plans') })).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('renames a document, as its API then shows', async () => {
    const { id: document } = await run('documents.create', { title: 'Before' });
    expect(await run('drive.rename', { id: document, name: 'Übersicht “neu” 🚢' })).toMatchObject({ name: 'Übersicht “neu” 🚢' });
    expect(await run('documents.read', { id: document })).toMatchObject({ title: 'Übersicht “neu” 🚢' });
  });

  it('trashes a shortcut, not its target', async () => {
    expect(await run('drive.trash', { id: id('Budget (shortcut)') })).toMatchObject({ trashed: true });
    expect(await run('drive.info', { id: id('Budget.csv') })).not.toHaveProperty('trashed');
  });

  it('trashes a folder with all its contents', async () => {
    const { id: folder } = await run('drive.create', { name: 'Done', type: 'folder' });
    await run('drive.create', { name: 'quince.txt', content: 'quince jam', folder });
    expect(names(await run('drive.search', { query: 'quince' }))).toEqual(['quince.txt']);
    await run('drive.trash', { id: folder });
    expect(names(await run('drive.search', { query: 'quince' }))).toEqual([]);
  });

  it('cannot change a file that is shared read-only', async () => {
    const shared = id('Team budget notes');
    await expect(run('drive.rename', { id: shared, name: 'Mine' })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(run('drive.trash', { id: shared })).rejects.toMatchObject({ code: 'forbidden' });
  });

  it.each([
    ['drive.rename', { name: 'a\rb' }],
    ['drive.copy', { name: 'a\u0085b\u0000' }],
    ['drive.move', { folder: '..' }],
    ['drive.trash', { permanently: true }],
  ])('%s rejects invalid input', async (action, input) => {
    await expect(run(action, { id: id('Budget.csv'), ...input })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('the approval before a file is trashed or shared', () => {
  const asked = async (action: string, input: object) => {
    const error = await callAction(steward, action, input, { token }).catch((thrown: AppError) => thrown);
    return (error as AppError).details?.summary;
  };

  it('names the file, and says what else is affected', async () => {
    const [file, folder] = [id('Budget.csv'), id('Plans')];
    const to = { email: 'zoe@example.org', role: 'reader' };
    expect(await asked('drive.share', { id: file, ...to })).toBe(
      `Share with zoe@example.org as reader, notifying them by mail: the text file “Budget.csv” (${file})`,
    );
    expect(await asked('drive.trash', { id: folder })).toBe(`Move to the trash: the folder “Plans” (${folder}), with all its contents`);
  });

  it('is not requested if there is no such file', async () => {
    for (const [action, input] of [
      ['drive.trash', {}],
      ['drive.share', { email: 'zoe@example.org', role: 'reader' }],
    ] as const) {
      await expect(callAction(steward, action, { id: 'gone', ...input }, { token })).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('drive.share', () => {
  it('shares a file with the requested role', async () => {
    const { id: file } = await run('drive.create', { name: 'for-zoe.txt', content: 'hello' });
    const shared = await run('drive.share', { id: file, email: 'zoe@example.org', role: 'commenter', notify: false });
    expect(shared).toEqual({ id: file, name: 'for-zoe.txt', link: expect.any(String), email: 'zoe@example.org', role: 'commenter' });
    expect((await run('drive.info', { id: file })).people).toContainEqual({ who: 'zoe@example.org', role: 'commenter' });
  });

  it.each([
    ['the role owner', { role: 'owner' }],
    ['a role of shared drives', { role: 'organizer' }],
    ['everyone', { email: 'anyone' }],
    ['an address with a line break', { email: 'zoe@example.org\nbcc: x@y.z' }],
    ['two addresses', { email: 'zoe@example.org, eve@example.org' }],
    ['another type of permission', { type: 'anyone' }],
  ])('rejects %s', async (_, input) => {
    const before = await calls('/permissions');
    const call = run('drive.share', { id: id('Budget.csv'), email: 'zoe@example.org', role: 'reader', ...input });
    await expect(call).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await calls('/permissions')).toBe(before);
  });

  it('rejects a shortcut and names its target', async () => {
    const call = run('drive.share', { id: id('Harbour (shortcut)'), email: 'zoe@example.org', role: 'reader' });
    await expect(call).rejects.toMatchObject({ code: 'invalid_request', details: { target: id('Harbour 2026') } });
  });

  it('cannot share a file that is shared read-only', async () => {
    const call = run('drive.share', { id: id('Team budget notes'), email: 'zoe@example.org', role: 'reader' });
    await expect(call).rejects.toMatchObject({ code: 'forbidden' });
  });
});
