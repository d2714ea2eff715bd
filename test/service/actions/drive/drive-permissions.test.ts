import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppError } from '../../../../src/errors.ts';
import { newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { startFileAgents } from '../../../support/scenes/file-agents.ts';
import type { TestSteward } from '../../../support/steward.ts';
import { callAction } from '../../../support/users/agents.ts';

let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startFileAgents();
  me = await newPerson(steward);
});
afterAll(() => steward.stop());

async function create(name: string, more: object = {}): Promise<string> {
  return (await me.act('drive.create', { name, ...more })).id;
}

async function share(id: string, permission: object): Promise<void> {
  expect(await me.google('POST', `/drive/v3/files/${id}/permissions`, permission)).toMatchObject({ status: 200 });
}

/** What the user is asked; undefined: the call ran. */
async function question(action: string, input: object): Promise<Record<string, unknown> | undefined> {
  const error = await callAction(steward, action, input, { token: me.token }).then(
    () => undefined,
    (thrown: AppError) => thrown,
  );
  if (error !== undefined && error.code !== 'approval_required') throw error;
  return error?.details;
}

/** A file in five folders, of which the outermost is shared with ana@example.org. */
async function deepFile(): Promise<{ outermost: string; folder: string; file: string }> {
  const outermost = await create('Level 1', { type: 'folder' });
  let folder = outermost;
  for (let level = 2; level <= 5; level += 1) folder = await create(`Level ${level}`, { type: 'folder', folder });
  const file = await create('deep.txt', { content: 'x', folder });
  await share(outermost, { type: 'user', role: 'reader', emailAddress: 'ana@example.org' });
  return { outermost, folder, file };
}

const ANA = { kind: 'person', address: 'ana@example.org' };
const owner = () => ({ who: me.email, type: 'user', role: 'owner', name: expect.any(String), inherited: false });

