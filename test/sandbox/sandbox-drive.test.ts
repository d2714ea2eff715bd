import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callGoogleSandbox, type GoogleCall } from '../support/emulators/google-sandbox.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

let steward: TestSteward;
let call: GoogleCall;
const ids = new Map<string, string>();

beforeAll(async () => {
  steward = await startSteward();
  call = await callGoogleSandbox(steward);
  for (const file of (await list({ pageSize: '1000' })).files) ids.set(file.name, file.id);
});

afterAll(() => steward.stop());

async function list(query: Record<string, string>): Promise<any> {
  const response = await call(`/drive/v3/files?${new URLSearchParams(query)}`);
  if (response.status !== 200) throw new Error(`${response.status} ${response.body.error.errors[0].reason}`);
  return response.body;
}

async function find(q: string): Promise<string[]> {
  return (await list({ q, pageSize: '1000' })).files.map((file: { name: string }) => file.name).sort();
}

function id(name: string): string {
  const found = ids.get(name);
  if (found === undefined) throw new Error(`the world holds no ${name}`);
  return found;
}

describe('GET /drive/v3/files', () => {
  it.each([
    ["name = 'Budget.csv'", ['Budget.csv']],
    ["name contains 'Harb'", ['Harbour (shortcut)', 'Harbour 2026', 'Harbour brief']],
    ["name contains 'arbour'", []],
    ["name contains 'harb' and not mimeType = 'application/vnd.google-apps.folder'", ['Harbour (shortcut)', 'Harbour brief']],
    ["fullText contains 'steel' or name = 'Logo.png'", ['Logo.png']],
    ["fullText contains '\"Quay walls\"' and mimeType != 'text/csv'", ['Harbour brief']],
    ["(name = 'Logo.png' or name = 'Budget.csv') and trashed = false", ['Budget.csv', 'Logo.png']],
    ["name = 'Logo.png' or name = 'Budget.csv' and trashed = true", ['Logo.png']],
    ['trashed = true', ['Old draft.txt']],
    ['starred = true', ['Harbour brief']],
    ["sharedWithMe = true and mimeType contains 'text/'", ['Shared checklist.txt']],
    ["name = 'Ana\\'s \"final\" notes \\\\ draft.txt'", ['Ana\'s "final" notes \\ draft.txt']],
    ["'ana.mueller@example.org' in owners", ['Shared checklist.txt', 'Team budget notes']],
    ["modifiedTime > '2100-01-01T00:00:00'", []],
  ])('finds by %s', async (q, found) => {
    expect(await find(q)).toEqual(found);
  });

  it('finds the content of a folder, and of `root`', async () => {
    expect(await find(`'${id('Plans')}' in parents`)).toEqual(['Floor plan.pdf', 'Logo.png']);
    expect(await find("'root' in parents and name contains 'Proj'")).toEqual(['Projects']);
  });

  it.each([
    "name contains 'a",
    "name contains 'it's'",
    'name contains a',
    "name like 'a'",
    "nonsense = 'a'",
    "name = 'a' and",
    "(name = 'a'",
    "name = 'a')",
    "modifiedTime > 'yesterday'",
    "trashed = 'true'",
    "'x' in files",
    `${'('.repeat(1_000)}`,
  ])('rejects the query %s', async (q) => {
    await expect(find(q)).rejects.toThrow('400 invalidArgument');
  });

  it('pages with a token that belongs to its query', async () => {
    const first = await list({ pageSize: '2', orderBy: 'name', fields: 'nextPageToken,files(name)' });
    expect(first).toEqual({ nextPageToken: expect.any(String), files: [{ name: expect.any(String) }, { name: expect.any(String) }] });
    const second = await list({ pageSize: '2', orderBy: 'name', pageToken: first.nextPageToken });
    expect(second.files[0].name).not.toBe(first.files[0].name);
    await expect(list({ pageToken: first.nextPageToken, q: 'trashed = true' })).rejects.toThrow('400');
    await expect(list({ pageToken: 'made-up' })).rejects.toThrow('400');
  });

  it('sorts, but not by relevance', async () => {
    const { files } = await list({ orderBy: 'folder,name desc', pageSize: '1000' });
    expect(files[0].name).toBe('Recipes');
    await expect(list({ orderBy: 'name', q: "fullText contains 'x'" })).rejects.toThrow('403');
    await expect(list({ orderBy: 'size' })).rejects.toThrow('400');
  });

  it('includes shared drives on request', async () => {
    const q = "name = 'Travel policy'";
    expect((await list({ q })).files).toEqual([]);
    const shared = { q, supportsAllDrives: 'true', includeItemsFromAllDrives: 'true' };
    // It was never opened.
    expect((await list(shared)).files).toEqual([]);
    expect((await list({ ...shared, corpora: 'user' })).files).toEqual([]);
    expect((await list({ ...shared, corpora: 'allDrives' })).files).toHaveLength(1);
    expect((await list({ ...shared, corpora: 'drive', driveId: '0AHarbourCompany9PVA' })).files).toHaveLength(1);
    await expect(list({ q, corpora: 'allDrives' })).rejects.toThrow('403 teamDrivesFileIncludeRequired');
  });

  it('returns the requested fields, a few by default, and rejects unknown ones', async () => {
    const q = "name = 'Budget.csv'";
    expect((await list({ q })).files[0]).toEqual({ kind: 'drive#file', id: id('Budget.csv'), name: 'Budget.csv', mimeType: 'text/csv' });
    expect((await list({ q, fields: 'files(size,owners/emailAddress)' })).files[0]).toEqual({
      size: '50',
      owners: [{ emailAddress: 'demo@example.com' }],
    });
    expect((await list({ q, fields: '*' })).files[0]).toMatchObject({
      size: '50',
      capabilities: { canEdit: true },
      parents: [id('Harbour 2026')],
    });
    await expect(list({ fields: 'files(colour)' })).rejects.toThrow('400');
    await expect(list({ fields: 'files(name' })).rejects.toThrow('400');
  });
});

