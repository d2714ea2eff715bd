import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteExpiredRows } from '../../../src/database/retention.ts';
import { deleteOldOutcomes } from '../../../src/executor/approvals/approval-outcomes-repository.ts';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { type GivenGrant, grantedThread } from '../../support/users/granted-thread.ts';
import { newThread } from '../../support/users/new-thread.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const ACTION = 'test.notify';
const TO_ANA = { to: ['ana@example.com'] };
const HOUR_MS = 3_600_000;

let scene: ExecutorScene;
let user: ConnectedGrant;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  scene.policies.set(ACTION, { approval: 'destructive', rate: { calls: 1_000, perMs: 60_000 } });
  scene.sending(200);
  user = await scene.connect();
});

const granted = (grant: GivenGrant = {}) => grantedThread(scene.steward, user.userId, { actions: ['test.*'], ...grant });
const ask = async (thread: string, input: object = TO_ANA) => (await scene.ask(user, ACTION, input, { thread })).approvalId as string;
const waiting = async () => (await scene.steward.context.executor.approvals(user.userId)).map(({ approvalId }) => approvalId);
const outcome = (thread: string, id: string) => scene.steward.context.executor.outcome({ userId: user.userId, thread }, id);
const statusOf = async (id: string) =>
  (await scene.steward.sql<{ status: string }>('select status from approvals where id = $1', [id]))[0]?.status;
