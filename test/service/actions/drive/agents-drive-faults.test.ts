import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_INS } from '../../../../src/actions/built-ins.ts';
import { workBegun } from '../../../../src/off-thread/off-thread.ts';
import { actApproved } from '../../../support/emulators/workspace-content.ts';
import { docxOf, docxParagraph, pdfLines, pdfOf, pdfPages } from '../../../support/inputs/office-files.ts';
import { startFileAgents } from '../../../support/scenes/file-agents.ts';
import { type FileAgentsApi, startFileAgentsApi } from '../../../support/scenes/file-agents-api.ts';
import { connect, newName } from '../../../support/scenes/flows.ts';
import { respond } from '../../../support/servers/scripted-server.ts';
import type { TestSteward } from '../../../support/steward.ts';
import { eventually } from '../../../support/time/eventually.ts';
import { callAction } from '../../../support/users/agents.ts';

const FILE = { id: 'f1', name: 'notes', mimeType: 'text/plain', modifiedTime: '2026-01-01T00:00:00Z' };

describe('drive, if the sandbox’s provider fails', () => {
  let steward: TestSteward;

  beforeAll(async () => {
    steward = await startFileAgents();
    await connect(steward);
  });
  afterAll(() => steward.stop());

  it.each(['html', 'malformed'] as const)('reports a %s response with status 200 as an error of the provider', async (kind) => {
    await steward.control('faults', { part: 'workspace', path: '/api/drive', kind });
    const call = callAction(steward, 'drive.search', { query: 'secret word' });
    await expect(call).rejects.toMatchObject({ code: 'provider_error', message: 'The provider’s response could not be read.' });
    await steward.control('faults/clear', {});
    expect(steward.logs.join('')).not.toContain('secret word');
  });

  it('retries after a 403 rateLimitExceeded', async () => {
    await steward.control('faults', {
      part: 'workspace',
      path: '/api/drive',
      kind: 'status',
      status: 403,
      error: 'rateLimitExceeded',
      times: 1,
    });
    expect((await callAction(steward, 'drive.search', { max: 1 })).data).toMatchObject({ items: [expect.any(Object)] });
  });

  it('reports missing consent', async () => {
    const token = await steward.signIn(newName());
    await connect(steward, { token, email: 'ana.mueller@example.org', untick: ['auth/drive'] });
    await expect(callAction(steward, 'drive.search', {}, { token })).rejects.toMatchObject({ code: 'missing_scopes' });
    // The scope of documents covers these.
    expect((await callAction(steward, 'documents.create', { title: 'Without the drive' }, { token })).data).toMatchObject({
      title: 'Without the drive',
    });
  });
});

