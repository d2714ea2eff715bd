import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { callsTools, says, saysSlowly } from '../../support/emulators/scripted-model.ts';
import { ChatScene, type FrontEnd, textOf, toolParts } from '../../support/scenes/chat-scene.ts';
import { newName } from '../../support/scenes/flows.ts';
import type { Replicas } from '../../support/scenes/mcp-scene.ts';
import { eventually } from '../../support/time/eventually.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const SEND = { name: 'test_send', input: { to: ['bob@example.com'] } };
let chat: ChatScene;
let replicas: Replicas;

beforeAll(async () => {
  ({ chat, replicas } = await ChatScene.replicated());
});
beforeEach(() => chat.reset());
afterAll(() => chat.stop());

const userMessage = (text = 'Hi', id = newName()) => ({ id, role: 'user', parts: [{ type: 'text', text }] });
const post = (token: string, body: unknown, on = chat.steward) =>
  on.call('/chat', { token, headers: JSON_TYPE, body: typeof body === 'string' ? body : JSON.stringify(body) });
const deleted = (frontEnd: FrontEnd) => chat.steward.call(`/threads/${frontEnd.thread}`, { method: 'DELETE', token: frontEnd.user.token });

describe('an id that can be no thread’s', () => {
  it.each(['%00', 'a%00b', '.a', '%2F', encodeURIComponent('\u202e')])('%s is unknown at every address', async (id) => {
    const { token } = (await chat.frontEnd()).user;
    const title = { body: '{"title":"x"}', headers: JSON_TYPE };
    for (const [method, path, more] of [
      ['GET', `/threads/${id}`, {}],
      ['POST', `/threads/${id}`, title],
      ['DELETE', `/threads/${id}`, {}],
      ['GET', `/chat/${id}/stream`, {}],
      ['DELETE', `/chat/${id}/stream`, {}],
    ] as const) {
      expect((await chat.steward.call(path, { method, token, ...more })).status, `${method} ${path}`).toBe(404);
    }
  });
});

describe('a body', () => {
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  it.each<[string, () => unknown, number]>([
    ['null', () => null, 400],
    ['with a message that is null', () => ({ id: newName(), messages: [null] }), 400],
    ['with 100,000 levels', () => `{"id":"x","messages":[${nested}]}`, 400],
    ['with 2,000,000 messages', () => `{"id":"x","messages":[${'0,'.repeat(2_000_000)}0]}`, 413],
    ['of 12 MB', () => ({ id: newName(), messages: [userMessage('a'.repeat(12_000_000))] }), 413],
    ['with another trigger', () => ({ id: newName(), trigger: 'resume-stream', messages: [userMessage()] }), 400],
    ['that regenerates nothing', () => ({ id: newName(), trigger: 'regenerate-message', messages: [userMessage()] }), 409],
    ['that continues nothing', () => ({ id: newName(), messages: [{ id: 'm', role: 'assistant', parts: [] }] }), 409],
    ['with a model that is none', () => ({ id: newName(), model: '__proto__', messages: [userMessage()] }), 400],
  ])('%s is refused', async (_name, body, expected) => {
    const { token } = (await chat.frontEnd()).user;
    expect((await post(token, body())).status).toBe(expected);
    expect(chat.model.calls).toHaveLength(0);
  });
});

describe('many messages at once', () => {
  it('to one thread and to several, on both replicas, are answered or refused', async () => {
    const { token } = (await chat.frontEnd()).user;
    const one = newName();
    const sends = Array.from({ length: 30 }, (_, index) => {
      const message = userMessage('Hi', index % 3 === 0 ? 'same' : newName());
      return post(token, { id: index % 2 === 0 ? one : newName(), messages: [message] }, index % 5 < 2 ? replicas.other : chat.steward);
    });
    const statuses = new Set((await Promise.all(sends)).map(({ status }) => status));
    expect(statuses.has(200)).toBe(true);
    expect([...statuses].filter((status) => ![200, 409, 429].includes(status))).toEqual([]);
  });
});

describe('a thread that is deleted while it is answered', () => {
  it('leaves nothing of what was said afterwards', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    chat.model.script(saysSlowly('Once ', promise, 'upon a time.'));
    const frontEnd = await chat.frontEnd();
    const answer = frontEnd.say('Tell me').catch(() => {});
    await eventually(() => chat.model.calls.length > 0);
    expect((await deleted(frontEnd)).status).toBe(200);
    resolve();
    await answer;
    const { userId } = frontEnd.user;
    const isOver = async () =>
      (await chat.steward.sql(`select 1 from runs where user_id = $1 and status = 'running'`, [userId])).length === 0;
    await eventually(isOver);
    for (const table of ['threads', 'messages', 'run_chunks', 'contexts', 'context_reads']) {
      expect(await chat.steward.sql(`select 1 from ${table} where user_id = $1`, [userId]), table).toEqual([]);
    }
  });

  it('makes no further change', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    chat.scene.work = () => promise.then(() => ({}));
    chat.model.script(callsTools([{ name: 'test_run', input: {} }]), callsTools([SEND]));
    const frontEnd = await chat.frontEnd();
    const answer = frontEnd.say('Go').catch(() => {});
    await eventually(() => chat.model.calls.length > 0);
    expect((await deleted(frontEnd)).status).toBe(200);
    resolve();
    await answer;
    expect(chat.scene.sent).toBe(0);
  });
});

