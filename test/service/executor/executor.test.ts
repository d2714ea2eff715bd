import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../src/errors.ts';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { freePort } from '../../support/servers/free-port.ts';
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
  user = await scene.connect();
});

const message = { to: ['a@example.com'] };

/** An object of this depth, parsed from JSON. */
function nested(levels: number): unknown {
  return JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`);
}

describe('invoke', () => {
  it('runs a read with the account’s token and names the account', async () => {
    const { data, meta } = await scene.call(user, 'test.read');
    expect(data).toEqual({ emailAddress: 'someone@example.com' });
    expect(meta).toEqual({
      labels: {
        integrity: 'others',
        confidentiality: 'private',
        sources: [{ item: 'profile', integrity: 'others', author: 'someone@example.com' }],
      },
      account: user.email,
      accountId: user.accountId,
      ms: expect.any(Number),
    });
  });

  it('runs a change once', async () => {
    scene.sending(200);
    expect((await scene.call(user, 'test.send', message)).data).toEqual({ id: 'm1' });
    expect(scene.sent).toBe(1);
  });

  it('finds only the actions of the catalog, not inherited properties', async () => {
    for (const action of ['test.nothing', '', 'constructor', '__proto__', 'toString'])
      await rejectedWith(scene.call(user, action), 'not_found');
  });

  it('suggests the most similar name that can be called for an unknown one', async () => {
    const message = async () => (await rejectedWith(scene.call(user, 'test.raed'), 'not_found')).message;
    expect(await message()).toBe('There is no such action. Did you mean test.read?');
    scene.policies.set('test.read', { enabled: false });
    expect(await message()).not.toContain('test.read');
    expect((await rejectedWith(scene.call(user, 'quite-another'), 'not_found')).message).toBe('There is no such action.');
  });

  it('rejects a disabled action', async () => {
    scene.policies.set('test.read', { enabled: false });
    await rejectedWith(scene.call(user, 'test.read'), 'forbidden');
  });

  it('rejects arguments that don’t fit the schema, and names the field', async () => {
    const error = await rejectedWith(scene.call(user, 'test.send', { to: 'a@example.com' }), 'invalid_request');
    expect(error.message).toMatch(/^to: /);
  });

  it.each(['{"__proto__":{"x":1}}', '{"a":{"b":[{"__proto__":1}]}}', '{"constructor":{}}', '{"a":{"prototype":1}}'])(
    'rejects reserved names in arguments: %s',
    async (input) => {
      const error = await rejectedWith(scene.call(user, 'test.return', JSON.parse(input)), 'invalid_request');
      expect(error.message).toMatch(/reserved/);
      expect(({} as Record<string, unknown>).x).toBeUndefined();
    },
  );

  it.each([
    ['21 levels', nested(21), 'invalid_request'],
    ['20,001 values', { list: Array(20_001).fill(0) }, 'too_large'],
    ['a text of 1 MB', { text: 'x'.repeat(1024 * 1024 + 1) }, 'too_large'],
    ['a list', [], 'invalid_request'],
    ['a text', 'x', 'invalid_request'],
    ['a number that JSON doesn’t have', { a: Number.NaN }, 'invalid_request'],
    ['a function', { a: () => 1 }, 'invalid_request'],
  ] as const)('rejects %s as arguments', async (_what, input, code) => {
    await rejectedWith(scene.call(user, 'test.return', input), code);
  });

  it('accepts 20 levels', async () => {
    expect((await scene.call(user, 'test.return', nested(20))).data).toEqual({});
  });
});

describe('the account of a call', () => {
  it('is rejected with the choices if it is unknown, or one of several', async () => {
    const other = await scene.connect({ token: user.token });
    const choices = [
      { id: user.accountId, label: user.email },
      { id: other.accountId, label: other.email },
    ];
    const unknown = await rejectedWith(scene.call(user, 'test.read', {}, { account: 'someone@else.example' }), 'invalid_request');
    expect(unknown.details).toEqual({ choices });
    await scene.steward.sql('update workspace_accounts set is_default = false where user_id = $1', [user.userId]);
    expect((await rejectedWith(scene.call(user, 'test.read'), 'invalid_request')).details).toEqual({ choices });
  });

  it('is found by id and by address, case-insensitively', async () => {
    const other = await scene.connect({ token: user.token });
    expect((await scene.call(user, 'test.read')).meta.accountId).toBe(user.accountId);
    expect((await scene.call(user, 'test.read', {}, { account: other.accountId })).meta.accountId).toBe(other.accountId);
    for (const account of [other.accountId.toUpperCase(), other.email.toUpperCase()]) {
      expect((await scene.call(user, 'test.read', {}, { account })).meta.accountId).toBe(other.accountId);
    }
  });

  it('is never another user’s', async () => {
    const stranger = await scene.connect();
    for (const account of [user.accountId, user.email]) {
      const { details } = await rejectedWith(scene.call(stranger, 'test.read', {}, { account }), 'invalid_request');
      expect(details).toEqual({ choices: [{ id: stranger.accountId, label: stranger.email }] });
    }
  });

  it('is missing if none is connected', async () => {
    await scene.steward.sql('delete from grants where user_id = $1', [user.userId]);
    await rejectedWith(scene.call(user, 'test.read'), 'not_found');
  });

  it('must be usable', async () => {
    await scene.steward.sql(`update grants set status = 'reauth_required' where id = $1`, [user.grantId]);
    const error = await rejectedWith(scene.call(user, 'test.read'), 'reauth_required');
    expect(error.details).toEqual({ account: user.accountId });
  });

  it('must have granted a sufficient scope', async () => {
    await scene.steward.sql(`update grants set scopes = '{}' where id = $1`, [user.grantId]);
    const error = await rejectedWith(scene.call(user, 'test.read'), 'missing_scopes');
    expect(error.details).toEqual({ account: user.accountId, missingScopes: ['mail.modify'] });
  });
});

describe('an allow-list', () => {
  const send = (...to: string[]) => scene.call(user, 'test.send', { to });

  it('allows values that match completely, case-insensitively', async () => {
    scene.policies.set('test.send', { allow: { to: ['*@example.com', 'boss@partner.example'] } });
    await send('a@example.com', 'B@EXAMPLE.COM', 'Boss@Partner.example');
    await rejectedWith(send('a@example.com', 'evil@attacker.example'), 'forbidden');
    await rejectedWith(send('a@example.com.attacker.example'), 'forbidden');
    await rejectedWith(send('notboss@partner.example'), 'forbidden');
  });

  it('supports no wildcard but the star', async () => {
    scene.policies.set('test.send', { allow: { to: ['a.c@example.com', '.+', '[a-z]*', '(x|y)'] } });
    await send('a.c@example.com');
    for (const to of ['abc@example.com', 'anything', 'x']) await rejectedWith(send(to), 'forbidden');
  });

  it('names the rejected values', async () => {
    scene.policies.set('test.send', { allow: { to: ['*@example.com'] } });
    const { details, message } = await rejectedWith(send('a@example.com', 'b@x.example'), 'forbidden');
    expect(details).toEqual({ list: 'to', refused: ['b@x.example'] });
    expect(message).not.toContain('x.example');
    const many = Array.from({ length: 12 }, (_, index) => `b${index}@x.example`);
    const { details: first } = await rejectedWith(send(...many), 'forbidden');
    expect(first).toEqual({ list: 'to', refused: many.slice(0, 10), more: 2 });
  });

  it('that the action doesn’t know rejects every value', async () => {
    for (const name of ['from', 'constructor', 'toString']) {
      scene.policies.set('test.send', { allow: { [name]: ['*'] } });
      await rejectedWith(send('a@example.com'), 'forbidden');
    }
  });

  it('without patterns rejects every value', async () => {
    scene.policies.set('test.send', { allow: { to: [] } });
    await rejectedWith(send('a@example.com'), 'forbidden');
  });
});

describe('a rate', () => {
  it('of reads is counted for each user and action', async () => {
    scene.policies.set('test.read', { rate: { calls: 2, perMs: 3_600_000 } });
    await scene.call(user, 'test.read');
    await scene.call(user, 'test.read');
    const { retryAfter } = await rejectedWith(scene.call(user, 'test.read'), 'rate_limited');
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(7_200);
    await scene.call(user, 'test.return');
    await scene.call(await scene.connect(), 'test.read');
  });

  it('of changes applies to concurrent calls, and ends with its window', async () => {
    scene.policies.set('test.send', { rate: { calls: 3, perMs: 3_600_000 } });
    scene.sending(200);
    const calls = await Promise.allSettled(Array.from({ length: 8 }, () => scene.call(user, 'test.send', message)));
    expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(scene.sent).toBe(3);
    const { retryAfter } = await rejectedWith(scene.call(user, 'test.send', message), 'rate_limited');
    expect(retryAfter).toBeGreaterThan(3_500);
    expect(retryAfter).toBeLessThanOrEqual(3_600);
    await scene.steward.sql(`update audit_log set at = at - interval '1 hour' where user_id = $1`, [user.userId]);
    await scene.call(user, 'test.send', message);
  });
});

describe('a deadline', () => {
  const never = () => new Promise(() => {});

  it('ends a read that ignores its signal', async () => {
    scene.policies.set('test.run', { timeoutMs: 20 });
    scene.work = never;
    await rejectedWith(scene.call(user, 'test.run'), 'provider_timeout');
  });

  it('ends work that an action left running', async () => {
    let signal: AbortSignal | undefined;
    scene.work = async (_input, context) => {
      signal = context.signal;
      return {};
    };
    await scene.call(user, 'test.run');
    expect(signal?.aborted).toBe(true);
  });

  it('of a change that was sent ends as outcome_unknown', async () => {
    scene.policies.set('test.send', { timeoutMs: 60_000 });
    scene.swallowing();
    const outcome = rejectedWith(scene.call(user, 'test.send', message), 'outcome_unknown');
    await eventually(() => scene.sent === 1);
    await scene.steward.clock.advance(60_000);
    await outcome;
    expect(scene.sent).toBe(1);
  });

  it('of a change that was not sent yet is a timeout, and the change is not sent afterwards', async () => {
    scene.policies.set('test.reply', { timeoutMs: 60_000 });
    scene.sending(200);
    const waiting = Promise.withResolvers<() => void>();
    scene.provider.on('/api/gmail/v1/users/me/profile', (response) =>
      waiting.resolve(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"emailAddress":"a@example.com"}')),
    );
    const outcome = rejectedWith(scene.call(user, 'test.reply', message), 'provider_timeout');
    const answer = await waiting.promise;
    await scene.steward.clock.advance(60_000);
    await outcome;
    answer();
    await scene.call(user, 'test.send', message);
    expect(scene.sent).toBe(1);
  });
});

describe('a caller that aborts', () => {
  it('ends a read', async () => {
    const { signal, abort } = abortable();
    scene.work = async () => {
      abort();
      return new Promise(() => {});
    };
    await rejectedWith(scene.call(user, 'test.run', {}, { signal }), 'aborted');
  });

  it('prevents a change that has not begun', async () => {
    scene.sending(200);
    const { signal, abort } = abortable();
    abort();
    await rejectedWith(scene.call(user, 'test.send', message, { signal }), 'aborted');
    expect(scene.sent).toBe(0);
    expect(await scene.trail(user)).toEqual(['refused aborted']);
  });

  it('does not end a change that has begun', async () => {
    const { signal, abort } = abortable();
    scene.provider.on('/api/gmail/v1/users/me/messages/send', (response) => {
      abort();
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"m2"}');
    });
    expect((await scene.call(user, 'test.send', message, { signal })).data).toEqual({ id: 'm2' });
    expect(await scene.trail(user)).toEqual(['started ok', 'allowed ok']);
  });
});

describe('what a run learns about the account', () => {
  it.each([
    ['reauth_required', { status: 'reauth_required' }],
    ['relink_required', { status: 'relink_required' }],
    ['item_gone', { status: 'item_gone' }],
    ['missing_scopes', { scopes: [] }],
  ] as const)(
    'is reported like what is known before: %s',
    async (code, { status, scopes }: { status?: string; scopes?: readonly string[] }) => {
      scene.work = async () => {
        throw new AppError(code, 'In other words.', { cause: new Error('as the provider says') });
      };
      const found = await rejectedWith(scene.call(user, 'test.run'), code);
      await scene.steward.sql('update grants set status = coalesce($2, status), scopes = coalesce($3::text[], scopes) where id = $1', [
        user.grantId,
        status ?? null,
        scopes ?? null,
      ]);
      const { message, details } = await rejectedWith(scene.call(user, 'test.run'), code);
      expect([found.message, found.details]).toEqual([message, details]);
      expect(details).toMatchObject({ account: user.accountId });
    },
  );

  it('includes the consent that the provider misses', async () => {
    scene.reading(403, { error: { errors: [{ reason: 'insufficientPermissions' }] } });
    const { details } = await rejectedWith(scene.call(user, 'test.read'), 'missing_scopes');
    const provider = { reason: 'insufficientPermissions' };
    expect(details).toEqual({ account: user.accountId, missingScopes: ['mail.modify'], provider });
  });
});

describe('a failing provider', () => {
  it.each([500, 503])('that responds to a read with %i can be retried later', async (status) => {
    scene.reading(status, {});
    const { retryAfter } = await rejectedWith(scene.call(user, 'test.read'), 'provider_error');
    expect(retryAfter).toBe(30);
  });

  it.each([
    [400, 'invalid_request'],
    [404, 'not_found'],
    [429, 'rate_limited'],
    [500, 'outcome_unknown'],
    [503, 'outcome_unknown'],
    [408, 'outcome_unknown'],
  ] as const)('that responds to a change with %i → %s, after one request', async (status, code) => {
    scene.sending(status, {});
    await rejectedWith(scene.call(user, 'test.send', message), code);
    expect(scene.sent).toBe(1);
  });

  it('that responds to a change with 200 and a page leaves it outcome_unknown', async () => {
    scene.sending(200, '<!doctype html><p>Maintenance</p>');
    await rejectedWith(scene.call(user, 'test.send', message), 'outcome_unknown');
    expect(scene.sent).toBe(1);
  });

  it('that responds to a read with 200 and a page is a provider_error', async () => {
    scene.reading(200, '<!doctype html><p>Maintenance</p>');
    await rejectedWith(scene.call(user, 'test.read'), 'provider_error');
  });

  it('that responds to a read with a page is a provider_error also if the action accepts any result', async () => {
    scene.reading(200, '<!doctype html><p>Maintenance</p>');
    scene.work = (_input, { session }) => session.call('gmail.users.getProfile', { userId: 'me' }, z.unknown());
    await rejectedWith(scene.call(user, 'test.run'), 'provider_error');
  });

  it('that can’t be reached has received nothing', async () => {
    const elsewhere = await ExecutorScene.start({ GOOGLE_API_URL: `http://127.0.0.1:${await freePort()}` });
    try {
      const connected = await elsewhere.connect();
      await rejectedWith(elsewhere.call(connected, 'test.send', message, { idempotencyKey: 'k1' }), 'provider_error');
      expect(await elsewhere.steward.sql('select key from idempotency_keys')).toEqual([]);
    } finally {
      await elsewhere.stop();
    }
  });

  it('that fails before the change was sent leaves no unknown outcome', async () => {
    scene.sending(200);
    scene.reading(404, {});
    await rejectedWith(scene.call(user, 'test.reply', message), 'not_found');
    expect(scene.sent).toBe(0);
  });
});

