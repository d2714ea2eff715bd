import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RefreshRow } from '../../../../src/vault/refresh/refresh-repository.ts';
import { ExecutorScene, rejectedWith } from '../../../support/scenes/executor-scene.ts';
import { eventually } from '../../../support/time/eventually.ts';
import { type ConnectedGrant, endWait, grantState, leave } from '../../../support/users/refreshing.ts';

/** Time limits of a call, and of a provider's request; that of a refresh is longer. */
const CALL_MS = 8_000;
const PROVIDER_MS = 10_000;

let scene: ExecutorScene;
let grant: ConnectedGrant;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});

afterAll(() => scene.stop());

beforeEach(async () => {
  scene.reset();
  Object.assign(scene.provider.tokens, { rotation: 'strict', fields: {}, before: () => {}, after: () => {} });
  grant = await scene.connect();
});

afterEach(() => scene.steward.context.db.observe(scene.steward.context.telemetry));

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
    scene.policies.set('test.read', { timeoutMs: CALL_MS });
    const { answer: response, asked } = slowly();
    const calls = Array.from({ length: 3 }, () => rejectedWith(scene.call(grant, 'test.read'), 'provider_timeout'));
    await eventually(() => asked() === 1);
    await scene.steward.clock.advance(CALL_MS);
    await Promise.all(calls);
    await endWait(scene.steward.sql, grant, 'refresh_after');
    const another = rejectedWith(scene.call(grant, 'test.read'), 'provider_timeout');
    await scene.steward.clock.advance(CALL_MS);
    await another;
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
    const first = current();
    await eventually(() => asked() === 1);
    await scene.steward.clock.advance(PROVIDER_MS);
    expect(await first).toBe(token);
    expect(await current()).toBe(token);
    expect(asked()).toBe(1);
    response();
    await eventually(async () => expect(await current()).toBe(lastGiven()));
  });
});

describe('a process that was paused after it took the lease', () => {
  it('does not request a token: the response could arrive after another process has taken over', async () => {
    await leave(scene.steward.sql, grant, -60);
    const another = await scene.connect();
    const { context, clock, sql } = scene.steward;
    const paused = Promise.withResolvers<void>();
    let isPaused = false;
    // Between the statement that takes the lease and what the process does next.
    context.db.observe({
      ...context.telemetry,
      async statement(_sql, work) {
        const result = await work();
        const rows = result as Partial<RefreshRow>[];
        if (isPaused || !rows.some(({ leased }) => leased)) return result;
        isPaused = true;
        await clock.advance(15_000);
        paused.resolve();
        return result;
      },
    });
    const before = scene.provider.tokens.asked.length;
    const call = current();
    await paused.promise;
    // A refresh that begins now, and ends.
    await leave(sql, another, -60);
    expect(await context.tokens.current(another.userId, another.grantId)).toBe(lastGiven());
    expect(scene.provider.tokens.asked.length).toBe(before + 1);
    await endWait(sql, grant, 'lease_until');
    expect(await call).toBe(lastGiven());
    expect(scene.provider.tokens.asked.length).toBe(before + 2);
  });
});