describe('drive, with a provider that returns anything', () => {
  let scene: FileAgentsApi;

  beforeAll(async () => {
    scene = await startFileAgentsApi();
  });
  afterAll(() => scene.stop());

  async function run(action: string, input: object = {}) {
    return { data: await actApproved(scene.steward, await scene.steward.signIn(), action, input) };
  }

  it('stops reading 50 MB that were announced as 10 bytes', async () => {
    let sent = 0;
    let cutOff = false;
    scene.api.on('*', (response, { url }) => {
      if (!url.includes('alt=media')) return respond(response, { body: { ...FILE, size: '10' } });
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.on('close', () => {
        cutOff = !response.writableFinished;
      });
      const megabyte = Buffer.alloc(1024 * 1024, 'x');
      const pump = () => {
        while (sent < 50) {
          sent += 1;
          if (!response.write(megabyte)) return void response.once('drain', pump);
        }
        response.end();
      };
      pump();
    });
    const call = run('drive.read', { id: 'f1' });
    await expect(call).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/^“notes” is too large to be read/),
      details: { id: 'f1' },
    });
    await eventually(() => cutOff);
    expect(sent).toBeLessThan(50);
  });

  it('returns no binary file that is larger than announced', async () => {
    scene.api.on('*', (response, { url }) => {
      if (url.includes('alt=media')) return void response.end(Buffer.alloc(200_000));
      respond(response, { body: { ...FILE, mimeType: 'image/png', size: '10' } });
    });
    await expect(run('drive.read', { id: 'f1' })).rejects.toMatchObject({ code: 'too_large' });
  });

  it('cleans names of control and direction characters', async () => {
    scene.api.on('*', { body: { files: [{ ...FILE, name: `in\u0000voice\u202efdp.exe${'\ud800'}\n` }] } });
    const [file] = (await run('drive.search')).data.items;
    expect(file.name).toBe('in voice fdp.exe\ufffd ');
  });

  it.each([
    ['cannotDownloadAbusiveFile', '“notes” is taken for malware or spam by the provider, which doesn’t let it be downloaded.'],
    ['cannotDownloadFile', '“notes” may be viewed but not downloaded by this account: open its link.'],
    ['newReason', '“notes” can’t be downloaded by this account (newReason): open its link.'],
  ])('names the file that the provider doesn’t let be downloaded: %s', async (reason, message) => {
    scene.api.on('*', (response, { url }) => {
      if (url.includes('alt=media')) return respond(response, { status: 403, body: { error: { code: 403, errors: [{ reason }] } } });
      respond(response, { body: FILE });
    });
    const details = { id: 'f1', name: 'notes', provider: { reason } };
    await expect(run('drive.read', { id: 'f1' })).rejects.toMatchObject({ code: 'forbidden', message, details });
  });

  it('names domains and the link among those who have access', async () => {
    const permissions = [
      { type: 'user', role: 'owner', emailAddress: 'ana@example.org' },
      { type: 'domain', role: 'reader', domain: 'example.org' },
      { type: 'anyone', role: 'reader' },
    ];
    scene.api.on('*', { body: { ...FILE, permissions } });
    const { people } = (await run('drive.info', { id: 'f1' })).data;
    expect(people.map(({ who }: { who: string }) => who)).toEqual(['ana@example.org', 'example.org', 'anyone']);
    expect(scene.api.calls.at(-1)?.query.get('fields')).toContain('permissions(type,role,emailAddress,domain)');
  });

  it('drops control characters and lone surrogates of text', async () => {
    scene.api.on('*', (response, { url }) => {
      if (url.includes('alt=media')) return void response.end('a\u0000b\u001b[31mc\r\nd\te');
      respond(response, { body: FILE });
    });
    expect((await run('drive.read', { id: 'f1' })).data).toMatchObject({ text: 'ab[31mc\nd\te' });
  });

  it.each([
    ['UTF-16 with its low bytes first', Buffer.from('\ufeffGrüße', 'utf16le')],
    ['UTF-16 with its high bytes first', Buffer.from('\ufeffGrüße', 'utf16le').swap16()],
    ['Windows-1252', Buffer.from('Grüße', 'latin1')],
  ])('reads text in %s', async (_, content) => {
    scene.api.on('*', (response, { url }) => {
      if (url.includes('alt=media')) return void response.end(content);
      respond(response, { body: FILE });
    });
    expect((await run('drive.read', { id: 'f1' })).data).toMatchObject({ text: 'Grüße' });
  });

  it('says if not all files were searched', async () => {
    scene.api.on('*', { body: { files: [], incompleteSearch: true } });
    expect((await run('drive.search')).data).toEqual({ items: [], incomplete: true });
  });

  it('searches all drives, whose files the user’s own may lack, except for what lies in My Drive', async () => {
    scene.api.reset();
    scene.api.on('*', { body: { ...FILE, mimeType: 'application/vnd.google-apps.folder', files: [] } });
    for (const input of [{}, { folder: 'root' }, { folder: 'f1' }]) await run('drive.search', input);
    expect(scene.api.calls.flatMap(({ query }) => query.get('corpora') ?? [])).toEqual(['allDrives', 'user', 'allDrives']);
  });

  it('omits invalid optional fields rather than the file', async () => {
    scene.api.on('*', {
      body: {
        files: [
          {
            ...FILE,
            webViewLink: 'javascript:alert(1)',
            size: 'huge',
            modifiedTime: 'yesterday',
            owners: 'me',
            mimeType: 'Text/HTML; charset=utf-8',
          },
        ],
      },
    });
    const [file] = (await run('drive.search')).data.items;
    expect(file).toEqual({ id: 'f1', name: 'notes', type: 'text', mime: 'text/html' });
  });

  it.each([
    ['an id that would leave its place in a path', { files: [{ ...FILE, id: '../../userinfo' }] }],
    ['a file without a name', { files: [{ id: 'f1', mimeType: 'text/plain' }] }],
    ['an invalid list', { files: { length: 1e9 } }],
    ['a number', 7],
  ])('reports %s as an error of the provider', async (_, body) => {
    scene.api.on('*', { body });
    await expect(run('drive.search')).rejects.toMatchObject({ code: 'provider_error' });
  });

  it.each([
    ['nothing', null],
    ['an invalid list', { permissions: { length: 1e9 } }],
    ['a permission without a role', { permissions: [{ id: 'p', type: 'user' }] }],
    ['an id that would leave its place in a path', { permissions: [{ id: '../about', type: 'user', role: 'reader' }] }],
    ['12 MB', { permissions: [{ id: 'p', type: 'user', role: 'x'.repeat(12_000_000) }] }],
    ['a page token of 1 MB', { permissions: [], nextPageToken: 'x'.repeat(1_000_000) }],
    ['a number', 7],
  ])('reports %s in place of permissions as an error of the provider', async (_, body) => {
    scene.api.on('*', (response, { url }) => respond(response, { body: url.includes('/permissions') ? body : FILE }));
    const code = expect.stringMatching(/^(provider_error|too_large)$/);
    await expect(run('drive.permissions', { id: 'f1' })).rejects.toMatchObject({ code });
    await expect(run('drive.unshare', { id: 'f1', who: 'ana@example.org' })).rejects.toMatchObject({ code });
    expect(scene.api.calls.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  it('stops searching permissions that never end', async () => {
    scene.api.reset();
    scene.api.on('*', (response, { url }) => {
      respond(response, { body: url.includes('/permissions') ? { permissions: [], nextPageToken: 'again' } : FILE });
    });
    await expect(run('drive.unshare', { id: 'f1', who: 'ana@example.org' })).rejects.toMatchObject({ code: 'too_large' });
    expect(scene.api.calls.filter(({ url }) => url.includes('/permissions')).length).toBeLessThan(100);
  });

  it('cleans the names of those who have access', async () => {
    const permission = {
      id: 'p',
      type: 'user',
      role: 'reader',
      emailAddress: 'ana@example.org\u0000\u202e',
      displayName: 'A\nna',
      domain: 7,
    };
    scene.api.on('*', { body: { permissions: [permission] } });
    const { items } = (await run('drive.permissions', { id: 'f1' })).data;
    expect(items).toEqual([{ who: 'ana@example.org  ', type: 'user', role: 'reader', name: 'A na', inherited: false }]);
  });

  it('does not let a shortcut’s target change the path', async () => {
    scene.api.on('*', { body: { ...FILE, mimeType: 'application/vnd.google-apps.shortcut', shortcutDetails: { targetId: 'a/../../b' } } });
    await expect(run('drive.read', { id: 'f1' })).rejects.toMatchObject({ code: 'provider_error' });
  });

  describe('as a PDF or a Word document', () => {
    const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    const read = async (mimeType: string, content: Buffer, input: object = {}, name = 'notes') => {
      scene.api.on('*', (response, { url }) => {
        if (url.includes('alt=media')) return void response.end(content);
        respond(response, { body: { ...FILE, name, mimeType } });
      });
      return (await run('drive.read', { id: 'f1', ...input })).data;
    };

    it('returns its text in parts, made off the main thread', async () => {
      const begun = workBegun();
      const text = 'Quay walls and cranes. '.repeat(2_500);
      const first = await read(DOCX, docxOf(docxParagraph(text)));
      const second = await read(DOCX, docxOf(docxParagraph(text)), { offset: first.next_offset });
      expect(first).toMatchObject({ format: 'text/plain', mime: DOCX, next_offset: 40_000 });
      expect(first.text + second.text).toBe(`${text}\n`);
      expect(second).not.toHaveProperty('next_offset');
      expect(workBegun() - begun).toBe(2);
      expect(await read('application/pdf', pdfPages([pdfLines(['Floor plan'])]))).toMatchObject({
        text: 'Floor plan',
        format: 'text/plain',
      });
      expect(await read('application/octet-stream', pdfPages([pdfLines(['Scan'])]), {}, 'scan.PDF')).toMatchObject({ text: 'Scan' });
    });

    it.each([
      ['application/zip', 'plan.docx'],
      ['application/x-zip-compressed', 'plan.DOCX'],
      ['application/msword', 'plan.docx'],
      ['application/zip', 'plan.dotx'],
    ])('reads a Word document although its type is %s', async (mimeType, name) => {
      expect(await read(mimeType, docxOf(docxParagraph('Plan')), {}, name)).toMatchObject({ text: 'Plan\n', format: 'text/plain' });
    });

    it.each(['application/x-pdf', 'application/acrobat', 'text/pdf', 'text/x-pdf'])('reads a PDF although its type is %s', async (type) => {
      expect(await read(type, pdfPages([pdfLines(['Plan'])]))).toMatchObject({ text: 'Plan', format: 'text/plain' });
    });

    it('doesn’t read another archive as a Word document, nor an old one', async () => {
      const archive = docxOf(docxParagraph('x'));
      expect(await read('application/zip', archive, {}, 'plan.zip')).toMatchObject({
        format: 'application/zip',
        base64: expect.any(String),
      });
      const old = Buffer.from('d0cf11e0a1b11ae1', 'hex');
      expect(await read('application/msword', old, {}, 'plan.docx')).toMatchObject({ base64: old.toString('base64') });
    });

    it('returns as base64 what it is not', async () => {
      expect(await read('application/pdf', Buffer.from('GIF89a'))).toMatchObject({ format: 'application/pdf', base64: 'R0lGODlh' });
      await expect(read('application/pdf', Buffer.alloc(200_000))).rejects.toMatchObject({ code: 'too_large', details: { id: 'f1' } });
    });

    it('names the file that is encrypted, damaged or a bomb', async () => {
      const encrypted = pdfOf(
        ['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[]/Count 0>>', '<</Filter/Standard/V 9>>'],
        '/Encrypt 3 0 R',
      );
      for (const [type, content] of [
        ['application/pdf', encrypted],
        ['application/pdf', Buffer.from('%PDF-1.7')],
        [DOCX, Buffer.from('PK\u0003\u0004')],
      ] as const) {
        const details = { id: 'f1', name: 'notes' };
        await expect(read(type, content)).rejects.toMatchObject({
          code: 'unsupported_media_type',
          message: expect.stringMatching(/Open its link/),
          details,
        });
      }
      await expect(read(DOCX, docxOf(new Uint8Array(100_000_000)))).rejects.toMatchObject({ code: 'too_large', details: { id: 'f1' } });
    });
  });

  it('lists everyone who has access to a file', async () => {
    const permissions = Array.from({ length: 103 }, (_, index) => ({
      type: 'user',
      role: 'reader',
      emailAddress: `a${index}@example.org`,
    }));
    scene.api.on('*', (response) => respond(response, { body: { ...FILE, permissions } }));
    const { people } = (await run('drive.info', { id: 'f1' })).data;
    expect(people).toEqual(permissions.map(({ role, emailAddress: who }) => ({ who, role })));
  });

  it('includes shared drives in every call, and sends media only when it creates a file', async () => {
    scene.api.reset();
    scene.api.on('*', (response, { url }) => {
      if (url.includes('/permissions/p')) return void response.writeHead(204).end();
      const granted = { id: 'p', type: 'user', role: 'reader', emailAddress: 'a@example.org' };
      if (url.includes('/permissions')) return respond(response, { body: { ...granted, permissions: [granted] } });
      const mimeType = url.includes('/folder1') ? 'application/vnd.google-apps.folder' : 'text/plain';
      respond(response, { body: { ...FILE, parents: ['old'], files: [], mimeType } });
    });
    const inputs: Record<string, object> = {
      'drive.search': {},
      'drive.info': { id: 'f1' },
      'drive.create': { name: 'x', content: 'y' },
      'drive.copy': { id: 'f1' },
      'drive.move': { id: 'f1', folder: 'folder1' },
      'drive.rename': { id: 'f1', name: 'x' },
      'drive.trash': { id: 'f1' },
      'drive.untrash': { id: 'f1' },
      'drive.permissions': { id: 'f1' },
      'drive.share': { id: 'f1', email: 'a@example.org', role: 'reader' },
      'drive.unshare': { id: 'f1', who: 'a@example.org' },
    };
    for (const [action, input] of Object.entries(inputs)) await run(action, input);
    // The question about drive.share searches the sent mail.
    const ofDrive = scene.api.calls.filter(({ url }) => !url.includes('/gmail/'));
    const calls = ofDrive.map(({ method, url }) => `${method} ${url}`);
    expect(calls.length).toBeGreaterThan(8);
    expect(calls.filter((call) => !call.includes('supportsAllDrives=true'))).toEqual([]);
    expect(
      calls.filter((call) => call.startsWith('GET') && call.includes('/files?') && !call.includes('includeItemsFromAllDrives=true')),
    ).toEqual([]);
    expect(calls.filter((call) => call.includes('/upload/'))).toEqual([expect.stringMatching(/^POST \/apis\/upload\/drive\/v3\/files\?/)]);
    expect(calls.every((call) => call.includes(' /apis/'))).toBe(true);
  });
});

describe('the drive’s built-in actions', () => {
  it('count trashing, sharing and unsharing as destructive, reading as read and the rest as write', () => {
    const effects = Object.fromEntries(
      [...BUILT_INS.values()].filter(({ name }) => name.startsWith('drive.')).map(({ name, effect }) => [name.slice(6), effect]),
    );
    expect(effects).toEqual({
      search: 'read',
      info: 'read',
      read: 'read',
      create: 'write',
      copy: 'write',
      move: 'write',
      rename: 'write',
      trash: 'destructive',
      untrash: 'write',
      share: 'destructive',
      unshare: 'destructive',
      permissions: 'read',
    });
  });

  it('check the address against the allow-list, and name it in the approval', async () => {
    const share = await BUILT_INS.get('drive.share')?.load();
    const input = share?.input.parse({ id: 'f1', email: 'zoe@example.org', role: 'writer' });
    expect(share?.allow?.email?.(input)).toEqual(['zoe@example.org']);
    expect(share?.summary(input, 0)).toBe(
      'Share with zoe@example.org as writer, notifying them by mail: f1, with all its contents if it is a folder',
    );
  });
});
