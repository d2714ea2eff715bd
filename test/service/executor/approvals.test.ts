import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { newName } from '../../support/scenes/flows.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

let scene: ExecutorScene;
let user: ConnectedGrant;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});

afterAll(() => scene.stop());

beforeEach(async () => {
  scene.reset();
  scene.policies.set('test.send', { approval: 'always' });
  scene.sending(200);
  user = await scene.connect();
});

const message = { to: ['a@example.com', 'b@example.com'] };

const events = async () =>
  (
    await scene.steward.sql<{ event: string; data: object }>('select event, data from events where user_id = $1 order by seq', [
      user.userId,
    ])
  ).filter(({ event }) => event.startsWith('approval.'));

describe('an action that needs approval', () => {
  it('does not run, and the error shows exactly what would happen', async () => {
    const details = await scene.ask(user, 'test.send', message);
    expect(details).toEqual({
      approvalId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      action: 'test.send',
      account: user.email,
      accountId: user.accountId,
      summary: 'Send to a@example.com, b@example.com',
      audience: [],
      notices: [],
      provenance: [],
      matches: [],
      display: {
        title: 'Send to a@example.com, b@example.com',
        viewers: [],
        more: 0,
        caution: false,
        risk: null,
        fields: [
          { kind: 'list', name: 'to', label: 'To', items: [{ text: 'a@example.com' }, { text: 'b@example.com' }] },
          { kind: 'text', name: 'text', label: 'Text', text: 'Hello.' },
        ],
        evidence: { matches: [], notices: [], provenance: [] },
      },
      input: { ...message, text: 'Hello.' },
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
      url: `${scene.steward.url}/approvals/${details.approvalId}`,
    });
    expect(scene.sent).toBe(0);
    const left = new Date(details.expiresAt).getTime() - scene.steward.clock.now();
    expect(left).toBeGreaterThan(500_000);
    expect(left).toBeLessThanOrEqual(600_000 + 5_000);
  });

  it('is one with the policy always, or a destructive one with the policy destructive', async () => {
    for (const [action, approval, asks] of [
      ['test.send', 'destructive', false],
      ['test.remove', 'destructive', true],
      ['test.remove', 'never', false],
      ['test.read', 'destructive', false],
      ['test.read', 'always', true],
    ] as const) {
      scene.policies.set(action, { approval });
      scene.revision = `${action} ${approval}`;
      const input = action === 'test.read' ? {} : message;
      if (asks) await scene.ask(user, action, input);
      else await scene.call(user, action, input);
    }
  });

  it('is one that affects other people, unless the policy is never', async () => {
    scene.policies.set('test.notify', { approval: 'destructive' });
    await scene.ask(user, 'test.notify', message);
    await scene.call(user, 'test.notify', { to: [] });
    scene.policies.set('test.notify', { approval: 'never' });
    scene.revision = 'r2';
    await scene.call(user, 'test.notify', message);
  });

  it('contains names from the provider, or ids if reading them fails', async () => {
    scene.policies.set('test.notify', { approval: 'destructive' });
    const named = await scene.ask(user, 'test.notify', message);
    expect(named.summary).toBe('Tell a@example.com, b@example.com from someone@example.com');
    scene.reading(404, {});
    expect(await scene.ask(user, 'test.notify', message)).toEqual(named);
    const bare = await scene.ask(user, 'test.notify', { to: ['c@example.com'] });
    expect(bare.summary).toBe('Send to c@example.com');
    expect(await scene.steward.context.executor.approvals(user.userId)).toEqual([named, bare]);
  });

  it('is limited by the action’s rate', async () => {
    scene.policies.set('test.send', { approval: 'always', rate: { calls: 2, perMs: 3_600_000 } });
    const first = await scene.ask(user, 'test.send', message);
    const { approvalId } = await scene.ask(user, 'test.send', { to: ['c@example.com'] });
    await scene.decide(user, approvalId, { approved: false });
    const { retryAfter } = await rejectedWith(scene.call(user, 'test.send', { to: ['d@example.com'] }), 'rate_limited');
    expect(retryAfter).toBeGreaterThan(3_500);
    expect(await scene.ask(user, 'test.send', message)).toEqual(first);
    await scene.steward.sql(`update approvals set created_at = created_at - interval '1 hour' where id = $1`, [approvalId]);
    await scene.ask(user, 'test.send', { to: ['d@example.com'] });
  });

  it('is requested once while the same call is pending', async () => {
    const first = await scene.ask(user, 'test.send', message);
    expect(await scene.ask(user, 'test.send', message)).toEqual(first);
    expect((await scene.ask(user, 'test.send', { to: ['c@example.com'] })).approvalId).not.toBe(first.approvalId);
  });

  it('is rejected beyond 50 pending ones', async () => {
    for (let index = 0; index < 50; index++) await scene.ask(user, 'test.send', { to: [`${index}@example.com`] });
    await rejectedWith(scene.call(user, 'test.send', message), 'rate_limited');
    const [first] = await scene.steward.context.executor.approvals(user.userId);
    await scene.decide(user, first!.approvalId, { approved: false });
    await scene.ask(user, 'test.send', message);
  });

  it('notifies the user’s front ends, with ids only', async () => {
    const { approvalId, expiresAt } = await scene.ask(user, 'test.send', message);
    await scene.decide(user, approvalId);
    const of = { approvalId, action: 'test.send', account: user.accountId };
    expect(await events()).toEqual([
      { event: 'approval.requested', data: { ...of, expiresAt } },
      { event: 'approval.decided', data: { ...of, approved: true, edited: false } },
    ]);
  });

  it('keeps its arguments encrypted, and only until the decision', async () => {
    const { approvalId } = await scene.ask(user, 'test.send', { to: ['canary-4d1e@example.com'] });
    const row = async () =>
      (await scene.steward.sql<{ arguments: Buffer | null }>('select * from approvals where id = $1', [approvalId]))[0]!;
    expect((await row()).arguments).not.toBeNull();
    expect(JSON.stringify(await row()) + (await row()).arguments!.toString('latin1')).not.toContain('canary-4d1e');
    await scene.decide(user, approvalId);
    expect((await row()).arguments).toBeNull();
  });
});

