import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteExpiredRows } from '../../../src/database/retention.ts';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { linkBank } from '../../support/scenes/flows.ts';
import { eventually } from '../../support/time/eventually.ts';
import { newThread } from '../../support/users/new-thread.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const ACTION = 'test.notify';
const ANA = 'ana@example.com';
const TO_ANA = { to: [ANA] };

let scene: ExecutorScene;
let user: ConnectedGrant;
let thread: string;
let other: string;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  scene.policies.set(ACTION, { approval: 'destructive' });
  scene.sending(200);
  user = await scene.connect();
  [thread, other] = [await newThread(scene.steward, user.userId), await newThread(scene.steward, user.userId)];
});

const ask = async (of: string, input: object = TO_ANA) => (await scene.ask(user, ACTION, input, { thread: of })).approvalId as string;
const call = (of: string, input: object = TO_ANA) => scene.call(user, ACTION, input, { thread: of });
const outcome = (of: object, id: string) => scene.steward.context.executor.outcome({ userId: user.userId, ...of }, id);
const eventsOf = (approvalId: string) =>
  scene.steward.sql<{ event: string; thread: string | null }>(
    `select event, data ->> 'thread' as thread from events where user_id = $1 and data ->> 'approvalId' = $2 order by seq`,
    [user.userId, approvalId],
  );

describe('a call in a thread', () => {
  it('is asked about by an approval of its own, which names the thread everywhere', async () => {
    const [one, two] = [await ask(thread), await ask(other)];
    const inPerson = (await scene.ask(user, ACTION, TO_ANA)).approvalId;
    expect(new Set([one, two, inPerson]).size).toBe(3);
    expect(await ask(thread)).toBe(one);
    const { body } = await scene.steward.call('/approvals', { token: user.token });
    expect(body.approvals.map(({ id, thread: of, client }: Record<string, unknown>) => [id, of, client])).toEqual([
      [one, thread, undefined],
      [two, other, undefined],
      [inPerson, undefined, undefined],
    ]);
    await scene.decide(user, one);
    expect(await eventsOf(one)).toEqual([
      { event: 'approval.requested', thread },
      { event: 'approval.decided', thread },
    ]);
    await scene.steward.sql(`update approvals set expires_at = now() where id = $1`, [two]);
    await scene.steward.context.approvalExpiry.endExpired();
    expect((await eventsOf(two)).at(-1)).toEqual({ event: 'approval.expired', thread: other });
    expect(await eventsOf(inPerson)).toEqual([{ event: 'approval.requested', thread: null }]);
  });

  it('is in the audit log as the assistant’s, and the decision where it was made', async () => {
    await scene.decide(user, await ask(thread), { surface: 'http' });
    const rows = (await scene.audit(user)).map(({ decision, surface, decided_surface: decided, client_id: client }) => ({
      decision,
      surface,
      decided,
      client,
    }));
    expect(rows).toEqual([
      { decision: 'approval_required', surface: 'assistant', decided: null, client: null },
      { decision: 'approved', surface: 'assistant', decided: 'http', client: null },
      { decision: 'started', surface: 'assistant', decided: 'http', client: null },
      { decision: 'allowed', surface: 'assistant', decided: 'http', client: null },
    ]);
  });

  it('that the user has approved gives its result to that thread only, and does not run again', async () => {
    const [one, two] = [await ask(thread), await ask(other)];
    await scene.decide(user, one);
    expect(await outcome({ thread }, one)).toMatchObject({ status: 'done', result: { data: { id: 'm1' } } });
    const { grant } = await scene.steward.context.clientTokens.create(user.userId, { name: 'x', actions: ['*'], access: 'write', days: 1 });
    for (const asker of [{ thread: other }, {}, { clientId: grant.id }]) await rejectedWith(outcome(asker, one), 'not_found');
    expect(await outcome({ thread: other }, two)).toEqual({ status: 'pending' });
    expect(scene.sent).toBe(1);
  });

  it('that is repeated after its approval was decided is not run beside it', async () => {
    const id = await ask(thread);
    await scene.decide(user, id);
    scene.policies.set(ACTION, { approval: 'never' });
    // Unasked it would run by now.
    expect((await call(thread)).data).toEqual({ id: 'm1' });
    expect((await call(thread)).data).toEqual({ id: 'm1' });
    expect(scene.sent).toBe(1);
    await call(other);
    expect(scene.sent).toBe(2);
  });

  it('that waits for the user, or was denied, is not run beside the question', async () => {
    const id = await ask(thread);
    scene.policies.set(ACTION, { approval: 'never' });
    expect(await ask(thread)).toBe(id);
    await scene.decide(user, id, { approved: false });
    await rejectedWith(call(thread), 'forbidden');
    expect(await outcome({ thread }, id)).toEqual({ status: 'denied' });
    expect(scene.sent).toBe(0);
  });

  it('does not take the places of other threads, nor of the user’s own approvals', async () => {
    scene.policies.set(ACTION, { approval: 'destructive', rate: { calls: 1_000, perMs: 60_000 } });
    const fill = async (of: string) => {
      for (let index = 0; index < 10; index += 1) await ask(of, { to: [`x${index}@example.com`] });
    };
    await fill(thread);
    await rejectedWith(call(thread), 'rate_limited');
    await fill(other);
    await scene.ask(user, ACTION, TO_ANA);
  });
});

