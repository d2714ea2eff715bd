import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { REJECTIONS_PER_MINUTE } from '../../../src/executor/audit/rejection-counter.ts';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { newName } from '../../support/scenes/flows.ts';
import { eventually } from '../../support/time/eventually.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const ATTEMPTS = 900;
const BEYOND = ATTEMPTS - REJECTIONS_PER_MINUTE;

interface Entry {
  action: string;
  outcome: string;
  decision: string;
  count: number;
}

let scene: ExecutorScene;
let user: ConnectedGrant;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});

afterAll(() => scene.stop());

beforeEach(async () => {
  scene.reset();
  user = await scene.connect();
  // Ends the minute of the previous tests.
  await scene.steward.context.executor.settle();
});

const rows = async (of: Pick<ConnectedGrant, 'userId'>) =>
  (await scene.audit(of)).map(({ outcome, action, count }) => ({ outcome, action, count }));

describe('rejections beyond a number within a minute', () => {
  it('are one row with their count, for a user without any account too', async () => {
    const token = await scene.steward.signIn(newName());
    const [{ userId } = { userId: '' }] = [await scene.steward.context.sessions.authenticate(token)];
    await Promise.all(Array.from({ length: ATTEMPTS }, () => rejectedWith(scene.call({ userId }, 'test.read'), 'not_found')));
    expect(await rows({ userId })).toHaveLength(REJECTIONS_PER_MINUTE);
    await scene.steward.clock.advance(60_000);
    const written = await eventually(async () => {
      const all = await rows({ userId });
      return all.length > REJECTIONS_PER_MINUTE && all;
    });
    expect(written).toHaveLength(REJECTIONS_PER_MINUTE + 1);
    expect(written.at(-1)).toEqual({ outcome: 'not_found', action: '*', count: BEYOND });
    expect(written.reduce((sum, { count }) => sum + count, 0)).toBe(ATTEMPTS);

    const [newest] = (await scene.steward.call('/user/audit', { token })).body.entries as [Entry];
    expect(newest).toMatchObject({ action: '*', decision: 'refused', outcome: 'not_found', count: BEYOND });
    const exported = (await scene.steward.call('/user/export', { token })).body.audit_log.entries as [Entry];
    expect(exported[0]).toEqual(newest);
  });

  it('are counted by outcome and user; other calls have separate rows', async () => {
    const other = await scene.connect();
    for (let times = 0; times < REJECTIONS_PER_MINUTE; times += 1) await rejectedWith(scene.call(user, 'test.nothing'), 'not_found');
    await rejectedWith(scene.call(user, 'test.nothing'), 'not_found');
    await rejectedWith(scene.call(user, 'test.run', {}, { account: 'x'.repeat(9) }), 'invalid_request');
    await rejectedWith(scene.call(user, 'test.run', {}, { account: 'y'.repeat(9) }), 'invalid_request');
    await scene.call(user, 'test.run');
    await rejectedWith(scene.call(other, 'test.nothing'), 'not_found');
    await scene.steward.context.executor.settle();
    const mine = (await rows(user)).slice(REJECTIONS_PER_MINUTE);
    expect(mine).toHaveLength(3);
    expect(mine).toEqual(
      expect.arrayContaining([
        { outcome: 'ok', action: 'test.run', count: 1 },
        { outcome: 'not_found', action: '*', count: 1 },
        { outcome: 'invalid_request', action: '*', count: 2 },
      ]),
    );
    expect(await rows(other)).toEqual([{ outcome: 'not_found', action: 'test.nothing', count: 1 }]);
  });
});
