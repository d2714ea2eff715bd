import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { linkBank } from '../../support/scenes/flows.ts';
import { eventually } from '../../support/time/eventually.ts';
import { callAction } from '../../support/users/agents.ts';
import { many } from '../../support/users/many.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const ACTION = 'test.notify';
const TO_ANA = { to: ['ana@example.com'] };
const READS = many(100, 10_000);
const HOUR_MS = 3_600_000;
const PROFILE = '/api/gmail/v1/users/me/profile';

let scene: ExecutorScene;
let user: ConnectedGrant;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  scene.policies.set(ACTION, { approval: 'never' });
  scene.sending(200);
  user = await scene.connect();
});

const sourcesStored = async () => (await scene.steward.sql('select 1 from context_reads where user_id = $1', [user.userId])).length > 0;
const contexts = () =>
  scene.steward.sql<{ name: string; tainted: boolean; financial: boolean }>(
    `select name, tainted_until > now() + interval '60 minutes' as tainted, financial_until is not null as financial
     from contexts where user_id = $1 order by name`,
    [user.userId],
  );

const loseContexts = () => scene.steward.sql('delete from contexts where user_id = $1', [user.userId]);
/** Contexts keep what was read for an hour, and five minutes for which a process doesn't store it again. */
const anHourLater = async () => {
  await scene.steward.clock.advance(HOUR_MS + 6 * 60_000);
  await loseContexts();
};

/** The same, and what was read is not told any more. */
async function forgetReads(): Promise<void> {
  await anHourLater();
  await scene.steward.sql('delete from context_reads where user_id = $1', [user.userId]);
}

describe('a context that has read text of others', () => {
  it('exposes nothing unasked, whatever the policy says', async () => {
    await scene.call(user, ACTION, TO_ANA);
    await scene.call(user, 'test.read');
    await eventually(sourcesStored);
    const { notices, provenance } = await scene.ask(user, ACTION, TO_ANA);
    expect(notices).toContain('Before this, text by “someone@example.com” was read. It may have caused this request.');
    expect(provenance).toEqual([{ action: 'test.read', author: 'someone@example.com' }]);
    expect(scene.sent).toBe(1);
    // Nobody else sees this one.
    await scene.call(user, ACTION, { to: [] });
  });

  it('exposes and deletes nothing if the operator denies it', async () => {
    scene.policies.set(ACTION, { approval: 'never', tainted: 'deny' });
    scene.policies.set('test.remove', { approval: 'destructive', tainted: 'deny' });
    await scene.ask(user, 'test.remove', TO_ANA);
    await scene.call(user, 'test.read');
    await rejectedWith(scene.call(user, ACTION, TO_ANA), 'forbidden');
    await rejectedWith(scene.call(user, 'test.remove', { to: ['zoe@example.com'] }), 'forbidden');
    expect(scene.sent).toBe(0);
  });

  it('is one from the moment at which the read starts, even if it fails', async () => {
    let atTheProvider: unknown;
    scene.provider.on(PROFILE, (response) => {
      void contexts().then((rows) => {
        atTheProvider = rows;
        response.writeHead(500).end();
      });
    });
    await scene.call(user, 'test.read').catch(() => undefined);
    expect(atTheProvider).toEqual([{ name: 'user', tainted: true, financial: false }]);
    scene.provider.on(PROFILE, { body: { emailAddress: 'x@example.com' } });
    await scene.ask(user, ACTION, TO_ANA);
  });

  it('stays one for an hour after the last read, and no longer', async () => {
    await scene.call(user, 'test.read');
    await anHourLater();
    await scene.call(user, ACTION, TO_ANA);
    expect(scene.sent).toBe(1);
  });

  it('stays one while its process knows, even if the row is lost, which is stored again', async () => {
    await scene.call(user, 'test.read');
    await loseContexts();
    await scene.ask(user, ACTION, TO_ANA);
    expect(await contexts()).toEqual([{ name: 'user', tainted: true, financial: false }]);
    expect(scene.sent).toBe(0);
  });

  it('names whose text was read, also if it is the same as before many other reads', async () => {
    const read = async (emailAddress: string) => {
      scene.reading(200, { emailAddress });
      await scene.call(user, 'test.read');
    };
    await read('mallory@example.net');
    for (let count = 0; count < 25; count += 1) await read(`person${count}@example.com`);
    await read('mallory@example.net');
    const { provenance } = await scene.ask(user, ACTION, TO_ANA);
    expect(provenance).toContainEqual({ action: 'test.read', author: 'mallory@example.net' });
  });

  it('stores equal results once, and those that differ', async () => {
    const stored = async () => (await scene.steward.sql('select 1 from context_reads where user_id = $1', [user.userId])).length;
    let questions = 0;
    // A new question quotes what was read, so it waits until that is stored; one that is asked again does not.
    const read = async (emailAddress: string) => {
      scene.reading(200, { emailAddress });
      await scene.call(user, 'test.read');
      questions += 1;
      await scene.ask(user, ACTION, { to: [`ana${questions}@example.com`] });
    };
    await read('mallory@example.net');
    await read('mallory@example.net');
    expect(await stored()).toBe(1);
    await read('oscar@example.net');
    await read('mallory@example.net');
    expect(await stored()).toBe(2);
  });

  it(`is one after ${READS} reads of different texts, of which 20 remain stored`, { timeout: 600_000 }, async () => {
    scene.policies.set('test.read', { rate: { calls: 2 * READS, perMs: 60_000 } });
    for (let count = 0; count < READS; count += 1) {
      scene.reading(200, { emailAddress: `person${count}@example.com` });
      await scene.call(user, 'test.read');
    }
    const { provenance } = await scene.ask(user, ACTION, TO_ANA);
    expect(provenance).toContainEqual({ action: 'test.read', author: `person${READS - 1}@example.com` });
    expect(await scene.steward.sql('select 1 from context_reads where user_id = $1', [user.userId])).toHaveLength(20);
    expect(scene.sent).toBe(0);
  });

  it('names whose text was read, also if it is the same as an hour ago', async () => {
    await scene.call(user, 'test.read');
    await eventually(sourcesStored);
    await scene.steward.sql(`update context_reads set read_at = now() - interval '2 hours' where user_id = $1`, [user.userId]);
    await scene.steward.clock.advance(2 * HOUR_MS);
    await scene.call(user, 'test.read');
    const { provenance } = await scene.ask(user, ACTION, TO_ANA);
    expect(provenance).toEqual([{ action: 'test.read', author: 'someone@example.com' }]);
  });

  it('refuses to run what was approved before, if the operator denies it', async () => {
    scene.policies.set(ACTION, { approval: 'destructive', tainted: 'deny' });
    const { approvalId } = await scene.ask(user, ACTION, TO_ANA);
    await scene.call(user, 'test.read');
    await rejectedWith(scene.decide(user, approvalId), 'forbidden');
    expect(scene.sent).toBe(0);
  });
});