describe('what was read in a thread', () => {
  beforeEach(() => void scene.policies.set(ACTION, { approval: 'never' }));

  const read = async (of: string, emailAddress = 'someone@example.com') => {
    const before = await sources();
    scene.reading(200, { emailAddress });
    await scene.call(user, 'test.read', {}, { thread: of });
    await eventually(async () => (await sources()) > before);
  };
  const sources = async () => (await scene.steward.sql('select 1 from context_reads where user_id = $1', [user.userId])).length;

  it('counts in that thread only, and as long as it exists', async () => {
    await call(thread);
    await read(thread);
    await call(other);
    await scene.call(user, ACTION, TO_ANA);
    expect(scene.sent).toBe(3);
    // A year later.
    await scene.steward.sql(`update context_reads set read_at = read_at - interval '1 year' where user_id = $1`, [user.userId]);
    await scene.steward.sql(
      `update contexts set tainted_until = tainted_until - interval '1 year', financial_until = financial_until - interval '1 year'
       where user_id = $1`,
      [user.userId],
    );
    for (const table of ['contexts', 'context_reads'] as const) await deleteExpiredRows(scene.steward.context.db, table);
    const { notices, provenance } = await scene.ask(user, ACTION, TO_ANA, { thread });
    expect(notices).toContain('Before this, text by “someone@example.com” was read. It may have caused this request.');
    expect(provenance).toEqual([{ action: 'test.read', author: 'someone@example.com' }]);
  });

  it('counts in a new thread that has the name of a deleted one', async () => {
    await read(thread);
    await scene.steward.context.threads.delete(user.userId, thread);
    await newThread(scene.steward, user.userId, { id: thread });
    await call(thread);
    expect(scene.sent).toBe(1);
    scene.reading(200, { emailAddress: 'new@example.com' });
    await scene.call(user, 'test.read', {}, { thread });
    await rejectedWith(call(thread), 'approval_required');
  });

  it('taints the thread and the user’s own context when an approved call returns it', async () => {
    scene.policies.set('test.reply', { approval: 'always' });
    const { approvalId } = await scene.ask(user, 'test.reply', TO_ANA, { thread });
    await scene.decide(user, approvalId);
    const rows = await scene.steward.sql<{ name: string; endless: boolean }>(
      `select name, tainted_until = 'infinity' as endless from contexts where user_id = $1 order by name`,
      [user.userId],
    );
    expect(rows).toEqual([
      { name: `thread:${thread}`, endless: true },
      { name: 'user', endless: false },
    ]);
  });

  it('does not go on in a thread that was deleted in the middle', async () => {
    await read(thread);
    await scene.steward.context.threads.delete(user.userId, thread);
    await rejectedWith(scene.call(user, 'test.read', {}, { thread }), 'aborted');
    await rejectedWith(call(thread), 'aborted');
    expect(await scene.steward.sql('select 1 from contexts where user_id = $1', [user.userId])).toEqual([]);
    expect(scene.sent).toBe(0);
  });

  it('leaves no context behind when the thread is deleted at the same moment', async () => {
    const { threads } = scene.steward.context;
    for (let round = 0; round < 10; round += 1) {
      const id = await newThread(scene.steward, user.userId);
      const reads = Array.from({ length: 5 }, () => scene.call(user, 'test.read', {}, { thread: id }).catch(() => {}));
      await Promise.all([threads.delete(user.userId, id), ...reads]);
    }
    const left = () =>
      scene.steward.sql(`select 1 from contexts where user_id = $1 union all select 1 from context_reads where user_id = $1`, [
        user.userId,
      ]);
    expect(await left()).toEqual([]);
  });
});