describe('GET /drive/v3/files/:id/comments', () => {
  const comments = (query: string) => call(`/drive/v3/files/${id('Harbour brief')}/comments?${query}`);

  it('pages through a file’s comments, and requires fields', async () => {
    const first = (await comments('pageSize=1&fields=nextPageToken,comments(author/displayName,author/me,resolved)')).body;
    expect(first).toEqual({ nextPageToken: expect.any(String), comments: [{ author: { displayName: 'Ana Müller', me: false } }] });
    const second = (await comments(`pageSize=1&fields=*&pageToken=${first.nextPageToken}`)).body;
    expect(second).toMatchObject({ kind: 'drive#commentList', comments: [{ kind: 'drive#comment', resolved: true }] });
    expect(second).not.toHaveProperty('nextPageToken');
    expect((await comments('pageSize=1')).status).toBe(400);
    expect((await comments('fields=*&pageSize=101')).status).toBe(400);
    expect((await call(`/drive/v3/files/${id('Budget.csv')}/comments?fields=comments`)).body).toEqual({ comments: [] });
    expect((await call('/drive/v3/files/nothing/comments?fields=*')).status).toBe(404);
  });
});

describe('GET /drive/v3/files/:id', () => {
  it('returns bytes with alt=media, never of native files', async () => {
    expect((await call(`/drive/v3/files/${id('Logo.png')}?alt=media`)).type).toBe('image/png');
    const rejected = await call(`/drive/v3/files/${id('Harbour brief')}?alt=media`);
    expect(rejected).toMatchObject({ status: 403, body: { error: { errors: [{ reason: 'fileNotDownloadable' }] } } });
  });

  it('generates 50 MB on reading, and stores none of it', async () => {
    const { bytes } = await call(`/drive/v3/files/${id('Archive.bin')}?alt=media`);
    expect(bytes.length).toBe(50 * 1024 * 1024);
  });

  it('does not find shared drives’ files unless they are supported', async () => {
    const q = "name = 'Travel policy'";
    const { files } = await list({ q, corpora: 'allDrives', supportsAllDrives: 'true', includeItemsFromAllDrives: 'true' });
    expect((await call(`/drive/v3/files/${files[0].id}`)).status).toBe(404);
    expect((await call(`/drive/v3/files/${files[0].id}?supportsAllDrives=true`)).status).toBe(200);
  });

  it('returns the target of a shortcut', async () => {
    const { body } = await call(`/drive/v3/files/${id('Budget (shortcut)')}?fields=shortcutDetails`);
    expect(body).toEqual({ shortcutDetails: { targetId: id('Budget.csv'), targetMimeType: 'text/csv' } });
  });
});