describe('contexts', () => {
  it('are separate for each client of a user', async () => {
    const { clientTokens } = scene.steward.context;
    const request = { name: 'script', actions: ['*'], access: 'write', days: 1 } as const;
    const [one, other] = [await clientTokens.create(user.userId, request), await clientTokens.create(user.userId, request)];
    const call = (token: string, action: string, input: object) => callAction(scene.steward, action, input, { token });
    await call(one.token, 'test.read', {});
    await expect(call(one.token, ACTION, TO_ANA)).rejects.toMatchObject({ code: 'approval_required' });
    await call(other.token, ACTION, TO_ANA);
    await scene.call(user, ACTION, TO_ANA);
    expect(scene.sent).toBe(2);
    expect(await contexts()).toEqual([{ name: `client:${one.grant.id}`, tainted: true, financial: false }]);
  });

  it('include one that receives the stored result of a change', async () => {
    const { clientTokens } = scene.steward.context;
    const { grant } = await clientTokens.create(user.userId, { name: 'x', actions: ['*'], access: 'write', days: 1 });
    const client = { userId: user.userId, clientId: grant.id };
    await scene.call(client, 'test.reply', TO_ANA, { idempotencyKey: 'k' });
    await forgetReads();
    await scene.call(client, ACTION, TO_ANA);
    await scene.call(client, 'test.reply', TO_ANA, { idempotencyKey: 'k' });
    await scene.ask(client, ACTION, { to: ['zoe@example.com'] });
    expect(scene.sent).toBe(2);
  });

  it('that read a bank’s data ask before they send, and for an operator who denies it send only to the user and the allow-list', async () => {
    await linkBank(scene.steward, user.token);
    await callAction(scene.steward, 'bank.balances', {}, { token: user.token });
    expect(await contexts()).toEqual([{ name: 'user', tainted: true, financial: true }]);
    expect((await scene.ask(user, ACTION, TO_ANA)).notices).toContain('Before this, data of a bank was read.');
    scene.policies.set(ACTION, { approval: 'never', financial: 'deny' });
    // Another call: the one that was asked about waits for the user.
    await rejectedWith(scene.call(user, ACTION, { to: ['zoe@example.com'] }), 'forbidden');
    expect((await scene.ask(user, ACTION, { to: [user.email] })).notices).toContain('Before this, data of a bank was read.');
    scene.policies.set(ACTION, { approval: 'never', financial: 'deny', allow: { to: ['*@example.com'] } });
    await scene.ask(user, ACTION, { to: ['zoe@example.com'] });
    expect(scene.sent).toBe(0);
  });
});

