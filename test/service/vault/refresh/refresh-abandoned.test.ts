import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ExecutorScene, rejectedWith } from '../../../support/scenes/executor-scene.ts';
import { type ConnectedGrant, endWait, grantState, leave } from '../../../support/users/refreshing.ts';

let scene: ExecutorScene;
let grant: ConnectedGrant;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});

afterAll(() => scene.stop());

beforeEach(async () => {
  scene.reset();
  grant = await scene.connect();
  await leave(scene.steward.sql, grant, -60);
  await endWait(scene.steward.sql, grant, 'lease_until');
});

const current = () => scene.steward.context.tokens.current(grant.userId, grant.grantId);

/** The provider refuses the refresh token next. @returns what is waited for from then on, each time after `meanwhile` */
function refusing(meanwhile: () => Promise<unknown>) {
  const { tokens } = scene.provider;
  const { clock } = scene.steward;
  const waits: number[] = [];
  tokens.instead.push([400, { error: 'invalid_grant' }]);
  vi.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
    waits.push(ms);
    await meanwhile();
    await clock.advance(ms);
  });
  return waits;
}

describe('a refresh token that is refused after its lease was abandoned', () => {
  it('may have been used by the holder of that lease, whose new tokens count', async () => {
    const waits = refusing(() =>
      scene.steward.sql('update grants set version = version + 1, lease_until = null where id = $1', [grant.grantId]),
    );
    expect(await current()).toBe(scene.provider.tokens.given.at(-1));
    expect(waits).toHaveLength(1);
    expect(await grantState(scene.steward.sql, grant)).toMatchObject({ status: 'active', lease: null });
  });

  it('has ended when the holder has stored nothing for five seconds', async () => {
    const { clock } = scene.steward;
    const waits = refusing(async () => {});
    const askedAt = clock.monotonic();
    await rejectedWith(current(), 'reauth_required');
    expect(clock.monotonic() - askedAt).toBeGreaterThanOrEqual(5_000);
    expect(waits.length).toBeGreaterThan(5);
    expect(await grantState(scene.steward.sql, grant)).toMatchObject({ status: 'reauth_required' });
  });

  it('has ended at once when no lease was abandoned', async () => {
    await scene.steward.sql('update grants set lease_until = null where id = $1', [grant.grantId]);
    const waits = refusing(async () => {});
    await rejectedWith(current(), 'reauth_required');
    expect(waits).toEqual([]);
  });
});
