import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UNRESTRICTED } from '../../support/inputs/unrestricted-policy.ts';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { eventually } from '../../support/time/eventually.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

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

const message = { to: ['a@example.com'] };
const key = { idempotencyKey: 'k1' };
const send = (input: unknown = message, options: object = key) => scene.call(user, 'test.send', input, options);
const keys = () => scene.steward.sql<Record<string, any>>('select * from idempotency_keys where user_id = $1', [user.userId]);

describe('a change repeated under its idempotency key', () => {
  it('returns the first result, without another run', async () => {
    const first = await send();
    expect(await send()).toEqual(first);
    expect(await send({ text: 'Hello.', to: ['a@example.com'] }).catch(({ code }) => code)).toBe('conflict');
    expect(scene.sent).toBe(1);
    expect(await scene.trail(user)).toEqual(['started ok', 'allowed ok', 'allowed ok', 'refused conflict']);
  });

  it('is recognized whatever the order of its arguments', async () => {
    const first = await send({ to: ['a@example.com'], text: 'x' });
    expect(await send({ text: 'x', to: ['a@example.com'] })).toEqual(first);
    expect(scene.sent).toBe(1);
  });

  it('conflicts with other arguments, and with another account', async () => {
    const other = await scene.connect({ token: user.token });
    await send();
    await rejectedWith(send({ to: ['b@example.com'] }), 'conflict');
    await rejectedWith(send(message, { ...key, account: other.accountId }), 'conflict');
    expect(scene.sent).toBe(1);
  });

  it('is a new call for another user, and for another action', async () => {
    await send();
    await scene.call(await scene.connect(), 'test.send', message, key);
    await scene.call(user, 'test.remove', message, key);
    expect(scene.sent).toBe(3);
  });

  it('does not count against the rate', async () => {
    scene.policies.set('test.send', { rate: { calls: 1, perMs: 60_000 } });
    const first = await send();
    expect(await send()).toEqual(first);
  });

  it('runs once when all are concurrent', async () => {
    const responses = await Promise.allSettled(Array.from({ length: 10 }, () => send()));
    expect(scene.sent).toBe(1);
    for (const response of responses) {
      if (response.status === 'fulfilled') expect(response.value.data).toEqual({ id: 'm1' });
      else expect(response.reason).toMatchObject({ code: 'conflict', retryAfter: expect.any(Number) });
    }
    expect((await send()).data).toEqual({ id: 'm1' });
    expect(scene.sent).toBe(1);
  });

  it('conflicts while it runs', async () => {
    const held = Promise.withResolvers<() => void>();
    scene.provider.on('/api/gmail/v1/users/me/messages/send', (response) =>
      held.resolve(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"m4"}')),
    );
    const first = send();
    const finish = await held.promise;
    const { retryAfter } = await rejectedWith(send(), 'conflict');
    expect(retryAfter).toBeGreaterThan(0);
    finish();
    const answered = await first;
    expect(await send()).toEqual(answered);
  });

  it('ends as outcome_unknown if its process was killed, and is never sent again', async () => {
    await send();
    await scene.steward.sql(
      `update idempotency_keys set status = 'running', answer = null, running_until = now() - interval '1 second' where user_id = $1`,
      [user.userId],
    );
    await rejectedWith(send(), 'outcome_unknown');
    await rejectedWith(send(), 'outcome_unknown');
    expect(scene.sent).toBe(1);
  });

  it.each([
    ['an error of the provider', () => scene.sending(500, {})],
    ['a response that can’t be read', () => scene.sending(200, '<p>Maintenance</p>')],
    [
      'a connection that breaks',
      () => {
        scene.sent = 0;
        scene.provider.on('/api/gmail/v1/users/me/messages/send', (response) => {
          scene.sent += 1;
          response.destroy();
        });
      },
    ],
  ])('ends as outcome_unknown after %s, and is never sent again', async (_what, breakIt) => {
    breakIt();
    await rejectedWith(send(), 'outcome_unknown');
    expect(scene.sent).toBe(1);
    scene.sending(200);
    await rejectedWith(send(), 'outcome_unknown');
    expect(scene.sent).toBe(0);
  });

  it('ends as outcome_unknown after no response within the time, and is never sent again', async () => {
    scene.swallowing();
    const unanswered = rejectedWith(send(), 'outcome_unknown');
    await eventually(() => scene.sent === 1);
    await scene.steward.clock.advance(UNRESTRICTED.timeoutMs);
    await unanswered;
    scene.sending(200);
    await rejectedWith(send(), 'outcome_unknown');
    expect(scene.sent).toBe(0);
  });

  it.each([400, 403, 404, 409, 429])('runs again after the provider rejected it with %i', async (status) => {
    scene.sending(status, {});
    await send().catch(() => {});
    scene.sending(200);
    expect((await send()).data).toEqual({ id: 'm1' });
    expect(scene.sent).toBe(1);
  });

  it('runs again after the service rejected it', async () => {
    scene.policies.set('test.send', { rate: { calls: 0, perMs: 60_000 } });
    await rejectedWith(send(), 'rate_limited');
    scene.policies.clear();
    expect((await send()).data).toEqual({ id: 'm1' });
  });

  it('runs again after 24 hours', async () => {
    await send();
    await scene.steward.sql(`update idempotency_keys set created_at = now() - interval '24 hours 1 second' where user_id = $1`, [
      user.userId,
    ]);
    await send({ to: ['b@example.com'] });
    expect(scene.sent).toBe(2);
  });
});

describe('an idempotency key', () => {
  it('stores its result encrypted', async () => {
    scene.sending(200, { id: 'canary-77d0' });
    expect((await send()).data).toEqual({ id: 'canary-77d0' });
    const [row] = await keys();
    expect(row).toMatchObject({ status: 'done', action: 'test.send', key: 'k1' });
    expect(row!.answer.toString('latin1')).not.toContain('canary-77d0');
  });

  it('is ignored by a read', async () => {
    await scene.call(user, 'test.read', {}, key);
    await scene.call(user, 'test.read', { other: true }, key);
    expect(await keys()).toEqual([]);
  });

  it.each(['', 'x'.repeat(201), 'a\u0000b', 'a b', 'ключ'])('is rejected: %j', async (idempotencyKey) => {
    const { message: text } = await rejectedWith(send(message, { idempotencyKey }), 'invalid_request');
    expect(text).toMatch(/^idempotencyKey: /);
  });
});