describe('what a context wrote that had read a bank’s data', () => {
  const startClient = async () => {
    const { clientTokens } = scene.steward.context;
    const { grant } = await clientTokens.create(user.userId, { name: 'script', actions: ['*'], access: 'write', days: 1 });
    return { userId: user.userId, clientId: grant.id };
  };
  /** An item of this id, written by the user's own front end. */
  const written = async (id: string) => {
    await linkBank(scene.steward, user.token);
    await callAction(scene.steward, 'bank.balances', {}, { token: user.token });
    scene.sending(200, { id });
    await scene.call(user, 'test.copy', {});
    await anHourLater();
  };

  it('leaves no other context, whatever the policy says', async () => {
    await written('draft1');
    const client = await startClient();
    for (const id of ['draft1', 'draft1_20270510']) await rejectedWith(scene.call(client, 'test.forward', { id }), 'forbidden');
    await scene.call(client, 'test.forward', { id: 'draft2' });
    expect(scene.sent).toBe(2);
  });

  it('makes the context that reads it one that has read a bank’s data', async () => {
    await written('draft1');
    const client = await startClient();
    scene.returned = { items: [{ id: 'other' }] };
    expect((await scene.call(client, 'test.return')).meta.labels?.confidentiality).toBe('private');
    scene.returned = { items: [{ id: 'draft1', text: '1,234.00' }] };
    expect((await scene.call(client, 'test.return')).meta.labels).toMatchObject({ integrity: 'others', confidentiality: 'financial' });
    expect(await contexts()).toEqual([{ name: `client:${client.clientId}`, tainted: true, financial: true }]);
    await rejectedWith(scene.call(client, ACTION, TO_ANA), 'forbidden');
    scene.sending(200, { id: 'draft3' });
    await scene.call(client, 'test.copy', {});
    await anHourLater();
    await rejectedWith(scene.call(client, 'test.forward', { id: 'draft3' }), 'forbidden');
  });

  it('makes a context that receives its stored result, or an error about it, one, too', async () => {
    await written('draft1');
    const [one, other, third] = [await startClient(), await startClient(), await startClient()];
    scene.sending(200, { id: 'draft4' });
    await scene.call(one, 'test.copy', { ids: ['draft1'] }, { idempotencyKey: 'k' });
    await scene.call(other, 'test.copy', { ids: ['draft1'] }, { idempotencyKey: 'k' }).catch(() => undefined);
    scene.sending(400);
    await scene.call(third, 'test.copy', { ids: ['draft1'] }).catch(() => undefined);
    const financial = (await contexts()).filter((context) => context.financial).map(({ name }) => name);
    expect(financial).toContain(`client:${one.clientId}`);
    expect(financial).toContain(`client:${third.clientId}`);
  });

  it('counts as named by a call that names more than can be looked up', async () => {
    await written('draft1');
    const client = await startClient();
    const many = Array.from({ length: 9_999 }, (_, index) => `other${index}`);
    scene.sending(200, { id: 'draft5' });
    await scene.call(client, 'test.copy', { ids: [...many, 'draft1'] });
    scene.sending(200, { id: 'draft6' });
    const second = await startClient();
    await scene.call(second, 'test.copy', { ids: [...many, 'a', 'b', 'draft1'] });
    await anHourLater();
    for (const id of ['draft5', 'draft6']) await rejectedWith(scene.call(await startClient(), 'test.forward', { id }), 'forbidden');
  });
});

