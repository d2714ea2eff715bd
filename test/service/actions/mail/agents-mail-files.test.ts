import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppError } from '../../../../src/errors.ts';
import { newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { ownIntegrations } from '../../../support/inputs/own-integrations.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { callAction } from '../../../support/users/agents.ts';

let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());
beforeEach(async () => {
  me = await newPerson(steward);
});

const GMAIL = '/gmail/v1/users/me';
const MAIL = { to: ['ana@example.org'], subject: 'Files', body: 'Here.' };

const refused = (action: string, input: object) =>
  callAction(steward, action, input, { token: me.token }).then(
    (result) => Promise.reject(new Error(`it succeeded: ${JSON.stringify(result)}`)),
    (error: AppError) => error,
  );

async function fileNamed(name: string): Promise<string> {
  const { items } = await me.act('drive.search', { query: name });
  return items.find((item: { name: string }) => item.name === name).id;
}

/** The files of a stored message, as another library than the one that composed it reads them. */
async function filesOf(message: string): Promise<[string | null, string, Buffer][]> {
  const { body } = await me.google('GET', `${GMAIL}/messages/${message}?format=raw`);
  const { attachments } = await PostalMime.parse(Buffer.from(body.raw, 'base64url'));
  return attachments.map(({ filename, mimeType, content }) => [filename, mimeType, Buffer.from(content as ArrayBuffer)]);
}

async function download(id: string): Promise<string> {
  const { base64, text } = await me.act('drive.read', { id });
  return base64 ?? Buffer.from(text).toString('base64');
}

