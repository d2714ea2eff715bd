import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { startFileAgents } from '../../support/scenes/file-agents.ts';
import type { TestSteward } from '../../support/steward.ts';
import { ASKERS, type Asker, approve } from '../../support/users/askers.ts';

const ANA = 'ana@example.org';
const FILES = '/drive/v3/files';
const DOCUMENT = 'application/vnd.google-apps.document';
const FOLDER = 'application/vnd.google-apps.folder';

let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startFileAgents({}, 'destructive');
  me = await newPerson(steward);
});
afterAll(() => steward.stop());

const create = async (name: string, mimeType: string, parent = 'root'): Promise<string> =>
  (await me.google('POST', FILES, { name, mimeType, parents: [parent] })).body.id;
const document = (parent?: string) => create('Plan', DOCUMENT, parent);
const folder = (parent?: string) => create('Papers', FOLDER, parent);
const sharedWithAna = async (id: string): Promise<string> => {
  await me.google('POST', `${FILES}/${id}/permissions`, { type: 'user', role: 'reader', emailAddress: ANA });
  return id;
};

/** What happens at the provider while the user decides. */
const rename = (id: string) => me.google('PATCH', `${FILES}/${id}`, { name: 'Salaries' });
const describeIt = (id: string) => me.google('PATCH', `${FILES}/${id}`, { description: 'IBAN DE02 1203 0000 0000 2020 51' });
const fill = (id: string) =>
  me.google('POST', `/v1/documents/${id}:batchUpdate`, { requests: [{ insertText: { text: 'x', location: { index: 1 } } }] });
const putInto = async (id: string) => me.google('PATCH', `${FILES}/${await document()}?addParents=${id}&removeParents=root`, {});
const openIt = (id: string) => me.google('GET', `${FILES}/${id}?fields=*`);
const moveAway = async (id: string) => me.google('PATCH', `${FILES}/${id}?addParents=${await folder()}&removeParents=root`, {});

/** Everything that a call could have changed of these files. */
const stateOf = async (...ids: string[]) =>
  Promise.all(
    ids.map(async (id) => {
      const { name, parents, trashed, permissions } = (await me.google('GET', `${FILES}/${id}?fields=*`)).body;
      const children = (await me.google('GET', `${FILES}?q=${encodeURIComponent(`'${id}' in parents`)}&pageSize=1000`)).body.files;
      return { name, parents, trashed, permissions, children };
    }),
  );

interface Asked {
  action: string;
  input: object;
  /** Files that it is about. */
  files: string[];
}

const share = (id: string): Asked => ({ action: 'drive.share', input: { id, email: ANA }, files: [id] });
const ACTIONS = {
  share: async () => share(await document()),
  'share a folder': async () => share(await folder()),
  async copy(): Promise<Asked> {
    const [id, to] = [await document(), await sharedWithAna(await folder())];
    return { action: 'drive.copy', input: { id, folder: to }, files: [id, to] };
  },
  async move(): Promise<Asked> {
    const [id, to] = [await folder(), await sharedWithAna(await folder())];
    return { action: 'drive.move', input: { id, folder: to }, files: [id, to] };
  },
  async create(): Promise<Asked> {
    const id = await sharedWithAna(await folder());
    return { action: 'drive.create', input: { name: 'x.txt', content: 'x', folder: id }, files: [id] };
  },
  async rename(): Promise<Asked> {
    const id = await sharedWithAna(await document());
    return { action: 'drive.rename', input: { id, name: 'Menu' }, files: [id] };
  },
  async trash(): Promise<Asked> {
    const id = await folder();
    return { action: 'drive.trash', input: { id }, files: [id] };
  },
  async untrash(): Promise<Asked> {
    const id = await sharedWithAna(await folder());
    await me.google('PATCH', `${FILES}/${id}`, { trashed: true });
    return { action: 'drive.untrash', input: { id }, files: [id] };
  },
  async unshare(): Promise<Asked> {
    const id = await sharedWithAna(await document());
    return { action: 'drive.unshare', input: { id, who: ANA }, files: [id] };
  },
  async append(): Promise<Asked> {
    const id = await sharedWithAna(await document());
    return { action: 'documents.append', input: { id, text: 'Yes.' }, files: [id] };
  },
  async replace(): Promise<Asked> {
    const id = await sharedWithAna(await document());
    return { action: 'documents.replace', input: { id, find: 'a', replace: 'b' }, files: [id] };
  },
};