describe('approve', () => {
  it('runs the stored arguments and returns the result', async () => {
    const { approvalId } = await scene.ask(user, 'test.send', message);
    const { data, meta } = await scene.decide(user, approvalId);
    expect(data).toEqual({ id: 'm1' });
    expect(meta).toMatchObject({ account: user.email, accountId: user.accountId });
    expect(scene.sent).toBe(1);
  });

  it('runs a read too', async () => {
    scene.policies.set('test.read', { approval: 'always' });
    const { approvalId } = await scene.ask(user, 'test.read', {});
    expect((await scene.decide(user, approvalId)).data).toEqual({ emailAddress: 'someone@example.com' });
    await rejectedWith(scene.decide(user, approvalId), 'conflict');
  });

  it('with approved: false runs nothing, permanently', async () => {
    const { approvalId } = await scene.ask(user, 'test.send', message);
    expect(await scene.decide(user, approvalId, { approved: false })).toMatchObject({
      data: { approved: false },
      meta: { account: user.email },
    });
    await rejectedWith(scene.decide(user, approvalId), 'conflict');
    expect(scene.sent).toBe(0);
    expect(await scene.trail(user)).toEqual(['approval_required approval_required', 'denied ok', 'refused conflict']);
  });

  it('works once', async () => {
    const { approvalId } = await scene.ask(user, 'test.send', message);
    await scene.decide(user, approvalId);
    await rejectedWith(scene.decide(user, approvalId), 'conflict');
    await rejectedWith(scene.decide(user, approvalId, { approved: false }), 'conflict');
    expect(scene.sent).toBe(1);
  });

  it('twenty concurrent approvals run once', async () => {
    const { approvalId } = await scene.ask(user, 'test.send', message);
    const responses = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => scene.decide(user, approvalId, { approved: index % 4 !== 3 })),
    );
    expect(responses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const errors = responses.flatMap((response) => (response.status === 'rejected' ? [response.reason.code] : []));
    expect(errors).toEqual(Array(19).fill('conflict'));
    expect(scene.sent).toBeLessThanOrEqual(1);
    expect((await scene.trail(user)).filter((row) => row === 'started ok')).toHaveLength(scene.sent);
  });

  it('does not find another user’s approval or an unknown one', async () => {
    const { approvalId } = await scene.ask(user, 'test.send', message);
    const stranger = await scene.connect();
    for (const id of [approvalId, crypto.randomUUID(), 'ap_7', '', "' or true --"])
      await rejectedWith(scene.decide(stranger, id), 'not_found');
    expect(await scene.steward.context.executor.approvals(stranger.userId)).toEqual([]);
    expect(scene.sent).toBe(0);
  });

  it('is too late after ten minutes', async () => {
    const { approvalId } = await scene.ask(user, 'test.send', message);
    await scene.steward.sql(`update approvals set expires_at = now() - interval '1 second' where id = $1`, [approvalId]);
    await rejectedWith(scene.decide(user, approvalId), 'conflict');
    await rejectedWith(scene.decide(user, approvalId, { approved: false }), 'conflict');
    expect(await scene.steward.context.executor.approvals(user.userId)).toEqual([]);
    expect((await scene.ask(user, 'test.send', message)).approvalId).not.toBe(approvalId);
    expect(scene.sent).toBe(0);
  });

  it.each([
    ['arguments', 'update approvals set arguments = o.arguments from approvals o where approvals.id = $1 and o.id = $2'],
    ['hash', 'update approvals set arguments_hash = o.arguments_hash from approvals o where approvals.id = $1 and o.id = $2'],
    [
      'account',
      `update approvals set account_id = (select id from workspace_accounts where not is_default and user_id = approvals.user_id) where id = $1 and $2::uuid is not null`,
    ],
    ['action', `update approvals set action = 'test.remove' where id = $1 and $2::uuid is not null`],
    ['revision', `update approvals set revision = 'r2' where id = $1 and $2::uuid is not null`],
  ])('does not run when the stored %s changed', async (what, tamper) => {
    await scene.connect({ token: user.token });
    const { approvalId } = await scene.ask(user, 'test.send', message);
    const other = await scene.ask(user, 'test.send', { to: ['c@example.com'] });
    await scene.steward.sql(tamper, [approvalId, other.approvalId]);
    if (what === 'revision') scene.revision = 'r2';
    await rejectedWith(scene.decide(user, approvalId), 'conflict');
    expect(scene.sent).toBe(0);
  });

  it('does not run after the configuration changed', async () => {
    const { approvalId } = await scene.ask(user, 'test.send', message);
    scene.revision = 'r2';
    await rejectedWith(scene.decide(user, approvalId), 'conflict');
    expect(await scene.steward.context.executor.approvals(user.userId)).toEqual([]);
    const again = await scene.ask(user, 'test.send', message);
    expect(again.approvalId).not.toBe(approvalId);
    expect(await scene.steward.context.executor.approvals(user.userId)).toEqual([again]);
    expect(scene.sent).toBe(0);
  });

  it('rejects a call whose defaults have changed, and requests approval with the new ones', async () => {
    const old = await scene.ask(user, 'test.send', message);
    scene.defaultText = 'Goodbye.';
    await rejectedWith(scene.decide(user, old.approvalId), 'conflict');
    expect(scene.sent).toBe(0);
    const anew = await scene.ask(user, 'test.send', message);
    expect(anew.approvalId).not.toBe(old.approvalId);
    expect(anew.input).toEqual({ ...message, text: 'Goodbye.' });
    await scene.decide(user, anew.approvalId);
    expect(scene.sent).toBe(1);
  });

  it('reports a changed configuration even if the action no longer exists', async () => {
    const { approvalId } = await scene.ask(user, 'test.send', message);
    await scene.steward.sql(`update approvals set action = 'test.gone' where id = $1`, [approvalId]);
    scene.revision = 'r2';
    expect((await rejectedWith(scene.decide(user, approvalId), 'conflict')).message).toContain('configuration has changed');
    expect(await scene.decide(user, approvalId, { approved: false })).toMatchObject({ data: { approved: false } });
  });

  it.each([
    ['switched off', 'forbidden', () => scene.policies.set('test.send', { enabled: false }), () => scene.policies.set('test.send', {})],
    [
      'out of its allow-list',
      'forbidden',
      () => scene.policies.set('test.send', { allow: { to: [] } }),
      () => scene.policies.set('test.send', {}),
    ],
    [
      'over its rate',
      'rate_limited',
      () => scene.policies.set('test.send', { rate: { calls: 0, perMs: 60_000 } }),
      () => scene.policies.set('test.send', {}),
    ],
    [
      'without its account',
      'reauth_required',
      () => scene.steward.sql(`update grants set status = 'reauth_required' where id = $1`, [user.grantId]),
      () => scene.steward.sql(`update grants set status = 'active' where id = $1`, [user.grantId]),
    ],
    [
      'without its scope',
      'missing_scopes',
      () => scene.steward.sql(`update grants set scopes = '{}' where id = $1`, [user.grantId]),
      () => scene.steward.sql(`update grants set scopes = '{https://www.googleapis.com/auth/gmail.modify}' where id = $1`, [user.grantId]),
    ],
  ] as const)('checks again: an action %s does not run until that is corrected', async (_what, code, breakIt, mendIt) => {
    const { approvalId } = await scene.ask(user, 'test.send', message);
    await breakIt();
    await rejectedWith(scene.decide(user, approvalId), code);
    expect(scene.sent).toBe(0);
    await mendIt();
    expect((await scene.decide(user, approvalId)).data).toEqual({ id: 'm1' });
  });

  it('does not run for an account that was disconnected, or reconnected as another', async () => {
    const { approvalId } = await scene.ask(user, 'test.send', message);
    await scene.steward.sql('delete from grants where id = $1', [user.grantId]);
    await scene.connect({ token: user.token, email: `${newName()}@example.com` });
    await rejectedWith(scene.decide(user, approvalId), 'invalid_request');
    expect(scene.sent).toBe(0);
  });

  it('is used up by a run with an unknown outcome', async () => {
    const { approvalId } = await scene.ask(user, 'test.send', message);
    scene.sending(500, {});
    await rejectedWith(scene.decide(user, approvalId), 'outcome_unknown');
    await rejectedWith(scene.decide(user, approvalId), 'conflict');
    expect(scene.sent).toBe(1);
  });
});