describe('a change', () => {
  it('is not made when another replica has meanwhile told that the run was interrupted', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let reading = 0;
    chat.scene.work = () => {
      reading += 1;
      return promise.then(() => ({}));
    };
    // Four are made at a time, so the change waits for them.
    chat.model.script(callsTools([...Array.from({ length: 4 }, () => ({ name: 'test_run', input: {} })), SEND]));
    const frontEnd = await chat.frontEnd();
    const answer = frontEnd.say('Go').catch(() => {});
    await eventually(() => reading === 4);
    const { userId } = frontEnd.user;
    await eventually(async () => (await chat.steward.sql('select 1 from run_chunks where user_id = $1', [userId])).length > 0);
    await chat.steward.sql(`update runs set status = 'interrupted', ended_at = now() where user_id = $1`, [userId]);
    resolve();
    await answer;
    expect(chat.scene.sent).toBe(0);
  });

  it('is not made when there is no record that it is being made', async () => {
    await chat.steward.sql(`create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$`);
    await chat.steward.sql('create trigger refused before insert on run_chunks for each row execute function refuse()');
    chat.model.script(callsTools([SEND]), says('It failed.'));
    const frontEnd = await chat.frontEnd();
    const { message } = await frontEnd.say('Write');
    await chat.steward.sql('drop function refuse cascade');
    expect(toolParts(message)).toMatchObject([{ state: 'output-error', errorText: expect.stringContaining('unavailable') }]);
    expect(chat.scene.sent).toBe(0);
  });
});

describe('a decision that two front ends take up', () => {
  it('is told to the model once, however late the other looks', async () => {
    chat.scene.policies.set('test.send', { approval: 'always' });
    chat.model.script(callsTools([SEND]), says('Sent.'));
    const frontEnd = await chat.frontEnd();
    const { message } = await frontEnd.say('Write to Bob');
    const approvalId = toolParts(message)[0]?.approval.id;
    await frontEnd.decide(approvalId, true);
    // The other one's replica has read the thread, and then waits for its database.
    const { promise, resolve } = Promise.withResolvers<void>();
    const { executor } = replicas.other.context;
    const looked = Promise.withResolvers<void>();
    const outcome = executor.outcome.bind(executor);
    executor.outcome = async (...of) => {
      looked.resolve();
      await promise;
      return outcome(...of);
    };
    const late = post(frontEnd.user.token, { id: frontEnd.thread, messages: [message] }, replicas.other);
    await looked.promise;
    const { message: answered } = await frontEnd.submit();
    resolve();
    expect((await late).status).toBe(409);
    executor.outcome = outcome;
    expect(chat.model.calls).toHaveLength(2);
    expect((await frontEnd.stored()).messages.at(-1)).toEqual(answered);
    expect(textOf(answered)).toBe('Sent.');
  });
});

describe('an answer with a decided call', () => {
  it('that only reads can be replaced before it goes on', async () => {
    chat.scene.policies.set('test.return', { approval: 'always' });
    chat.model.script(callsTools([{ name: 'test_return', input: {} }]), says('Otherwise.'));
    const frontEnd = await chat.frontEnd();
    const { message } = await frontEnd.say('Look');
    await frontEnd.decide(toolParts(message)[0]?.approval.id, true);
    frontEnd.messages.pop();
    const { message: other } = await frontEnd.submit({ trigger: 'regenerate-message' });
    expect(textOf(other)).toBe('Otherwise.');
    expect((await frontEnd.stored()).messages).toEqual(frontEnd.messages);
  });
});

describe('an interrupted run of which nothing can be read', () => {
  it.each([
    ['altered', `update run_chunks set chunks = chunks || '\\x00'::bytea where user_id = $1`],
    ['incomplete', 'delete from run_chunks where user_id = $1 and sequence = 0'],
  ])('because it was %s is over, and its thread can be used', async (_name, damage) => {
    chat.model.script(callsTools([{ name: 'test_return', input: {} }], 'I look.'), says('Found.'));
    const frontEnd = await chat.frontEnd();
    const { message } = await frontEnd.say('Hi');
    const { userId } = frontEnd.user;
    await chat.steward.sql('delete from messages where user_id = $1 and id = $2', [userId, message.id]);
    await chat.steward.sql(damage, [userId]);
    const killed = `update runs set status = 'running', ended_at = null, lease_until = now() - interval '1 second' where user_id = $1`;
    await chat.steward.sql(killed, [userId]);
    await chat.steward.context.assistant.endAbandoned();
    const { status, run } = await frontEnd.stored();
    expect([status, run?.status]).toEqual([200, 'interrupted']);
    frontEnd.messages.pop();
    expect((await frontEnd.say('Again')).error).toBeUndefined();
  });
});

describe('many readers of one answer', () => {
  it('on another replica share one look at its database', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    chat.model.script(saysSlowly('Once ', promise, 'upon a time.'));
    const frontEnd = await chat.frontEnd();
    const answer = frontEnd.say('Tell me');
    await eventually(() => chat.model.calls.length > 0);
    const { db } = replicas.other.context;
    const query = db.query.bind(db);
    const looks = { begun: 0, running: 0, atOnce: 0 };
    db.query = async (statement, values) => {
      if (typeof statement !== 'string' || !statement.includes('from run_chunks')) return query(statement, values);
      looks.begun += 1;
      looks.running += 1;
      looks.atOnce = Math.max(looks.atOnce, looks.running);
      try {
        return await query(statement, values);
      } finally {
        looks.running -= 1;
      }
    };
    onTestFinished(() => {
      db.query = query;
    });
    const path = `/chat/${frontEnd.thread}/stream`;
    const reads = Array.from({ length: 100 }, () => replicas.other.call(path, { token: frontEnd.user.token }));
    // Each has looked, if each does.
    await eventually(() => looks.begun >= 5);
    resolve();
    await answer;
    const texts = new Set((await Promise.all(reads)).map(({ text }) => text));
    expect([...texts]).toEqual([expect.stringContaining('upon a time.')]);
    expect(looks.atOnce).toBe(1);
  });
});