/** Asks, lets something happen to the first of the files or to the last, and approves. */
async function approveAfter(caller: Asker, asked: Asked, change: (id: string) => Promise<unknown>, of: 'first' | 'last') {
  const { outcome, approvalId } = await caller.call(asked.action, asked.input);
  expect(outcome).toBe('approval_required');
  await change(asked.files.at(of === 'first' ? 0 : -1) as string);
  const before = await stateOf(...asked.files);
  return { status: await approve(steward, me.token, approvalId), before, after: await stateOf(...asked.files) };
}

describe.each(Object.keys(ASKERS))('what the user approves for a caller: %s', (surface) => {
  it.each([
    ['share', 'is renamed', rename, 'first'],
    ['share', 'is filled', fill, 'first'],
    ['share', 'is described', describeIt, 'first'],
    ['share a folder', 'gets another file', putInto, 'first'],
    ['copy', 'is filled', fill, 'first'],
    ['move', 'gets another file', putInto, 'first'],
    ['rename', 'is renamed', rename, 'first'],
    ['replace', 'is filled', fill, 'first'],
  ] as const)('isn’t done if %s: it %s while the user decides', async (name, _what, change, of) => {
    const caller = await (ASKERS[surface] as (typeof ASKERS)[string])(steward, me.token);
    const { status, before, after } = await approveAfter(caller, await ACTIONS[name](), change, of);
    expect(status).toBe(409);
    expect(after).toEqual(before);
  });
});

describe('what the user approves', () => {
  let caller: Asker;
  beforeAll(async () => {
    caller = await (ASKERS.http as (typeof ASKERS)[string])(steward, me.token);
  });

  it.each([
    ['share a folder', 'is renamed', rename, 'first'],
    ['copy', 'is renamed', rename, 'first'],
    ['copy', 'goes into a renamed folder', rename, 'last'],
    ['move', 'is renamed', rename, 'first'],
    ['move', 'goes into a renamed folder', rename, 'last'],
    ['create', 'goes into a renamed folder', rename, 'first'],
    ['create', 'goes into a folder that was moved', moveAway, 'first'],
    ['trash', 'is renamed', rename, 'first'],
    ['trash', 'gets another file', putInto, 'first'],
    ['untrash', 'is renamed', rename, 'first'],
    ['unshare', 'is renamed', rename, 'first'],
    ['append', 'is renamed', rename, 'first'],
    ['replace', 'is renamed', rename, 'first'],
  ] as const)('isn’t done if %s: it %s', async (name, _what, change, of) => {
    const { status, before, after } = await approveAfter(caller, await ACTIONS[name](), change, of);
    expect(status).toBe(409);
    expect(after).toEqual(before);
  });

  it('isn’t done if something changed far below in the folder', async () => {
    const top = await folder();
    let deepest = top;
    for (let level = 0; level < 4; level += 1) deepest = await folder(deepest);
    const inside = await document(deepest);
    for (const change of [() => fill(inside), () => rename(inside), () => putInto(deepest), () => rename(deepest)]) {
      const { status, before, after } = await approveAfter(caller, share(top), change, 'first');
      expect(status).toBe(409);
      expect(after).toEqual(before);
    }
    const { status } = await approveAfter(caller, share(top), async () => {}, 'first');
    expect(status).toBe(200);
  });

  it.each(Object.keys(ACTIONS) as (keyof typeof ACTIONS)[])('is done if nothing changed but that the account looked: %s', async (name) => {
    const { status, before, after } = await approveAfter(caller, await ACTIONS[name](), openIt, 'first');
    expect(status).toBe(200);
    if (!['append', 'replace'].includes(name)) expect(after).not.toEqual(before);
  });

  it.each(['create', 'append', 'unshare', 'rename'] as const)('is done if only what isn’t shown of it changed: %s', async (name) => {
    const change = name === 'create' ? putInto : fill;
    expect((await approveAfter(caller, await ACTIONS[name](), change, 'first')).status).toBe(200);
  });

  it('may change if a folder holds more than is checked, which the question says', async () => {
    const id = await folder();
    for (let item = 0; item < 201; item += 1) await document(id);
    const { approvalId } = await caller.call('drive.share', { id, email: ANA });
    const { body } = await steward.call(`/approvals/${approvalId}`, { token: me.token });
    expect(body.summary).toMatch(/with all its contents, more than 200 items or 10 levels, which may change until then$/);
    await putInto(id);
    expect(await approve(steward, me.token, approvalId)).toBe(200);
  });
});