describe('a denial', () => {
  const deny = async (input: object, options = {}) => {
    const { approvalId } = await scene.ask(user, 'test.send', input, options);
    await scene.decide(user, approvalId, { approved: false });
    return approvalId;
  };

  it('applies to the same call for an hour, whatever its key and formatting: without a request or an event', async () => {
    const approvalId = await deny(message);
    const before = await events();
    const again = [
      scene.call(user, 'test.send', message),
      scene.call(user, 'test.send', message, { idempotencyKey: 'k1' }),
      scene.call(user, 'test.send', { text: 'Hello.', ...message }),
      ...Array.from({ length: 10 }, () => scene.call(user, 'test.send', message)),
    ];
    for (const { message: told, details, retryAfter } of await Promise.all(again.map((call) => rejectedWith(call, 'forbidden')))) {
      expect(told).toMatch(/^This was denied/);
      const left = new Date(String(details?.deniedUntil)).getTime() - scene.steward.clock.now();
      expect(left).toBeGreaterThan(3_500_000);
      expect(left).toBeLessThanOrEqual(3_600_000 + 5_000);
      // Not an error that a client retries by itself.
      expect(retryAfter).toBeUndefined();
    }
    expect(await events()).toEqual(before);
    expect(await scene.steward.sql('select id from approvals where user_id = $1', [user.userId])).toEqual([{ id: approvalId }]);
    expect((await scene.trail(user)).slice(2)).toEqual(Array(13).fill('refused forbidden'));
  });

  it('holds under another configuration too', async () => {
    await deny(message);
    scene.revision = 'r2';
    await rejectedWith(scene.call(user, 'test.send', message), 'forbidden');
  });

  it('does not apply to other arguments, accounts or users, and ends after an hour', async () => {
    const approvalId = await deny(message);
    await scene.ask(user, 'test.send', { to: ['c@example.com'] });
    const second = await scene.connect({ token: user.token, email: `${newName()}@example.com` });
    await scene.ask(user, 'test.send', message, { account: second.accountId });
    await scene.ask(await scene.connect(), 'test.send', message);
    await scene.steward.sql(`update approvals set decided_at = decided_at - interval '1 hour' where id = $1`, [approvalId]);
    await scene.ask(user, 'test.send', message);
  });
});