describe('an action that fails', () => {
  it('with an unexpected error discloses it neither to the caller nor in the log', async () => {
    scene.work = async () => JSON.parse('{"canary-9f2c');
    const error = await rejectedWith(scene.call(user, 'test.run'), 'internal');
    expect(JSON.stringify({ ...error, message: error.message, cause: String(error.cause) })).not.toContain('canary-9f2c');
    expect(scene.steward.logs.join('')).toContain('a call failed');
    expect(scene.steward.logs.join('')).not.toContain('canary-9f2c');
  });
});

describe('an output', () => {
  it('over its limit is truncated, the longest lists and texts first, and marked', async () => {
    scene.capBytes = 2_000;
    scene.returned = { subject: 'Short', text: 'x'.repeat(5_000), items: Array.from({ length: 2_000 }, (_, id) => ({ id })) };
    const { data, meta } = await scene.call(user, 'test.return');
    expect(meta.truncated).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(2_000);
    const { subject, text, items } = data as { subject: string; text: string; items: { id: number }[] };
    expect(subject).toBe('Short');
    expect(text).toMatch(/^x{500,}…$/);
    expect(items.slice(0, 2)).toEqual([{ id: 0 }, { id: 1 }]);
  });

  it.each([
    ['a text of 50 MB', () => 'é'.repeat(25 * 1024 * 1024)],
    ['rows of 50 MB', () => Array.from({ length: 500_000 }, (_, id) => ({ id, text: 'x'.repeat(85) }))],
    ['200 texts of 256 kB', () => ({ messages: Array.from({ length: 200 }, () => ({ text: 'x'.repeat(256 * 1024) })) })],
  ])('is truncated if it is huge: %s', async (_what, make) => {
    scene.returned = make();
    const { data, meta } = await scene.call(user, 'test.return');
    expect(meta.truncated).toBe(true);
    const size = Buffer.byteLength(JSON.stringify(data));
    expect(size).toBeLessThanOrEqual(256 * 1024);
    expect(size).toBeGreaterThan(200 * 1024);
  });

  it('without a value is null', async () => {
    scene.returned = undefined;
    expect((await scene.call(user, 'test.return')).data).toBeNull();
  });

  it('of exactly its limit is complete', async () => {
    scene.capBytes = 2_000;
    scene.returned = { text: 'x'.repeat(2_000 - '{"text":""}'.length) };
    expect(await scene.call(user, 'test.return')).toMatchObject({
      data: scene.returned,
      meta: expect.not.objectContaining({ truncated: true }),
    });
  });
});

