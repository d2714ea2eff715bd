import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { ExecutorScene, rejectedWith } from '../../../support/executor-scene.ts';
import { type ConnectedGrant, endWait, grantState, leave } from '../../../support/refreshing.ts';

let scene: ExecutorScene;
let grant: ConnectedGrant;

beforeAll(async () => {
  // Time limit of a provider's request; that of a refresh is longer.
  scene = await ExecutorScene.start({ LIMIT_PROVIDER_TIMEOUT_MS: '600' });
});

afterAll(() => scene.stop());

beforeEach(async () => {
  scene.reset();
  Object.assign(scene.provider.tokens, { rotation: 'strict', fields: {}, before: () => {}, after: () => {} });
  grant = await scene.connect();
});

afterEach(() => vi.restoreAllMocks());

const current = () => scene.steward.context.tokens.current(grant.userId, grant.grantId);
const state = () => grantState(scene.steward.sql, grant);
const lastGiven = () => scene.provider.tokens.given.at(-1);

/** The provider has rotated the refresh token, and responds late. */
function slowly() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { tokens } = scene.provider;
  const before = tokens.asked.length;
  tokens.after = () => promise;
  return { answer: resolve, asked: () => tokens.asked.length - before };
}

describe('a token endpoint that is slow', () => {
  it('is waited for after its callers’ deadlines, and is not requested again with a used token', async () => {
    await leave(scene.steward.sql, grant, -60);
    scene.policies.set('test.read', { timeoutMs: 400 });
    const { answer: response, asked } = slowly();
    await Promise.all(Array.from({ length: 3 }, () => rejectedWith(scene.call(grant, 'test.read'), 'provider_timeout')));
    await endWait(scene.steward.sql, grant, 'refresh_after');
    await rejectedWith(scene.call(grant, 'test.read'), 'provider_timeout');
    expect(asked()).toBe(1);
    expect((await state())?.lease).toBeGreaterThan(60);
    response();
    await eventually(async () => (await state())?.lease === null);
    expect(await state()).toMatchObject({ status: 'active', failures: 0 });
    expect(await current()).toBe(lastGiven());
    expect(asked()).toBe(1);
  });

  it('does not delay callers with a valid token', async () => {
    const token = await current();
    await leave(scene.steward.sql, grant, 50);
    const { answer: response, asked } = slowly();
    expect(await current()).toBe(token);
    expect(await current()).toBe(token);
    expect(asked()).toBe(1);
    response();
    await eventually(async () => expect(await current()).toBe(lastGiven()));
  });
});

describe('a process that was paused after it took the lease', () => {
  it('does not request a token: the response could arrive after another process has taken over', async () => {
    await leave(scene.steward.sql, grant, -60);
    const { db, telemetry } = scene.steward.context;
    const now = performance.now.bind(performance);
    let stoodStill = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now() + stoodStill);
    db.observe({
      ...telemetry,
      statement: async (sql, work) => {
        const result = await work();
        if (sql === 'refresh-rows-or-leases') stoodStill += 15_000;
        return result;
      },
    });
    const before = scene.provider.tokens.asked.length;
    const call = current();
    await eventually(async () => ((await state())?.lease ?? 0) > 0);
    for (let look = 0; look < 20; look += 1) await state();
    expect(scene.provider.tokens.asked.length).toBe(before);
    await endWait(scene.steward.sql, grant, 'lease_until');
    expect(await call).toBe(lastGiven());
    expect(scene.provider.tokens.asked.length).toBe(before + 1);
  });
});
