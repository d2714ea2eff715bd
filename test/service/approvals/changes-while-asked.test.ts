import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { ASKERS, type Asker, approve } from '../../support/users/askers.ts';

const ANA = 'ana@example.org';
const FILES = '/drive/v3/files';
const DOCUMENT = 'application/vnd.google-apps.document';
const FOLDER = 'application/vnd.google-apps.folder';
const SHORTCUT = 'application/vnd.google-apps.shortcut';
/** Nothing is asked about but what the operator names. */
const INTEGRATIONS = `version: 1
defaults:
  policy: { approval: never, rate: 1000/min }
agents:
  drive:
    provider: workspace
    description: Files.
    scopes: [drive]
    actions:
      share: { use: drive.share, policy: { approval: always } }
      create: { use: drive.create }
      copy: { use: drive.copy }
      move: { use: drive.move }
      rename: { use: drive.rename }
      trash: { use: drive.trash }
      put: { call: drive.files.update, description: Move., effect: destructive, input: { type: object, required: [id, to], properties: { id: { type: string }, to: { type: string } } }, with: { fileId: $input.id, addParents: $input.to, removeParents: root } }
  documents: { provider: workspace, description: Documents., scopes: [documents] }
  mail:
    provider: workspace
    description: Mail.
    scopes: [mail.modify, mail.send]
    actions:
      draft: { use: mail.draft }
      draft_update: { use: mail.draft_update }
      draft_send: { use: mail.draft_send, policy: { approval: always } }
`;

let steward: TestSteward;
let me: Person;
let inPerson: Asker;

beforeAll(async () => {
  steward = await startSteward({ INTEGRATIONS_FILE: ownIntegrations(INTEGRATIONS) });
});
afterAll(() => steward.stop());
beforeEach(async () => {
  me = await newPerson(steward);
  inPerson = await (ASKERS['in person'] as (typeof ASKERS)[string])(steward, me.token);
});

const create = async (mimeType: string, parent = 'root', more: object = {}): Promise<string> =>
  (await me.google('POST', FILES, { name: 'Plan', mimeType, parents: [parent], ...more })).body.id;
const stateOf = async (id: string) => (await me.google('GET', `${FILES}/${id}?fields=name,parents,modifiedTime,trashed`)).body;
const childrenOf = async (id: string) =>
  (await me.google('GET', `${FILES}?q=${encodeURIComponent(`'${id}' in parents`)}`)).body.files.length;

async function askToShare(asker: Asker, id: string): Promise<string> {
  const { outcome, approvalId } = await asker.call('drive.share', { id, email: ANA });
  expect(outcome).toBe('approval_required');
  return approvalId;
}

describe.each(Object.keys(ASKERS))('while a question of the caller waits: %s', (surface) => {
  let asker: Asker;
  beforeEach(async () => {
    asker = await (ASKERS[surface] as (typeof ASKERS)[string])(steward, me.token);
  });

  it.each([
    ['renamed', 'drive.rename', (id: string) => ({ id, name: 'Salaries' })],
    ['filled', 'documents.append', (id: string) => ({ id, text: 'IBAN' })],
    ['edited', 'documents.replace', (id: string) => ({ id, find: 'a', replace: 'b' })],
    ['thrown away', 'drive.trash', (id: string) => ({ id })],
  ] as const)('the file that it is about isn’t %s unasked', async (_how, action, inputOf) => {
    const id = await create(DOCUMENT);
    const approvalId = await askToShare(asker, id);
    const before = await stateOf(id);
    expect((await asker.call(action, inputOf(id))).outcome).toBe('approval_required');
    expect(await stateOf(id)).toEqual(before);
    expect(await approve(steward, me.token, approvalId)).toBe(200);
  });

  it.each([
    ['moved', 'drive.move', (file: string, folder: string) => ({ id: file, folder })],
    ['moved by a declared action', 'drive.put', (file: string, folder: string) => ({ id: file, to: folder })],
    ['copied', 'drive.copy', (file: string, folder: string) => ({ id: file, folder })],
    ['created', 'drive.create', (_file: string, folder: string) => ({ name: 'x.txt', content: 'x', folder })],
  ] as const)(
    'nothing is %s unasked into the folder that it is about, nor into one in it, nor through a shortcut',
    async (_how, action, inputOf) => {
      const [top, file] = [await create(FOLDER), await create(DOCUMENT)];
      const inner = await create(FOLDER, top);
      const shortcut = await create(SHORTCUT, 'root', { shortcutDetails: { targetId: top } });
      await askToShare(asker, top);
      for (const folder of [top, inner, ...(action === 'drive.put' ? [] : [shortcut])]) {
        expect((await asker.call(action, inputOf(file, folder))).outcome).toBe('approval_required');
      }
      expect([await childrenOf(top), await childrenOf(inner)]).toEqual([1, 0]);
    },
  );

  it('a document in the folder that it is about isn’t filled, nor the folder’s own name changed', async () => {
    const top = await create(FOLDER);
    const inside = await create(DOCUMENT, await create(FOLDER, top));
    await askToShare(asker, top);
    const before = [await stateOf(top), await stateOf(inside)];
    expect((await asker.call('documents.append', { id: inside, text: 'x' })).outcome).toBe('approval_required');
    expect((await asker.call('drive.rename', { id: top, name: 'x' })).outcome).toBe('approval_required');
    expect([await stateOf(top), await stateOf(inside)]).toEqual(before);
  });

  it('a draft that it is about isn’t changed at all', async () => {
    const draft = await me.google('POST', '/gmail/v1/users/me/drafts', {
      message: { raw: Buffer.from(`To: ${ANA}\r\nSubject: Lunch\r\n\r\nNoon?`).toString('base64url') },
    });
    const { id } = draft.body;
    expect((await asker.call('mail.draft_send', { id })).outcome).toBe('approval_required');
    expect((await asker.call('mail.draft_update', { id, body: 'Midnight?' })).outcome).toBe('conflict');
    expect((await me.google('GET', `/gmail/v1/users/me/drafts/${id}`)).body.message.id).toBe(draft.body.message.id);
  });

  it('what it isn’t about is changed unasked, and once it is decided all is', async () => {
    const [asked, other, folder] = [await create(DOCUMENT), await create(DOCUMENT), await create(FOLDER)];
    const approvalId = await askToShare(asker, asked);
    for (const [action, input] of [
      ['drive.rename', { id: other, name: 'Menu' }],
      ['documents.append', { id: other, text: `reader ${ANA}` }],
      ['drive.create', { name: 'Plan', type: 'text' }],
      ['drive.move', { id: other, folder }],
    ] as const) {
      expect(await asker.call(action, input)).toMatchObject({ outcome: 'done' });
    }
    await steward.call(`/approvals/${approvalId}`, {
      token: me.token,
      body: '{"approved":false}',
      headers: { 'content-type': 'application/json' },
    });
    expect((await asker.call('drive.rename', { id: asked, name: 'Menu' })).outcome).toBe('done');
  });

  it('other contexts aren’t asked', async () => {
    const id = await create(DOCUMENT);
    await askToShare(asker, id);
    const other = surface === 'in person' ? await (ASKERS.http as (typeof ASKERS)[string])(steward, me.token) : inPerson;
    expect((await other.call('drive.rename', { id, name: 'Menu' })).outcome).toBe('done');
  });
});