const json = (method: string, body: object) => ({ method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
/** The time passes in the database. */
const age = (id: string, hours: number) =>
  scene.steward.sql(
    `update approvals set created_at = created_at - $2 * interval '1 hour', expires_at = expires_at - $2 * interval '1 hour',
       decided_at = decided_at - $2 * interval '1 hour', outcome_until = outcome_until - $2 * interval '1 hour' where id = $1`,
    [id, hours],
  );
const sweep = async () => {
  await scene.steward.context.approvalExpiry.endExpired();
  await deleteOldOutcomes(scene.steward.context.db);
  await deleteExpiredRows(scene.steward.context.db, 'approvals');
};

describe('what a run of an automation asks', () => {
  it('can be decided for 72 hours, and runs then; other questions for ten minutes', async () => {
    const [run, chat] = [await granted(), await newThread(scene.steward, user.userId)];
    const [parked, ordinary] = [await ask(run), await ask(chat)];
    await age(parked, 71);
    await age(ordinary, 1);
    await sweep();
    expect(await waiting()).toEqual([parked]);
    // Asked again, it is the same question.
    expect(await ask(run)).toBe(parked);
    expect((await scene.decide(user, parked)).data).toEqual({ id: 'm1' });
    expect(await outcome(run, parked)).toMatchObject({ status: 'done' });
    await rejectedWith(scene.decide(user, ordinary), 'conflict');
    expect(scene.sent).toBe(1);
  });

  it('expires after 72 hours, with one event that names the conversation, and its row is deleted a day later', async () => {
    const run = await granted();
    const id = await ask(run);
    await age(id, 73);
    await sweep();
    await sweep();
    expect(await waiting()).toEqual([]);
    expect(await outcome(run, id)).toEqual({ status: 'expired' });
    await rejectedWith(scene.decide(user, id), 'conflict');
    const events = await scene.steward.sql(
      `select event, data ->> 'thread' as thread from events where user_id = $1 and event like 'approval.%' and event <> 'approval.requested'`,
      [user.userId],
    );
    expect(events).toEqual([{ event: 'approval.expired', thread: run }]);
    await age(id, 24);
    await sweep();
    expect(await statusOf(id)).toBeUndefined();
  });

  it('expires by the service’s clock, which development moves', async () => {
    const id = await ask(await granted());
    scene.steward.clock.setBy(73 * HOUR_MS);
    try {
      await rejectedWith(scene.decide(user, id), 'conflict');
      const later = await ask(await granted());
      await scene.steward.context.approvalExpiry.endExpired();
      expect(await waiting()).toEqual([later]);
    } finally {
      scene.steward.clock.setBy(-73 * HOUR_MS);
    }
  });

  it('denied after two days stays denied for an hour, and its row is kept no longer than others', async () => {
    const run = await granted();
    const id = await ask(run);
    await age(id, 48);
    await scene.decide(user, id, { approved: false });
    await rejectedWith(scene.call(user, ACTION, TO_ANA, { thread: run }), 'forbidden');
    await age(id, 25);
    await sweep();
    expect(await statusOf(id)).toBeUndefined();
  });

  it('gives its outcome to the run for a day, once decided', async () => {
    const run = await granted();
    const id = await ask(run);
    await age(id, 48);
    await scene.decide(user, id);
    await age(id, 23);
    await sweep();
    expect(await outcome(run, id)).toMatchObject({ status: 'done', result: { data: { id: 'm1' } } });
    await age(id, 2);
    await sweep();
    await rejectedWith(outcome(run, id), 'not_found');
  });

  it('does not take the places of conversations, clients or the user, and has 50 of its own', async () => {
    for (let run = 0; run < 5; run += 1) {
      const thread = await granted();
      for (let index = 0; index < 10; index += 1) await ask(thread, { to: [`x${index}@example.com`] });
      await rejectedWith(scene.call(user, ACTION, TO_ANA, { thread }), 'rate_limited');
    }
    expect(await waiting()).toHaveLength(50);
    const more = await granted();
    await rejectedWith(scene.call(user, ACTION, TO_ANA, { thread: more }), 'rate_limited');
    const chat = await newThread(scene.steward, user.userId);
    for (let index = 0; index < 10; index += 1) await ask(chat, { to: [`x${index}@example.com`] });
    await scene.ask(user, ACTION, TO_ANA);
    // One is decided.
    await scene.decide(user, (await waiting())[0] as string, { approved: false });
    await ask(more);
  });

  it('is nothing that the user’s other changes have to be compared with', async () => {
    await ask(await granted());
    const { executor } = scene.steward.context;
    expect((await executor.accounts(user.userId)).map(({ hasOpenQuestions }) => hasOpenQuestions)).toEqual([false]);
    await scene.ask(user, ACTION, TO_ANA);
    expect((await executor.accounts(user.userId)).map(({ hasOpenQuestions }) => hasOpenQuestions)).toEqual([true]);
  });
});

describe('what changes between question and answer', () => {
  const decideLater = async (change: () => Promise<unknown>, grant: GivenGrant = {}) => {
    const id = await ask(await granted(grant));
    await age(id, 48);
    await change();
    const error = await scene.decide(user, id).then(
      () => undefined,
      ({ code }) => code,
    );
    return { id, error };
  };
  const remove = () => scene.steward.call(`/auth/workspace/accounts/${user.accountId}`, { method: 'DELETE', token: user.token });

  it.each<[string, () => Promise<unknown>, string]>([
    ['the account is disconnected', remove, 'conflict'],
    [
      'the account is connected again',
      async () => {
        await remove();
        await scene.connect({ token: user.token, email: user.email });
      },
      'conflict',
    ],
    ['the account is set to read-only', () => scene.steward.context.readOnlySwitches.set(user.userId, user.accountId, null), 'conflict'],
    [
      'the action is configured otherwise',
      async () => {
        scene.revision = 'r2';
      },
      'conflict',
    ],
    ['the conversation is deleted', () => scene.steward.sql('delete from threads where user_id = $1', [user.userId]), 'aborted'],
    [
      'the automation may do less',
      () => scene.steward.sql(`update thread_grants set actions = '{test.read}' where user_id = $1`, [user.userId]),
      'forbidden',
    ],
    [
      'the automation may not use the account any more',
      () => scene.steward.sql(`update thread_grants set account_ids = $2 where user_id = $1`, [user.userId, [randomUUID()]]),
      'not_found',
    ],
    ['the user is deleted', () => scene.steward.sql('delete from users where id = $1', [user.userId]), 'not_found'],
  ])('counts: %s', async (_what, change, code) => {
    const { error } = await decideLater(change);
    expect([error, scene.sent]).toEqual([code, 0]);
  });

  it('does not matter where it is nothing: the call runs', async () => {
    expect(await decideLater(async () => {})).toMatchObject({ error: undefined });
    expect(scene.sent).toBe(1);
  });
});

describe('the pages of the approvals', () => {
  it('name the automation that asked, as it is called now', async () => {
    const make = {
      name: 'Invoices <b>',
      trigger: { type: 'schedule', every: 'day', at: '08:00', time_zone: 'UTC' },
      does: { type: 'notify' },
    };
    const { body: automation } = await scene.steward.call('/automations', { token: user.token, ...json('POST', make) });
    const id = await ask(await granted({ automationId: automation.id }));
    const browser = await sessionOf(scene.steward, user.token);
    const pageOf = async (path: string) => (await browser.visit(path)).text.replaceAll(/<\/?bdi[^>]*>/g, '');
    for (const path of ['/approvals', `/approvals/${id}`]) {
      expect(await pageOf(path)).toMatch(/Asked by your automation “?[^”]*Invoices &lt;b&gt;[^”]*”? on <time/);
    }
    const question = await browser.visit(`/approvals/${id}`);
    await scene.steward.call(`/automations/${automation.id}`, { token: user.token, ...json('PATCH', { name: 'Bills' }) });
    const { body } = await scene.steward.call('/approvals', { token: user.token });
    expect(body.approvals[0].automation).toEqual({ id: automation.id, name: 'Bills', asked_at: expect.any(String) });
    // The question that was shown is still the one that is decided.
    const [, , form = ''] = question.text.split('<form');
    const done = await browser.submit({ ...question, text: `<form${form}` }, `/approvals/${id}`, () => {}, {
      'sec-fetch-site': 'same-origin',
    });
    expect([done.status, scene.sent]).toEqual([200, 1]);
  });

  it('say which automation asked and when, and how many days are left', async () => {
    const automationId = randomUUID();
    const id = await ask(await granted({ automationId }));
    const browser = await sessionOf(scene.steward, user.token);
    for (const path of ['/approvals', `/approvals/${id}`]) {
      const { text } = await browser.visit(path);
      expect(text).toMatch(/Asked by one of your automations on <time datetime="[^"]+">[^<]+ UTC<\/time>\./);
      expect(text).toContain('2 days and 23 hours left');
    }
    await age(id, 48);
    expect((await browser.visit(`/approvals/${id}`)).text).toContain('<strong>23 hours left</strong>');
    const { body } = await scene.steward.call('/approvals', { token: user.token });
    expect(body.approvals[0]).toMatchObject({ thread: expect.stringMatching(/^auto-/), automation: { id: automationId } });
  });
});