describe('progress', () => {
  it('is sent to the caller, but not after the call has ended', async () => {
    const messages: string[] = [];
    let late = () => {};
    scene.work = async (_input, { progress }) => {
      progress('half');
      late = () => progress('late');
      return {};
    };
    const { signal } = new AbortController();
    const progress = (text: string) => void messages.push(text);
    await scene.steward.context.executor.invoke({ user, surface: 'socket', action: 'test.run', input: {}, signal, progress });
    late();
    expect(messages).toEqual(['half']);
  });
});

describe('stopping the service', () => {
  it('waits for a change that has begun, and records its outcome', async () => {
    const held = Promise.withResolvers<() => void>();
    scene.provider.on('/api/gmail/v1/users/me/messages/send', (response) =>
      held.resolve(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"m3"}')),
    );
    const call = scene.call(user, 'test.send', message, { idempotencyKey: 'k1' });
    const finish = await held.promise;
    const restarting = scene.steward.restart();
    await refusedConnection(scene.steward.url);
    finish();
    scene.steward = await restarting;
    expect((await call).data).toEqual({ id: 'm3' });
    expect(await scene.trail(user)).toEqual(['started ok', 'allowed ok']);
    expect((await scene.call(user, 'test.send', message, { idempotencyKey: 'k1' })).data).toEqual({ id: 'm3' });
  });
});

/** Waits until no server listens there. */
function refusedConnection(url: string): Promise<true> {
  return eventually(() =>
    fetch(url).then(
      () => false,
      () => true,
    ),
  ) as Promise<true>;
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
