import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/errors.ts';
import { type ApiScene, startApiScene } from '../../support/scenes/api-scene.ts';
import { callAction } from '../../support/users/agents.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const FOLDER_TYPE = 'application/vnd.google-apps.folder';
const FILES = '/drive/v3/files';
const [ANA, ZOE] = ['ana@example.org', 'zoe@example.org'];

let scene: ApiScene;
let me: ConnectedGrant;

beforeAll(async () => {
  scene = await startApiScene();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  me = await scene.connect();
  scene.api.reset();
  folder('d1', ANA);
  folder('d2', ANA);
  file('f1');
  // The account has written to both: results of copying and moving count as text of others.
  const sent = { payload: { headers: [{ name: 'To', value: `${ANA}, ${ZOE}` }] } };
  scene.api.on('/gmail/v1/users/me/messages', { body: { messages: [{ id: 'sent1' }] } });
  scene.api.on('/gmail/v1/users/me/messages/sent1', { body: sent });
  scene.api.on('/upload/drive/v3/files', { body: resource('n1') });
  scene.api.on(FILES, { body: resource('n1') });
});

const reader = (address: string) => ({ type: 'user', role: 'reader', emailAddress: address });
const resource = (id: string, permissions: object[] = [], mimeType = 'text/plain') => ({
  id,
  name: `Name of ${id}`,
  mimeType,
  shared: permissions.length > 0,
  ownedByMe: true,
  owners: [{ emailAddress: me.email, me: true }],
  permissions: [{ type: 'user', role: 'owner', emailAddress: me.email }, ...permissions],
});
const folder = (id: string, ...readers: string[]) =>
  scene.api.on(`${FILES}/${id}`, { body: resource(id, readers.map(reader), FOLDER_TYPE) });
const folderOf = (id: string, ...permissions: object[]) => scene.api.on(`${FILES}/${id}`, { body: resource(id, permissions, FOLDER_TYPE) });
function file(id: string, ...readers: string[]): void {
  scene.api.on(`${FILES}/${id}`, { body: resource(id, readers.map(reader)) });
  scene.api.on(`${FILES}/${id}/copy`, { body: resource('n1') });
}

let names = 0;
/** While one about the folder waits, changes in it are asked about. */
const expireQuestions = () => scene.steward.sql(`update approvals set expires_at = now() where status = 'pending'`);
const create = (target = 'd1') => ['drive.create', { name: `${++names}.txt`, content: 'x', folder: target }] as const;
const copy = (target = 'd1') => ['drive.copy', { id: 'f1', name: `${++names}`, folder: target }] as const;
const move = (target = 'd1', id = 'f1') => ['drive.move', { id, folder: target }] as const;

/** `ran`, or the question. */
async function call([action, input]: readonly [string, object]): Promise<Record<string, any> | 'ran'> {
  try {
    await callAction(scene.steward, action, input, { token: me.token });
    return 'ran';
  } catch (error) {
    const { code, details } = error as AppError;
    if (code !== 'approval_required') throw error;
    return details as Record<string, any>;
  }
}
async function approve(question: Record<string, any> | 'ran', rememberFor?: number): Promise<unknown> {
  if (question === 'ran') throw new Error('it was not asked about');
  const decision = { user: me, surface: 'socket', approvalId: question.approvalId, approved: true, signal: new AbortController().signal };
  const { executor } = scene.steward.context;
  return executor.approve({ ...decision, ...(rememberFor !== undefined && { rememberFor }) }).catch((error: AppError) => error.code);
}

describe('a folder that the user allows', () => {
  it.each([
    ['drive.create', create],
    ['drive.copy', copy],
  ])('is named for %s, and covers no other folder with the same readers', async (_action, like) => {
    await approve(await call(like()), 7);
    expect(await call(like())).toBe('ran');
    expect(await call(like('d2'))).toMatchObject({ audience: [{ address: ANA }] });
    const { allowances } = (await scene.steward.call('/allowances', { token: me.token })).body;
    expect(allowances).toMatchObject([{ folder: { id: 'd1', name: 'Name of d1' }, recipients: [{ address: ANA }] }]);
  });

  it('is asked about again once more people see what is in it', async () => {
    await approve(await call(create()), 7);
    folder('d1', ANA, ZOE);
    expect(await call(create())).toMatchObject({ audience: [{ address: ANA }, { address: ZOE }] });
    folderOf('d1', reader(ANA), { type: 'anyone', role: 'reader' });
    expect(await call(create())).toMatchObject({ audience: [{ address: ANA }, { kind: 'anyone' }] });
    folder('d1', ANA);
    await expireQuestions();
    expect(await call(create())).toBe('ran');
  });

  it('is not joined from two allowances', async () => {
    await approve(await call(create()), 7);
    folder('d1', ZOE);
    await approve(await call(create()), 7);
    folder('d1', ANA, ZOE);
    expect(await call(create())).toMatchObject({ audience: [{ address: ANA }, { address: ZOE }] });
  });

  it('covers moving only what its readers see already', async () => {
    await approve(await call(move()), 7);
    expect(await call(move())).toBe('ran');
    file('f2', ZOE);
    const question = await call(move('d1', 'f2'));
    expect(question).toMatchObject({ audience: [{ address: ANA }, { address: ZOE }] });
    expect(await approve(question, 7)).toBe('invalid_request');
    file('f3', ANA);
    await expireQuestions();
    expect(await call(move('d1', 'f3'))).toBe('ran');
    expect(await call(move('root', 'f3'))).toMatchObject({ audience: [{ address: ANA }] });
  });

  it.each([
    ['anyone', { type: 'anyone', role: 'reader' }],
    ['a domain', { type: 'domain', role: 'reader', domain: 'example.org' }],
    ['a group', { type: 'group', role: 'reader', emailAddress: 'team@example.org' }],
    ['someone unknown', { type: 'planet', role: 'reader' }],
  ])('is refused if %s sees what is in it', async (_who, permission) => {
    folderOf('d1', permission);
    const question = await call(create());
    expect(await approve(question, 7)).toBe('invalid_request');
    expect(scene.api.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(await approve(question)).toMatchObject({ data: { id: 'n1' } });
  });

  it('is refused if its sharing can’t be read when the user approves', async () => {
    const question = await call(create());
    scene.api.on(`${FILES}/d1`, { status: 500, body: 'oops' });
    // More people may see it than the user was told, so it isn't run.
    expect(await approve(question, 7)).toBe('provider_error');
    expect((await scene.steward.call('/allowances', { token: me.token })).body.allowances).toEqual([]);
  });
});