describe('a bank’s data that was read in a thread', () => {
  beforeEach(async () => {
    scene.policies.set(ACTION, { approval: 'never' });
    await linkBank(scene.steward, user.token);
    await scene.call(user, 'bank.balances', {}, { thread });
  });

  const tell = (to: string[], ownWords: string | undefined, of: string | null = thread) =>
    scene.call(user, ACTION, { to }, { ...(of !== null && { thread: of }), ...(ownWords !== undefined && { ownWords }) });

  it('may go to those whom the user has named, once the user has approved it', async () => {
    const words = 'What is my balance? Send it to Ana@Example.com.';
    const { details } = await rejectedWith(tell([ANA, user.email], words), 'approval_required');
    const { approvalId, audience, notices } = details as Record<string, any>;
    expect(audience).toMatchObject([
      { address: ANA, named: true },
      { address: user.email, relation: 'own' },
    ]);
    expect(audience[1]).not.toHaveProperty('named');
    expect(notices).toContain('Before this, data of a bank was read.');
    expect(scene.sent).toBe(0);
    const browser = await sessionOf(scene.steward, user.token);
    const page = await browser.visit(`/approvals/${approvalId}`);
    expect(page.text).toContain('named by you here');
    expect(page.text).toContain('Asked by your assistant in a conversation.');
    expect((await scene.decide(user, approvalId)).data).toEqual({ id: 'm1' });
    expect(scene.sent).toBe(1);
  });

  it.each([
    ['nobody is named', undefined],
    ['another is named', 'Send it to bob@example.com.'],
    ['the name is part of another address', 'Send it to xana@example.com or ana@example.com.evil.example.'],
  ])('goes to nobody else: %s', async (_what, words) => {
    await rejectedWith(tell([ANA], words), 'forbidden');
    await rejectedWith(tell([ANA, 'zoe@example.com'], `${words ?? ''} Or send it to ana@example.com.`), 'forbidden');
    expect(await scene.steward.sql('select 1 from approvals where user_id = $1', [user.userId])).toEqual([]);
  });

  it('goes to nobody new in the user’s own context if the operator denies it, whatever was typed elsewhere', async () => {
    scene.policies.set(ACTION, { approval: 'never', financial: 'deny' });
    await scene.call(user, 'bank.balances');
    await rejectedWith(tell([ANA], `Send it to ${ANA}`, null), 'forbidden');
  });

  it('does not go to someone else by changed arguments, nor by an allowance', async () => {
    const { details } = await rejectedWith(tell([ANA], ANA), 'approval_required');
    const approvalId = String(details?.approvalId);
    await rejectedWith(scene.decide(user, approvalId, { input: { to: ['bob@example.com'] } }), 'forbidden');
    await rejectedWith(scene.decide(user, approvalId, { rememberFor: 1 }), 'invalid_request');
    await scene.decide(user, approvalId, { input: { to: [ANA], text: 'Less.' } });
    expect(scene.sent).toBe(1);
  });

  it('counts as long as the thread exists', async () => {
    await scene.steward.sql(`update contexts set financial_until = financial_until - interval '1 year' where user_id = $1`, [user.userId]);
    await rejectedWith(tell([ANA], undefined), 'forbidden');
    await tell([ANA], undefined, other);
    expect(scene.sent).toBe(1);
  });
});