describe('what a tainted context wrote', () => {
  it('leaves another context only with the user’s approval, and so do its copies', async () => {
    const { clientTokens } = scene.steward.context;
    const { grant } = await clientTokens.create(user.userId, { name: 'script', actions: ['*'], access: 'write', days: 1 });
    const client = { userId: user.userId, clientId: grant.id };
    const written = async (by: typeof client | ConnectedGrant, id: string, input = {}) => {
      scene.sending(200, { id });
      await scene.call(by, 'test.copy', input);
    };
    await scene.call(client, 'test.forward', { id: 'draft1' });
    await scene.call(user, 'test.read');
    await written(user, 'draft1');
    await anHourLater();
    const questions = [
      await scene.ask(client, 'test.forward', { id: 'draft1' }),
      await scene.ask(client, 'test.forward', { id: 'draft1_20270510' }),
    ];
    // While they wait, a client's change of what they are about is refused.
    for (const { approvalId } of questions) await scene.decide(user, approvalId, { approved: false });
    await anHourLater();
    await written(client, 'draft2', { ids: ['draft1'] });
    await anHourLater();
    await scene.ask(client, 'test.forward', { id: 'draft2' });
    await scene.call(client, 'test.forward', { id: 'draft3' });
  });
});

describe('a client that reads nothing', () => {
  const startClient = async () => {
    const { clientTokens } = scene.steward.context;
    const { grant } = await clientTokens.create(user.userId, { name: 'script', actions: ['*'], access: 'write', days: 1 });
    return { userId: user.userId, clientId: grant.id };
  };

  it('isn’t told in a question what was read for it', async () => {
    scene.policies.set(ACTION, { approval: 'destructive' });
    const client = await startClient();
    for (const _ of ['asked', 'shown again']) expect((await scene.ask(client, ACTION, TO_ANA)).summary).toBe('Send to ana@example.com');
    const [shown] = await scene.steward.context.executor.approvals(user.userId);
    expect(shown?.summary).toBe('Tell ana@example.com from someone@example.com');
  });

  it('is tainted by an error of a call that has asked the provider', async () => {
    const client = await startClient();
    scene.sending(400);
    await scene.call(client, 'test.forward', { id: 'f1' }).catch(() => undefined);
    await scene.ask(client, ACTION, TO_ANA);
  });
});

describe('a user who has approved a client’s call', () => {
  it('is tainted by its error, like the client', async () => {
    scene.policies.set(ACTION, { approval: 'destructive' });
    const { clientTokens } = scene.steward.context;
    const { grant } = await clientTokens.create(user.userId, { name: 'script', actions: ['*'], access: 'write', days: 1 });
    const { approvalId } = await scene.ask({ userId: user.userId, clientId: grant.id }, ACTION, TO_ANA);
    scene.sending(400);
    await scene.decide(user, approvalId).catch(() => undefined);
    expect((await contexts()).map(({ name }) => name)).toEqual([`client:${grant.id}`, 'user']);
  });
});

describe('a result that is returned again under its key', () => {
  it('taints the context that receives it', async () => {
    const copy = { idempotencyKey: 'k1' };
    scene.sending(200, { id: 'copied' });
    const { clientTokens } = scene.steward.context;
    const { grant } = await clientTokens.create(user.userId, { name: 'script', actions: ['*'], access: 'write', days: 1 });
    const client = { userId: user.userId, clientId: grant.id };
    await scene.call(client, 'test.copy', {}, copy);
    scene.sending(200);
    await forgetReads();
    await scene.call(client, ACTION, TO_ANA);
    await scene.call(client, 'test.copy', {}, copy);
    await scene.ask(client, ACTION, { to: ['zoe@example.com'] });
    const [question] = await scene.steward.context.executor.approvals(user.userId);
    expect(question?.provenance).toEqual([{ action: 'test.copy' }]);
  });
});

describe('the labels of a result', () => {
  it('tell others’ text from the user’s own, and a bank’s data', async () => {
    await linkBank(scene.steward, user.token);
    const bank = await callAction(scene.steward, 'bank.balances', {}, { token: user.token });
    expect(bank.meta.labels).toMatchObject({ integrity: 'others', confidentiality: 'financial' });
    const { meta } = await scene.call(user, 'test.send', TO_ANA);
    expect(meta.labels).toEqual({ integrity: 'own', confidentiality: 'private', sources: [] });
  });
});
