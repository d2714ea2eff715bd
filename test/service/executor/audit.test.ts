import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UNRESTRICTED } from '../../support/inputs/unrestricted-policy.ts';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { sweepToEnd } from '../../support/scenes/flows.ts';
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

describe('the audit log', () => {
  it('records user, action, surface, account and outcome', async () => {
    await scene.call(user, 'test.send', message);
    const [started, allowed] = await scene.audit(user);
    const common = { user_id: user.userId, surface: 'socket', action: 'test.send', account_id: user.accountId, outcome: 'ok' };
    expect(started).toMatchObject({ ...common, decision: 'started' });
    expect(allowed).toMatchObject({ ...common, decision: 'allowed', call_id: started!.call_id, arguments_hash: started!.arguments_hash });
  });

  it('has a row for each kind of rejection', async () => {
    await rejectedWith(scene.call(user, 'test.nothing'), 'not_found');
    await rejectedWith(scene.call(user, 'test.send', {}), 'invalid_request');
    await rejectedWith(scene.call(user, 'test.send', message, { account: 'nobody@example.com' }), 'invalid_request');
    scene.policies.set('test.send', { enabled: false });
    await rejectedWith(scene.call(user, 'test.send', message), 'forbidden');
    scene.policies.set('test.send', { allow: { to: [] } });
    await rejectedWith(scene.call(user, 'test.send', message), 'forbidden');
    scene.policies.set('test.send', { rate: { calls: 0, perMs: 1_000 } });
    await rejectedWith(scene.call(user, 'test.send', message), 'rate_limited');
    expect(await scene.trail(user)).toEqual([
      'refused not_found',
      'refused invalid_request',
      'refused invalid_request',
      'refused forbidden',
      'refused forbidden',
      'refused rate_limited',
    ]);
  });

  it('distinguishes a call that failed from one that was rejected', async () => {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    scene.provider.on('/api/gmail/v1/users/me/profile', () => asked());
    const read = rejectedWith(scene.call(user, 'test.read'), 'provider_timeout');
    await isAsked;
    await scene.steward.clock.advance(UNRESTRICTED.timeoutMs);
    await read;
    scene.sending(500, {});
    await rejectedWith(scene.call(user, 'test.send', message), 'outcome_unknown');
    expect(await scene.trail(user)).toEqual(['allowed provider_timeout', 'started ok', 'allowed outcome_unknown']);
  });

  it('links request, decision and run', async () => {
    scene.policies.set('test.send', { approval: 'always' });
    const { approvalId } = await scene.ask(user, 'test.send', message);
    await scene.decide(user, approvalId);
    const rows = await scene.audit(user);
    expect(rows.map(({ decision }) => decision)).toEqual(['approval_required', 'approved', 'started', 'allowed']);
    expect(new Set(rows.map(({ call_id }) => call_id))).toEqual(new Set([approvalId]));
    expect(new Set(rows.map(({ arguments_hash }) => arguments_hash.toString('hex'))).size).toBe(1);
  });

  it('names the surface of the call and of the user’s decision', async () => {
    scene.policies.set('test.send', { approval: 'always' });
    const [yes, no] = [await scene.ask(user, 'test.send', message), await scene.ask(user, 'test.send', { to: ['b@example.com'] })];
    await scene.decide(user, yes.approvalId, { surface: 'page' });
    await scene.decide(user, no.approvalId, { surface: 'page', approved: false });
    await rejectedWith(scene.decide(user, no.approvalId, { surface: 'elsewhere' }), 'conflict');
    const rows = await scene.audit(user);
    expect(rows.map(({ decision, surface, decided_surface }) => [decision, surface, decided_surface])).toEqual([
      ['approval_required', 'socket', null],
      ['approval_required', 'socket', null],
      ['approved', 'socket', 'page'],
      ['started', 'socket', 'page'],
      ['allowed', 'socket', 'page'],
      ['denied', 'socket', 'page'],
      // There was no approval request to decide.
      ['refused', 'elsewhere', null],
    ]);
  });

  it('truncates the name of an unknown action', async () => {
    await rejectedWith(scene.call(user, `x\u0001${'y'.repeat(10_000)}`), 'not_found');
    expect(await scene.audit(user)).toMatchObject([{ action: `x?${'y'.repeat(98)}`, account_id: null, arguments_hash: null }]);
  });

  it('names arguments by a hash that differs from user to user', async () => {
    const other = await scene.connect();
    for (const input of [message, { text: 'Hello.', to: message.to }, message]) await scene.call(user, 'test.send', input);
    await scene.call(other, 'test.send', message);
    const hashes = async (whose: ConnectedGrant) =>
      (await scene.audit(whose))
        .filter(({ decision }) => decision === 'allowed')
        .map(({ arguments_hash }) => arguments_hash.toString('hex'));
    const [first, second, third] = await hashes(user);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(third).toBe(first);
    expect(second).not.toBe(first);
    expect(await hashes(other)).not.toContain(first);
  });

  it('contains no arguments, results or errors', async () => {
    const canary = 'canary-c0de';
    scene.reading(200, { emailAddress: canary });
    await scene.call(user, 'test.read', { q: canary });
    await scene.call(user, 'test.send', { to: [canary], text: canary });
    await rejectedWith(scene.call(user, 'test.send', { to: canary, [canary]: 1 }), 'invalid_request');
    await rejectedWith(scene.call(user, 'test.send', message, { account: canary }), 'invalid_request');
    scene.policies.set('test.send', { allow: { to: ['x'] } });
    await rejectedWith(scene.call(user, 'test.send', { to: [canary] }), 'forbidden');
    scene.policies.set('test.send', { approval: 'always' });
    await scene.ask(user, 'test.send', { to: [canary] });
    scene.work = () => Promise.reject(new Error(canary));
    await rejectedWith(scene.call(user, 'test.run', { canary }), 'internal');
    const tables = await scene.steward.sql<{ name: string }>(
      `select table_schema || '.' || table_name as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema in ('public', 'pgboss')`,
    );
    for (const { name } of tables) {
      const rows = await scene.steward.sql<{ row: string }>(`select row_to_json(t)::text as row from ${name} t`);
      for (const { row } of rows) {
        expect(row, name).not.toContain(canary);
        expect(row, name).not.toContain(Buffer.from(canary).toString('hex'));
      }
    }
    expect(scene.steward.logs.join('')).not.toContain(canary);
  });

  it('has a row for each of many concurrent calls', async () => {
    await Promise.all(Array.from({ length: 300 }, () => scene.call(user, 'test.return')));
    expect(await scene.trail(user)).toEqual(Array(300).fill('allowed ok'));
  });

  it('loses no other rows when one call’s user is deleted meanwhile', async () => {
    const leaving = await scene.connect();
    const [begun, deleted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    scene.work = async () => {
      begun.resolve();
      await deleted.promise;
      return {};
    };
    const call = scene.call(leaving, 'test.run');
    const others = Array.from({ length: 5 }, () => scene.call(user, 'test.run'));
    await begun.promise;
    await scene.steward.sql('delete from users where id = $1', [leaving.userId]);
    deleted.resolve();
    await rejectedWith(call, 'invalid_token');
    await Promise.all(others);
    expect(await scene.trail(user)).toEqual(Array(5).fill('allowed ok'));
  });

  it('is deleted with its user', async () => {
    await scene.call(user, 'test.return');
    await scene.steward.sql('delete from users where id = $1', [user.userId]);
    expect(await scene.audit(user)).toEqual([]);
  });
});

describe('the sweep', () => {
  it('deletes audit rows after 400 days, keys after one and approvals a day after they expired', async () => {
    const { sql } = scene.steward;
    await scene.call(user, 'test.send', message, { idempotencyKey: 'old' });
    await scene.call(user, 'test.send', message, { idempotencyKey: 'new' });
    scene.policies.set('test.send', { approval: 'always' });
    const [old, recent] = [await scene.ask(user, 'test.send', { to: ['x'] }), await scene.ask(user, 'test.send', { to: ['y'] })];
    const before = (await scene.audit(user)).length;
    await sql(`update audit_log set at = now() - interval '401 days' where user_id = $1 and decision = 'started'`, [user.userId]);
    await sql(`update idempotency_keys set created_at = now() - interval '25 hours' where user_id = $1 and key = 'old'`, [user.userId]);
    await sql(`update approvals set expires_at = now() - interval '25 hours' where id = $1`, [old.approvalId]);
    await sql(`update approvals set expires_at = now() - interval '23 hours' where id = $1`, [recent.approvalId]);
    await sweepToEnd(scene.steward);
    expect(await scene.audit(user)).toHaveLength(before - 2);
    expect(await sql('select key from idempotency_keys where user_id = $1', [user.userId])).toEqual([{ key: 'new' }]);
    expect(await sql('select id from approvals where user_id = $1', [user.userId])).toEqual([{ id: recent.approvalId }]);
  });
});