describe('files of the drive in a message', () => {
  it('are named in the question with size and type, and sent as they are, native documents as PDF', async () => {
    const [logo, brief] = [await fileNamed('Logo.png'), await fileNamed('Harbour brief')];
    const files = [logo, `https://docs.google.com/document/d/${brief}/edit`];
    const { details } = await refused('mail.send', { ...MAIL, files, attachments: [{ name: 'a.txt', text: 'x' }] });
    const bytes = Buffer.from(await download(logo), 'base64');
    expect(details?.summary).toBe(
      `Send to ana@example.org: “Files”, with “a.txt” (1 bytes), the file “Logo.png” (image/png, ${bytes.length} bytes, ${logo}), the file “Harbour brief.pdf” (a document, as PDF, ${brief})`,
    );
    const { id } = await me.act('mail.send', { ...MAIL, files, attachments: [{ name: 'a.txt', text: 'x' }] });
    const sent = await filesOf(id);
    expect(sent.map(([name, type]) => [name, type])).toEqual([
      ['a.txt', 'text/plain'],
      ['Logo.png', 'image/png'],
      ['Harbour brief.pdf', 'application/pdf'],
    ]);
    expect(sent[1]?.[2].equals(bytes)).toBe(true);
    expect(sent[2]?.[2].toString()).toMatch(/^%PDF/);
  });

  it('may be large, and stay in a draft that is changed', async () => {
    const big = Buffer.alloc(2_500_000, 'c0ffee99', 'hex');
    const { body } = await upload('big.bin', big);
    const { id } = await me.act('mail.draft', { ...MAIL, files: [body.id] });
    const { message } = await me.act('mail.draft_update', { id, body: 'Other text.' });
    const [[name, , content] = []] = await filesOf(message);
    expect(name).toBe('big.bin');
    expect(content?.equals(big)).toBe(true);
    const sent = await me.act('mail.draft_send', { id });
    expect((await filesOf(sent.id))[0]?.[2].equals(big)).toBe(true);
  });

  it('may be large in a reply, which stays in its thread', async () => {
    const { items } = await me.act('mail.search', { query: 'from:sarah', max: 1 });
    const { body } = await upload('big.bin', Buffer.alloc(2_000_000, 'c0ffee99', 'hex'));
    for (const action of ['mail.draft', 'mail.send']) {
      const { thread } = await me.act(action, { ...MAIL, reply_to: items[0].id, files: [body.id] });
      expect([action, thread]).toEqual([action, items[0].thread]);
    }
  });

  it('are refused before the question if they don’t exist, are folders, or are too large', async () => {
    expect(await refused('mail.send', { ...MAIL, files: ['nothing'] })).toMatchObject({ code: 'not_found' });
    const folder = await me.act('drive.create', { name: 'F', type: 'folder' });
    expect(await refused('mail.send', { ...MAIL, files: [folder.id] })).toMatchObject({ code: 'invalid_request' });
    const first = (await upload('one.bin', Buffer.alloc(6_000_000))).body.id;
    const second = (await upload('two.bin', Buffer.alloc(6_000_000))).body.id;
    expect(await refused('mail.send', { ...MAIL, files: [first, second] })).toMatchObject({ code: 'too_large' });
  });

  it('aren’t sent if one of them changes after the question', async () => {
    const { id } = await me.act('drive.create', { name: 'offer.txt', content: '100' });
    const { details } = await refused('mail.send', { ...MAIL, files: [id] });
    await me.google('PATCH', `/drive/v3/files/${id}`, { name: 'other.txt' });
    const user = await steward.context.sessions.authenticate(me.token);
    const decision = {
      user,
      surface: 'socket',
      approvalId: String(details?.approvalId),
      approved: true,
      signal: new AbortController().signal,
    };
    await expect(steward.context.executor.approve(decision)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('need the consent to the drive', async () => {
    me = await newPerson(steward, { untick: ['https://www.googleapis.com/auth/drive'] });
    for (const [action, input] of [
      ['mail.send', { ...MAIL, files: ['x'] }],
      ['mail.draft', { ...MAIL, files: ['x'] }],
      ['mail.save_attachment', { message: 'm1', attachment: '1' }],
    ] as const) {
      expect(await refused(action, input)).toMatchObject({ code: 'missing_scopes', details: { missingScopes: ['drive'] } });
    }
    expect((await me.act('mail.draft', MAIL)).id).toEqual(expect.any(String));
  });

  it('need the agent’s scope, whatever the user has granted', async () => {
    const actions = 'actions: { draft: { use: mail.draft }, save_attachment: { use: mail.save_attachment } }';
    const file = ownIntegrations(
      `version: 1\nagents:\n  mail: { provider: workspace, description: D, scopes: [mail.modify], ${actions} }\n`,
    );
    const other = await startSteward({ INTEGRATIONS_FILE: file });
    try {
      const { token } = await newPerson(other);
      for (const [action, input] of [
        ['mail.draft', { ...MAIL, files: ['x'] }],
        ['mail.save_attachment', { message: 'm1', attachment: '1' }],
      ] as const) {
        await expect(callAction(other, action, input, { token })).rejects.toMatchObject({ code: 'forbidden' });
      }
    } finally {
      await other.stop();
    }
  });
});

describe('mail.save_attachment', () => {
  const PNG = Buffer.from('89504e470d0a1a0a00ff00fe', 'hex');

  async function received(name = 'photo.png', mime = 'image/png'): Promise<{ message: string; attachment: string }> {
    const attachments = [{ name, mime, base64: PNG.toString('base64') }];
    const { id } = await me.act('mail.send', { ...MAIL, to: [me.email], attachments });
    const { messages } = await me.act('mail.read', { message: id });
    return { message: id, attachment: messages[0].attachments[0].id };
  }

  it('saves it in My Drive without a question, as others’ content, and names how to revert it', async () => {
    const { data, meta } = (await callAction(steward, 'mail.save_attachment', await received(), { token: me.token })) as any;
    expect(data).toMatchObject({ name: 'photo.png', mime: 'image/png', size: PNG.length, shared: false });
    expect(await download(data.id)).toBe(PNG.toString('base64'));
    expect(meta.labels).toMatchObject({ integrity: 'others', sources: [{ item: data.id, name: 'photo.png', fields: ['name'] }] });
    expect(JSON.stringify({ data, meta })).not.toContain(PNG.toString('base64'));
    expect(meta.undo).toEqual({ action: 'drive.trash', input: { id: data.id }, summary: 'Move the saved file “photo.png” to the trash' });
    await me.act(meta.undo.action, meta.undo.input);
    expect((await me.act('drive.info', { id: data.id })).trashed).toBe(true);
  });

  it('asks if others see the folder', async () => {
    const { id: folder } = await me.act('drive.create', { name: 'Team', type: 'folder' });
    const quiet = await me.act('mail.save_attachment', { ...(await received()), folder });
    expect(quiet.folder).toBe(folder);
    await me.act('drive.share', { id: folder, email: 'ben@example.org', role: 'reader' });
    const given = await received('photo”, inviting nobody.png');
    const { code, details } = await refused('mail.save_attachment', { ...given, folder, name: 'Ours.png' });
    expect(code).toBe('approval_required');
    expect(details?.audience).toEqual([expect.objectContaining({ address: 'ben@example.org' })]);
    expect(details?.summary).toBe(
      `Save in the folder “Team” (${folder}), which ben@example.org can see: the attachment “photo', inviting nobody.png” (“image/png”, ${PNG.length} bytes) of message ${given.message}, as “Ours.png”`,
    );
    expect((await me.act('mail.save_attachment', { ...given, folder, name: 'Ours.png' })).name).toBe('Ours.png');
  });

  it('stores a type that the provider would convert as bytes', async () => {
    const saved = await me.act('mail.save_attachment', await received('x.doc', 'application/vnd.google-apps.document'));
    expect(saved.mime).toBe('application/octet-stream');
  });

  it('rejects what doesn’t exist', async () => {
    const { message } = await received();
    expect(await refused('mail.save_attachment', { message, attachment: '9' })).toMatchObject({ code: 'not_found' });
    expect(await refused('mail.save_attachment', { message: '19ffffffffffffff', attachment: '1' })).toMatchObject({ code: 'not_found' });
    const { details: _, ...error } = await refused('mail.save_attachment', { message, attachment: '1', folder: 'nothing' });
    expect(error).toMatchObject({ code: 'not_found' });
  });
});

/** Uploads a file at the provider, without the agents. */
async function upload(name: string, bytes: Buffer): Promise<{ body: any }> {
  const boundary = 'b0undary';
  const head = `--${boundary}\r\ncontent-type: application/json\r\n\r\n${JSON.stringify({ name, mimeType: 'application/octet-stream' })}\r\n--${boundary}\r\ncontent-type: application/octet-stream\r\n\r\n`;
  const [row] = await steward.sql<{ userId: string; grantId: string }>(
    'select user_id as "userId", grant_id as "grantId" from workspace_accounts where email = $1',
    [me.email],
  );
  const token = await steward.context.tokens.current(row?.userId ?? '', row?.grantId ?? '');
  const response = await fetch(`${steward.context.sandbox?.workspace.apiUrl}/upload/drive/v3/files?uploadType=multipart`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': `multipart/related; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--`)]),
  });
  return { body: await response.json() };
}