describe('approvals', () => {
  it('lists pending ones, oldest first, as they were shown', async () => {
    const first = await scene.ask(user, 'test.send', message);
    const second = await scene.ask(user, 'test.send', { to: ['c@example.com'], text: 'Later.' });
    const third = await scene.ask(user, 'test.send', { to: ['d@example.com'] });
    await scene.decide(user, third.approvalId, { approved: false });
    expect(await scene.steward.context.executor.approvals(user.userId)).toEqual([first, second]);
  });
});

describe('an unreadable request', () => {
  it('does not hide others', async () => {
    const first = await scene.ask(user, 'test.send', message);
    const second = await scene.ask(user, 'test.send', { to: ['c@example.com'] });
    await scene.steward.sql(`update approvals set arguments = '\\x00' where id = $1`, [first.approvalId]);
    expect(await scene.steward.context.executor.approvals(user.userId)).toEqual([second]);
    await rejectedWith(scene.decide(user, first.approvalId), 'conflict');
  });
});

describe('an idempotency key with an approval', () => {
  const key = { idempotencyKey: 'k1' };

  it('is shared with its run: a repeated call returns the run’s result', async () => {
    const { approvalId } = await scene.ask(user, 'test.send', message, key);
    expect((await scene.ask(user, 'test.send', message, key)).approvalId).toBe(approvalId);
    const response = await scene.decide(user, approvalId);
    expect(await scene.call(user, 'test.send', message, key)).toEqual(response);
    expect(scene.sent).toBe(1);
  });

  it('remembers a denial', async () => {
    const { approvalId } = await scene.ask(user, 'test.send', message, key);
    await scene.decide(user, approvalId, { approved: false });
    await rejectedWith(scene.call(user, 'test.send', message, key), 'forbidden');
    await rejectedWith(scene.call(user, 'test.send', { to: ['c@example.com'] }, key), 'forbidden');
  });

  it('is rejected with other arguments', async () => {
    await scene.ask(user, 'test.send', message, key);
    await rejectedWith(scene.call(user, 'test.send', { to: ['c@example.com'] }, key), 'conflict');
  });
});