describe('GET /drive/v3/files/:id/export', () => {
  const exported = (name: string, mimeType: string) => call(`/drive/v3/files/${id(name)}/export?mimeType=${mimeType}`);

  it('exports native files in their formats', async () => {
    expect((await exported('Harbour brief', 'text/markdown')).bytes.toString()).toMatch(/^# Harbour 2026/);
    expect((await exported('Harbour brief', 'text/plain')).bytes.subarray(0, 3)).toEqual(Buffer.from('\ufeff'));
    expect((await exported('Harbour brief', 'application/pdf')).bytes.toString()).toMatch(/^%PDF/);
    expect((await exported('Household budget 2026', 'text/csv')).bytes.toString()).toMatch(/^Month,/);
    expect((await exported('Quarterly review – Übersicht', 'text/plain')).bytes.toString()).toContain('Übersicht');
  });

  it.each([
    ['Harbour brief', 'text/csv', 400, 'badRequest'],
    ['Budget.csv', 'text/plain', 403, 'fileNotExportable'],
    ['Handbook (all chapters)', 'text/markdown', 403, 'exportSizeLimitExceeded'],
  ])('rejects %s as %s', async (name, mimeType, status, reason) => {
    expect(await exported(name, mimeType)).toMatchObject({ status, body: { error: { errors: [{ reason }] } } });
  });
});

describe('changes of files', () => {
  it('POST /upload/drive/v3/files accepts metadata and bytes in one body, or bytes alone', async () => {
    const bytes = Buffer.from(
      '--b\r\nContent-Type: application/json\r\n\r\n{"name":"né.txt"}\r\n--b\r\nContent-Type: text/plain\r\n\r\nline\r\n\r\n--x\r\n--b--',
    );
    const made = await call('/upload/drive/v3/files?uploadType=multipart&fields=id,name,size', {
      bytes,
      type: 'multipart/related; boundary=b',
    });
    expect(made.body).toEqual({ id: expect.any(String), name: 'né.txt', size: '11' });
    expect((await call(`/drive/v3/files/${made.body.id}?alt=media`)).bytes.toString()).toBe('line\r\n\r\n--x');
    const plain = await call('/upload/drive/v3/files?uploadType=media', { bytes: Buffer.from([0, 255]), type: 'image/png' });
    expect((await call(`/drive/v3/files/${plain.body.id}?alt=media`)).bytes).toEqual(Buffer.from([0, 255]));
    expect(
      (await call('/upload/drive/v3/files?uploadType=multipart', { bytes: 'no parts', type: 'multipart/related; boundary=b' })).status,
    ).toBe(400);
  });

  it('PATCH replaces the text of a native document, like the provider', async () => {
    const { body } = await call(`/drive/v3/files/${id('Meeting minutes')}/copy`, { json: {} });
    await call(`/upload/drive/v3/files/${body.id}?uploadType=media`, { method: 'PATCH', bytes: 'overwritten', type: 'text/plain' });
    expect((await call(`/drive/v3/files/${body.id}/export?mimeType=text/markdown`)).bytes.toString()).toBe('overwritten');
  });

  it('PATCH takes no parents in its body', async () => {
    const { body } = await call('/drive/v3/files', { json: { name: 'Here', parents: [id('Plans')] } });
    const moved = await call(`/drive/v3/files/${body.id}`, { method: 'PATCH', json: { parents: [id('Recipes')] } });
    expect(moved).toMatchObject({ status: 403, body: { error: { errors: [{ reason: 'fieldNotWritable' }] } } });
    expect(moved.body.error.message).toContain('addParents and removeParents');
  });

  it('PATCH moves: a file has one parent', async () => {
    const { body } = await call('/drive/v3/files', { json: { name: 'm', parents: [id('Plans')] } });
    const patch = (query: string) => call(`/drive/v3/files/${body.id}?fields=parents&${query}`, { method: 'PATCH', json: {} });
    expect((await patch(`addParents=${id('Recipes')}`)).status).toBe(403);
    expect((await patch(`addParents=${id('Recipes')}&removeParents=${id('Plans')}`)).body).toEqual({ parents: [id('Recipes')] });
    expect((await patch(`addParents=${id('Recipes')}&removeParents=${id('Recipes')}`)).status).toBe(400);
  });

  it('POST creates shortcuts, but not to a shortcut or a missing file', async () => {
    const shortcut = (targetId: string) =>
      call('/drive/v3/files', { json: { name: 's', mimeType: 'application/vnd.google-apps.shortcut', shortcutDetails: { targetId } } });
    expect((await shortcut(id('Budget.csv'))).status).toBe(200);
    expect((await shortcut(id('Budget (shortcut)'))).status).toBe(400);
    expect((await shortcut('gone')).status).toBe(404);
  });

  it('DELETE removes a folder with its contents', async () => {
    const folder = (await call('/drive/v3/files', { json: { name: 'f', mimeType: 'application/vnd.google-apps.folder' } })).body.id;
    const inside = (await call('/drive/v3/files', { json: { name: 'g', parents: [folder] } })).body.id;
    expect((await call(`/drive/v3/files/${folder}`, { method: 'DELETE' })).status).toBe(204);
    expect((await call(`/drive/v3/files/${inside}`)).status).toBe(404);
  });

  it('permissions: those of folders are listed, and removed there', async () => {
    const permissions = (name: string) => `/drive/v3/files/${id(name)}/permissions`;
    const { body } = await call(permissions('Projects'), { json: { type: 'domain', role: 'reader', domain: 'Example.org' } });
    const list = await call(`${permissions('Floor plan.pdf')}?pageSize=1&pageToken=1`);
    const details = [{ permissionType: 'file', role: 'reader', inherited: true, inheritedFrom: id('Projects') }];
    expect(list.body.permissions).toMatchObject([{ id: body.id, type: 'domain', domain: 'example.org', permissionDetails: details }]);
    const remove = async (name: string) => (await call(`${permissions(name)}/${body.id}`, { method: 'DELETE' })).status;
    expect([await remove('Floor plan.pdf'), await remove('Projects'), await remove('Projects')]).toEqual([403, 204, 404]);
    expect((await call(permissions('Floor plan.pdf'))).body.permissions).toHaveLength(1);
  });

  it('permissions: owner cannot be granted, the wider role applies', async () => {
    const share = (role: string) =>
      call(`/drive/v3/files/${id('Budget.csv')}/permissions`, { json: { type: 'user', role, emailAddress: 'bo@example.org' } });
    expect((await share('owner')).status).toBe(403);
    expect((await share('writer')).body).toMatchObject({ role: 'writer', emailAddress: 'bo@example.org' });
    expect((await share('reader')).body).toMatchObject({ role: 'writer' });
    const { permissions } = (await call(`/drive/v3/files/${id('Budget.csv')}/permissions`)).body;
    expect(permissions.map(({ role }: { role: string }) => role)).toEqual(['owner', 'writer']);
  });

  it('GET /drive/v3/about requires fields', async () => {
    expect((await call('/drive/v3/about')).status).toBe(400);
    expect((await call('/drive/v3/about?fields=user(emailAddress)')).body).toEqual({ user: { emailAddress: 'demo@example.com' } });
  });

  it('survive a restart', async () => {
    const made = (await call('/drive/v3/files', { json: { name: 'kept.txt' } })).body.id;
    steward = await steward.restart();
    call = await callGoogleSandbox(steward);
    expect((await call(`/drive/v3/files/${made}`)).body).toMatchObject({ name: 'kept.txt' });
  });
});