describe('drive.permissions', () => {
  it('lists people, groups, domains and the link', async () => {
    const id = await create('plan.txt');
    await share(id, { type: 'user', role: 'writer', emailAddress: 'Ana@example.org' });
    await share(id, { type: 'group', role: 'commenter', emailAddress: 'team@example.org' });
    await share(id, { type: 'domain', role: 'reader', domain: 'example.org' });
    await share(id, { type: 'anyone', role: 'reader' });
    expect(await me.act('drive.permissions', { id })).toEqual({
      id,
      items: [
        owner(),
        { who: 'ana@example.org', type: 'user', role: 'writer', name: 'ana', inherited: false },
        { who: 'team@example.org', type: 'group', role: 'commenter', name: 'team', inherited: false },
        { who: 'example.org', type: 'domain', role: 'reader', name: 'example.org', inherited: false },
        { who: 'anyone', type: 'anyone', role: 'reader', inherited: false },
      ],
    });
  });

  it('says what a folder passes on, five levels deep', async () => {
    const { file } = await deepFile();
    const { items } = await me.act('drive.permissions', { id: file });
    expect(items).toContainEqual({ who: 'ana@example.org', type: 'user', role: 'reader', name: 'ana', inherited: true });
    expect(items).toContainEqual(owner());
  });

  it('labels names and addresses as text of others', async () => {
    const id = await create('labels.txt');
    const { meta } = await callAction(steward, 'drive.permissions', { id }, { token: me.token });
    expect(meta.labels).toMatchObject({ integrity: 'others', sources: [{ item: id, fields: ['who', 'name'] }] });
  });

  it('lists more than five hundred page by page, and finds each', async () => {
    const id = await create('popular.txt');
    for (let number = 0; number < 520; number += 1)
      await share(id, { type: 'user', role: 'reader', emailAddress: `p${number}@example.org` });
    const who = new Set<string>();
    let page: string | undefined;
    do {
      const { items, next } = await me.act('drive.permissions', { id, ...(page !== undefined && { page }) });
      expect(items.length).toBeLessThanOrEqual(100);
      for (const item of items) who.add(item.who);
      page = next;
    } while (page !== undefined);
    expect(who.size).toBe(521);
    expect(await me.act('drive.unshare', { id, who: 'p519@example.org' })).toMatchObject({ who: 'p519@example.org', role: 'reader' });
    // More than can be listed counts as unknown, too.
    const { audience } = (await question('drive.rename', { id, name: 'x' })) as { audience: object[] };
    expect(audience).toHaveLength(500);
    expect(audience.at(-1)).toEqual({ kind: 'unknown' });
  });

  it('is forbidden to those who may not share the file', async () => {
    const { files } = (await me.google('GET', "/drive/v3/files?q=name%20%3D%20'Team%20budget%20notes'")).body as {
      files: { id: string }[];
    };
    await expect(me.act('drive.permissions', { id: files[0]?.id })).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('drive.unshare', () => {
  it.each([
    ['a person', { type: 'user', emailAddress: 'zoe@example.org' }, 'zoe@example.org', [{ kind: 'person', address: 'zoe@example.org' }]],
    ['a group', { type: 'group', emailAddress: 'team@example.org' }, 'Team@example.org', [{ kind: 'group', address: 'team@example.org' }]],
    ['a domain', { type: 'domain', domain: 'example.org' }, 'example.org', [{ kind: 'domain', domain: 'example.org' }]],
    ['the link', { type: 'anyone' }, 'anyone', []],
  ])('asks, and takes away the access of %s', async (_who, grantee, who, audience) => {
    const id = await create('Plan “A”.txt');
    await share(id, { role: 'reader', ...grantee });
    const asked = await question('drive.unshare', { id, who });
    const named = who === 'anyone' ? 'anyone with the link' : `“${who}”`;
    expect(asked?.summary).toBe(`Take away the access of ${named} to the text file “Plan 'A'.txt” (${id}), as “reader”`);
    expect(asked?.audience).toMatchObject(audience);
    expect(await me.act('drive.unshare', { id, who })).toMatchObject({ id, name: 'Plan “A”.txt', role: 'reader' });
    expect((await me.act('drive.permissions', { id })).items).toEqual([owner()]);
  });

  it('rejects what a folder passes on, and names the folder', async () => {
    const { outermost, file } = await deepFile();
    const call = me.act('drive.unshare', { id: file, who: 'ana@example.org' });
    await expect(call).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/Unshare that folder/),
      details: { folder: outermost },
    });
    await me.act('drive.unshare', { id: outermost, who: 'ana@example.org' });
    expect((await me.act('drive.permissions', { id: file })).items).toEqual([owner()]);
  });

  it('rejects the owner, strangers and shortcuts without a question', async () => {
    const id = await create('mine.txt');
    await expect(question('drive.unshare', { id, who: me.email })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/owner/),
    });
    await expect(question('drive.unshare', { id, who: 'eve@example.org' })).rejects.toMatchObject({ code: 'not_found' });
    const { files } = (await me.google('GET', "/drive/v3/files?q=name%20%3D%20'Budget%20(shortcut)'")).body as { files: { id: string }[] };
    const call = question('drive.unshare', { id: files[0]?.id, who: me.email });
    await expect(call).rejects.toMatchObject({ code: 'invalid_request', details: { target: expect.any(String) } });
  });

  it.each([
    ['nobody', { who: '' }],
    ['a line break', { who: 'ana@example.org\nBob' }],
    ['a permission’s id', { who: 'ana@example.org', permission: '1' }],
  ])('rejects %s', async (_what, input) => {
    await expect(question('drive.unshare', { id: await create('x.txt'), ...input })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('a change below a shared folder, five levels deep', () => {
  it('asks, as those who see the folder see it', async () => {
    const { folder, file } = await deepFile();
    expect(await question('drive.rename', { id: file, name: 'x' })).toMatchObject({ audience: [ANA] });
    expect(await question('drive.create', { name: 'x.txt', content: 'x', folder })).toMatchObject({ audience: [ANA] });
    expect(await question('drive.untrash', { id: file })).toMatchObject({ audience: [ANA] });
  });
});

describe('drive.untrash', () => {
  it('takes a folder out of the trash with its contents, and asks, because these may be shared', async () => {
    const folder = await create('Bin', { type: 'folder' });
    const file = await create('kept.txt', { content: 'x', folder });
    await me.act('drive.trash', { id: folder });
    expect(await question('drive.untrash', { id: folder })).toMatchObject({ audience: [{ kind: 'unknown' }] });
    await me.act('drive.untrash', { id: folder });
    for (const id of [folder, file]) expect(await me.act('drive.info', { id })).not.toHaveProperty('trashed');
  });

  it('rejects what does not exist', async () => {
    await expect(question('drive.untrash', { id: 'gone' })).rejects.toMatchObject({ code: 'not_found' });
  });
});
