import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { grantedThread } from '../../support/users/granted-thread.ts';
import { newThread } from '../../support/users/new-thread.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const MAY_NOT = 'This automation may not use this action. The user can edit it and permit the action.';

let scene: ExecutorScene;
let user: ConnectedGrant;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  scene.sending(200);
  user = await scene.connect();
});

const accountOf = async (of: ConnectedGrant) => (await scene.steward.context.executor.accounts(of.userId))[0]?.id as string;
const granted = (grant: Parameters<typeof grantedThread>[2]) => grantedThread(scene.steward, user.userId, grant);
const read = (thread: string, account?: string) => scene.call(user, 'test.read', {}, { thread, ...(account && { account }) });
const send = (thread: string) => scene.call(user, 'test.send', { to: ['ana@example.com'] }, { thread });

describe('a call in a run of an automation', () => {
  it('may use only the actions that the automation names', async () => {
    const one = await granted({ actions: ['test.read'] });
    expect((await read(one)).data).toEqual({ emailAddress: 'someone@example.com' });
    expect(await rejectedWith(send(one), 'forbidden')).toMatchObject({ message: MAY_NOT });
    await send(await granted({ actions: ['mail.*', 'test.*'] }));
    expect(await rejectedWith(read(await granted({ actions: [] })), 'forbidden')).toMatchObject({ message: MAY_NOT });
    expect(scene.sent).toBe(1);
  });

  it('may use only the accounts that the automation names', async () => {
    const second = await scene.connect({ token: user.token, email: 'second@example.com' });
    expect(second.userId).toBe(user.userId);
    const accounts = await scene.steward.context.executor.accounts(user.userId);
    const [first, other] = accounts.map(({ id }) => id) as [string, string];
    const thread = await granted({ actions: ['test.*'], accountIds: [other] });
    expect((await read(thread)).meta.accountId).toBe(other);
    const { details } = await rejectedWith(read(thread, first), 'invalid_request');
    expect(details?.choices).toEqual([{ id: other, label: 'second@example.com' }]);
    await rejectedWith(read(await granted({ actions: ['test.*'], accountIds: [] })), 'not_found');
  });

  it('is on record as the assistant’s, also one that is refused', async () => {
    const thread = await granted({ actions: ['test.read'] });
    await read(thread);
    await rejectedWith(send(thread), 'forbidden');
    const rows = (await scene.audit(user)).map(({ action, surface, decision, outcome, account_id: id }) => [
      action,
      surface,
      decision,
      outcome,
      id,
    ]);
    expect(rows).toEqual([
      ['test.read', 'assistant', 'allowed', 'ok', await accountOf(user)],
      ['test.send', 'assistant', 'refused', 'forbidden', null],
    ]);
  });

  it('does not run once its conversation is deleted, or belongs to another user', async () => {
    const thread = await granted({ actions: ['test.*'] });
    const stranger = await scene.connect();
    await rejectedWith(scene.call(stranger, 'test.send', { to: ['ana@example.com'] }, { thread }), 'aborted');
    expect(await scene.steward.context.threads.delete(user.userId, thread)).toBeUndefined();
    await rejectedWith(read(thread), 'aborted');
    await rejectedWith(send(thread), 'aborted');
    const rows = await scene.steward.sql('select 1 from thread_grants where user_id = $1', [user.userId]);
    expect([scene.sent, rows]).toEqual([0, []]);
  });

  it('costs one statement more, and none in a conversation that the user began', async () => {
    const [mine, run] = [await newThread(scene.steward, user.userId), await granted({ actions: ['test.read'] })];
    const ofCall = async (thread: string) => {
      await read(thread);
      const sent: string[] = [];
      const { db, telemetry } = scene.steward.context;
      const statement = <Result>(sql: string, work: () => Promise<Result>) => {
        sent.push(sql);
        return work();
      };
      db.observe({ ...telemetry, statement });
      await read(thread);
      db.observe(telemetry);
      return sent;
    };
    const [inMine, inRun] = [await ofCall(mine), await ofCall(run)];
    expect(inMine).not.toContain('thread-grants');
    expect(inRun.filter((name) => !inMine.includes(name))).toEqual(['thread-grants']);
  });

  it('of an action that the file no longer has is an ordinary error', async () => {
    const thread = await granted({ actions: ['test.copy_0', 'test.read'] });
    scene.copies = 1;
    await scene.call(user, 'test.copy_0', {}, { thread });
    scene.copies = 0;
    await rejectedWith(scene.call(user, 'test.copy_0', {}, { thread }), 'not_found');
    await read(thread);
  });
});
