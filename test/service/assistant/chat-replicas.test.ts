import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChunkStore } from '../../../src/assistant/stream/chunk-store.ts';
import { callsTools, says, saysSlowly } from '../../support/emulators/scripted-model.ts';
import { ChatScene, type FrontEnd, readAll, TRANSPORTS, textOf, toolParts } from '../../support/scenes/chat-scene.ts';
import { newName, runNow } from '../../support/scenes/flows.ts';
import type { Replicas } from '../../support/scenes/mcp-scene.ts';
import { eventually } from '../../support/time/eventually.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const TO = { to: ['bob@example.com'], text: 'Hello' };
let chat: ChatScene;
let replicas: Replicas;

beforeAll(async () => {
  ({ chat, replicas } = await ChatScene.replicated());
});
beforeEach(() => chat.reset());
afterAll(() => chat.stop());

/** An answer that waits in its middle, and its front end, cut off from it. */
async function cutOff(kind: (typeof TRANSPORTS)[number]) {
  const { promise, resolve } = Promise.withResolvers<void>();
  chat.model.script(saysSlowly('Once upon ', promise, 'a time.'));
  const frontEnd = await chat.frontEnd(kind);
  frontEnd.messages.push({ id: newName(), role: 'user', parts: [{ type: 'text', text: 'Tell me' }] });
  const reader = (await frontEnd.open()).getReader();
  for (let type = ''; type !== 'text-delta'; ) type = (await reader.read()).value?.type ?? 'text-delta';
  if (kind === 'WebSocketChatTransport') frontEnd.cut();
  else await reader.cancel();
  reader.releaseLock();
  return { frontEnd, goOn: resolve };
}

async function expectComplete(read: Awaited<ReturnType<FrontEnd['resume']>>, frontEnd: FrontEnd): Promise<void> {
  expect(read?.error).toBeUndefined();
  expect(textOf(read?.message as never)).toBe('Once upon a time.');
  expect(read?.message.metadata).toMatchObject({ status: 'done' });
  expect((await frontEnd.stored()).messages).toEqual([...frontEnd.messages, read?.message]);
}

describe.each(TRANSPORTS)('after a cut, %s', (kind) => {
  it('reads the answer from its beginning on the same replica', async () => {
    const { frontEnd, goOn } = await cutOff(kind);
    const resumed = frontEnd.beside().resume();
    goOn();
    await expectComplete(await resumed, frontEnd);
  });

  it('reads the answer from its beginning on another replica', async () => {
    const { frontEnd, goOn } = await cutOff(kind);
    const elsewhere = frontEnd.beside(replicas.other);
    const stream = await elsewhere.transport.reconnectToStream({ chatId: frontEnd.thread });
    const read = readAll(stream as never);
    goOn();
    await expectComplete(await read, frontEnd);
  });

  it('reads an answer that has just ended, and nothing of an older one', async () => {
    const { frontEnd, goOn } = await cutOff(kind);
    goOn();
    await eventually(async () => (await frontEnd.stored()).run?.status === 'done');
    for (const service of [chat.steward, replicas.other]) await expectComplete(await frontEnd.beside(service).resume(), frontEnd);
    await chat.steward.sql(`update runs set ended_at = now() - interval '61 seconds' where thread_id = $1`, [frontEnd.thread]);
    expect(await frontEnd.beside().resume()).toBeUndefined();
  });

  it('rebuilds the whole message of an answer that goes on after an approval', async () => {
    chat.scene.policies.set('test.send', { approval: 'always' });
    chat.model.script(callsTools([{ name: 'test_send', input: TO }], 'I will write.'));
    const frontEnd = await chat.frontEnd(kind);
    const { message } = await frontEnd.say('Write to Bob');
    const approvalId = toolParts(message)[0]?.approval.id;
    await frontEnd.decide(approvalId, true);
    frontEnd.respond(approvalId, true);
    chat.model.script(says('Sent.'));
    const next = await frontEnd.submit();
    expect(next.chunks.filter(({ type }) => type === 'tool-input-available')).toHaveLength(0);
    for (const service of [chat.steward, replicas.other]) {
      const read = await frontEnd.beside(service).resume();
      expect(read?.message.id).toBe(message.id);
      expect(textOf(read?.message as never)).toBe('I will write.Sent.');
      expect(toolParts(read?.message as never)).toMatchObject([
        { state: 'output-available', approval: { id: approvalId, approved: true } },
      ]);
    }
  });
});

describe('stopping an answer', () => {
  it.each(TRANSPORTS)('by the front end that reads it (%s) or elsewhere ends the model’s request', async (kind) => {
    for (const elsewhere of [false, true]) {
      chat.model.script(saysSlowly('Once ', new Promise(() => {}), ''));
      const frontEnd = await chat.frontEnd(kind);
      const stopping = new AbortController();
      frontEnd.messages.push({ id: newName(), role: 'user', parts: [{ type: 'text', text: 'Tell me' }] });
      const reading = readAll(await frontEnd.open({ signal: stopping.signal })).catch(() => {});
      await eventually(() => chat.model.calls.length > 0);
      // DefaultChatTransport has no message for it: its front ends send the request.
      if (elsewhere || kind === 'DefaultChatTransport') {
        const on = elsewhere ? replicas.other : chat.steward;
        const path = `/chat/${frontEnd.thread}/stream`;
        expect((await on.call(path, { method: 'DELETE', token: frontEnd.user.token })).body).toEqual({ success: true });
      } else stopping.abort();
      await eventually(async () => (await frontEnd.stored()).run?.status === 'cancelled');
      await reading;
      const { messages } = await frontEnd.stored();
      expect(textOf(messages.at(-1) as never)).toBe('Once ');
      expect(messages.at(-1)?.metadata).toMatchObject({ status: 'cancelled' });
      chat.model.reset();
    }
  });

  it.each(['this replica', 'another replica'])('by a late reader of the answer before, on %s, does not stop this one', async (where) => {
    const on = where === 'this replica' ? chat.steward : replicas.other;
    const { assistant } = on.context;
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    chat.model.script(saysSlowly('One ', first.promise, 'end.'), saysSlowly('Two ', second.promise, 'end.'));
    const frontEnd = await chat.frontEnd();
    const one = frontEnd.say('First');
    await eventually(() => chat.model.calls.length === 1);
    const { userId } = await on.context.authenticateAny(frontEnd.user.token);
    const late = await assistant.resume({ userId } as never, frontEnd.thread);
    first.resolve();
    const { runId } = (await one).message.metadata as { runId: string };
    const two = frontEnd.say('Second');
    await eventually(() => chat.model.calls.length === 2);
    const path = `/chat/${frontEnd.thread}/stream`;
    await late?.cancel();
    const { body } = await on.call(`${path}?run=${runId}`, { method: 'DELETE', token: frontEnd.user.token });
    expect(body).toEqual({ success: true });
    expect(await chat.steward.sql('select 1 from runs where thread_id = $1 and cancel_requested', [frontEnd.thread])).toEqual([]);
    second.resolve();
    const { message } = await two;
    expect(textOf(message)).toBe('Two end.');
    expect(message.metadata).toMatchObject({ status: 'done' });
  });

  describe('by a late `abort` frame', () => {
    /** Two answers of a thread, one after the other, each of which waits in its middle. */
    async function twoAnswers() {
      const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      chat.model.script(saysSlowly('One ', first.promise, 'end.'), saysSlowly('Two ', second.promise, 'end.'));
      const frontEnd = await chat.frontEnd();
      const { thread, user } = frontEnd;
      const socketOf = (service: Pick<typeof chat.steward, 'url'>) => SocketClient.signedIn(service.url, user.token);
      const send = (socket: SocketClient, requestId: string) => {
        const message = { id: newName(), role: 'user', parts: [{ type: 'text', text: requestId }] };
        socket.send({ type: 'send', requestId, id: thread, trigger: 'submit-message', messages: [message], headers: {}, body: {} });
        return ended(socket, requestId);
      };
      const text = async () => textOf((await frontEnd.stored()).messages.at(-1) as never);
      const statuses = () => chat.steward.sql('select status from runs where thread_id = $1 order by started_at', [thread]);
      return { thread, socketOf, send, endFirst: first.resolve, endSecond: second.resolve, text, statuses };
    }

    const ended = (socket: SocketClient, id: string) => socket.next(({ requestId, type }) => requestId === id && type === 'end', 'the end');
    const DONE = [{ status: 'done' }, { status: 'done' }];

    it('of a reader elsewhere that has not noticed the end of the answer before does not stop this one', async () => {
      const { thread, socketOf, send, endFirst, endSecond, text, statuses } = await twoAnswers();
      const [here, elsewhere] = [await socketOf(chat.steward), await socketOf(replicas.other)];
      const one = send(here, 'one');
      await eventually(() => chat.model.calls.length === 1);
      elsewhere.send({ type: 'resume', requestId: 'late', id: thread, headers: {}, body: {} });
      await elsewhere.next(({ type }) => type === 'start');
      // It looks for more no longer.
      const [asleep, awake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      vi.spyOn(replicas.other.clock, 'sleep').mockImplementation(() => {
        asleep.resolve();
        return awake.promise;
      });
      await asleep.promise;
      endFirst();
      await one;
      const two = send(here, 'two');
      await eventually(() => chat.model.calls.length === 2);
      expect(await elsewhere.request({ type: 'abort', id: 'late' })).toMatchObject({ data: { aborted: true } });
      elsewhere.send({ type: 'abort', requestId: 'late' });
      awake.resolve();
      await ended(elsewhere, 'late');
      expect(await chat.steward.sql('select 1 from runs where thread_id = $1 and cancel_requested', [thread])).toEqual([]);
      endSecond();
      await two;
      expect(await text()).toBe('Two end.');
      expect(await statuses()).toEqual(DONE);
      for (const socket of [here, elsewhere]) await socket.close();
    });

    it('of the answer before, on the same socket, does not stop this one', async () => {
      const { socketOf, send, endFirst, endSecond, text, statuses } = await twoAnswers();
      const socket = await socketOf(chat.steward);
      const one = send(socket, 'one');
      endFirst();
      await one;
      const two = send(socket, 'two');
      await eventually(() => chat.model.calls.length === 2);
      expect(await socket.request({ type: 'abort', id: 'one' })).toMatchObject({ data: { aborted: false } });
      socket.send({ type: 'abort', requestId: 'one' });
      await socket.request({ type: 'list' });
      endSecond();
      await two;
      expect(await text()).toBe('Two end.');
      expect(await statuses()).toEqual(DONE);
      await socket.close();
    });
  });

  it('by its id ends it', async () => {
    chat.model.script(saysSlowly('Once ', new Promise(() => {}), ''));
    const frontEnd = await chat.frontEnd();
    const answer = frontEnd.say('Tell me');
    await eventually(() => chat.model.calls.length > 0);
    const [run] = await chat.steward.sql<{ id: string }>('select id from runs where thread_id = $1', [frontEnd.thread]);
    const stop = { method: 'DELETE', token: frontEnd.user.token };
    await replicas.other.call(`/chat/${frontEnd.thread}/stream?run=${run?.id}`, stop);
    expect((await answer).message.metadata).toMatchObject({ runId: run?.id, status: 'cancelled' });
  });

  it('lets a change that has started run to its end, and tells its result', async () => {
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    const { promise: going, resolve: goOn } = Promise.withResolvers<void>();
    chat.scene.provider.on('/api/gmail/v1/users/me/messages/send', async (response) => {
      resolve();
      await going;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"late"}');
    });
    chat.model.script(callsTools([{ name: 'test_send', input: TO }]), says('Never said.'));
    const frontEnd = await chat.frontEnd();
    const answer = frontEnd.say('Send');
    await arrived;
    await chat.steward.call(`/chat/${frontEnd.thread}/stream`, { method: 'DELETE', token: frontEnd.user.token });
    goOn();
    const { message } = await answer;
    expect(toolParts(message)).toMatchObject([{ state: 'output-available', output: { data: { id: 'late' } } }]);
    expect(message.metadata).toMatchObject({ status: 'cancelled' });
    expect((await frontEnd.stored()).messages).toEqual(frontEnd.messages);
    expect(chat.model.calls).toHaveLength(1);
  });

  it('is not done by a closed connection', async () => {
    const { frontEnd, goOn } = await cutOff('WebSocketChatTransport');
    goOn();
    await eventually(async () => (await frontEnd.stored()).run?.status === 'done');
    expect(textOf((await frontEnd.stored()).messages.at(-1) as never)).toBe('Once upon a time.');
  });
});

describe('a user deleted in mid-run', () => {
  it.each(['same', 'other'])('on the %s replica ends the run, which writes nothing more', async (where) => {
    const { promise: left, resolve } = Promise.withResolvers<void>();
    chat.model.script((response) => response.once('close', resolve));
    const frontEnd = await chat.frontEnd();
    frontEnd.messages.push({ id: newName(), role: 'user', parts: [{ type: 'text', text: 'Hi' }] });
    const reading = readAll(await frontEnd.open()).catch((error: Error) => error);
    await eventually(() => chat.model.calls.length > 0);
    const service = where === 'same' ? chat.steward : replicas.other;
    expect((await service.call('/user', { method: 'DELETE', token: frontEnd.user.token })).status).toBe(200);
    await left;
    await reading;
    // A row that the renewal of the run's lease changed at that moment is left to the job of every minute.
    await runNow(chat.steward, 'erase');
    for (const table of ['threads', 'messages', 'runs', 'run_chunks']) {
      const rows = () => chat.steward.sql(`select 1 from ${table} where user_id = $1`, [frontEnd.user.userId]);
      await eventually(async () => expect(await rows(), table).toEqual([]));
    }
  });
});

describe('a run whose replica is gone', () => {
  /** As a process leaves it that was killed after its call had begun. */
  async function leftBehind(): Promise<FrontEnd> {
    chat.model.script(callsTools([{ name: 'test_send', input: TO }], 'I write.'), says('Sent.'));
    const frontEnd = await chat.frontEnd();
    const { message } = await frontEnd.say('Write');
    const { userId } = frontEnd.user;
    const { db, userKeys } = chat.steward.context;
    const store = new ChunkStore(db, userKeys);
    const [row] = await chat.steward.sql<{ id: string }>('select id from runs where user_id = $1', [userId]);
    const run = { id: row?.id ?? '', userId };
    const sent = await store.read(db, run, 0);
    await chat.steward.sql('delete from run_chunks where user_id = $1', [userId]);
    await chat.steward.sql('delete from messages where user_id = $1 and id = $2', [userId, message.id]);
    await chat.steward.sql(`update runs set status = 'running', ended_at = null where user_id = $1`, [userId]);
    const begun = sent.slice(
      0,
      sent.findIndex(({ type }) => type === 'tool-output-available'),
    );
    expect(await store.store(run, 0, begun)).toBe(true);
    await chat.steward.sql(`update runs set lease_until = now() - interval '1 second' where user_id = $1`, [userId]);
    expect(chat.scene.sent).toBe(1);
    frontEnd.messages.pop();
    return frontEnd;
  }

  const EXPECTED = [{ toolName: 'test_send', state: 'output-error', errorText: expect.stringContaining('not known whether it ran') }];

  it('is interrupted when its thread is read: what it has said is kept', async () => {
    const frontEnd = await leftBehind();
    const { messages, run } = await frontEnd.beside(replicas.other).stored();
    expect(run).toMatchObject({ status: 'interrupted' });
    expect(textOf(messages.at(-1) as never)).toBe('I write.');
    expect(toolParts(messages.at(-1) as never)).toMatchObject(EXPECTED);
    expect(messages.at(-1)?.metadata).toMatchObject({ status: 'interrupted' });
    expect((await frontEnd.resume())?.message).toEqual(messages.at(-1));
  });

  it('is interrupted when it is resumed, by several readers at once', async () => {
    const frontEnd = await leftBehind();
    const reads = await Promise.all([chat.steward, replicas.other, chat.steward].map((service) => frontEnd.beside(service).resume()));
    for (const read of reads) expect(toolParts(read?.message as never)).toMatchObject(EXPECTED);
    expect((await frontEnd.stored()).messages).toEqual([...frontEnd.messages, reads[0]?.message]);
  });

  it('does not keep the user from writing on, and nothing of it is repeated', async () => {
    const frontEnd = await leftBehind();
    chat.model.reset();
    expect(textOf((await frontEnd.say('Go on')).message)).toBe('Done.');
    expect(
      chat.model.lastMessages.some(({ role, content }) => role === 'tool' && String(content).includes('not known whether it ran')),
    ).toBe(true);
    expect(chat.scene.sent).toBe(1);
  });

  it('keeps what the user has approved if it ended before it had sent anything', async () => {
    chat.scene.policies.set('test.send', { approval: 'always' });
    chat.model.script(callsTools([{ name: 'test_send', input: TO }], 'I write.'), says('Sent.'));
    const frontEnd = await chat.frontEnd();
    const { message } = await frontEnd.say('Write');
    const { userId } = frontEnd.user;
    const approvalId = toolParts(message as never)[0]?.approval?.id;
    expect(await frontEnd.decide(approvalId, true)).toBe(200);
    frontEnd.respond(approvalId, true);
    await frontEnd.submit();
    // As the second run had left it that was killed at once.
    const [run] = await chat.steward.sql<{ id: string }>('select id from runs where user_id = $1 order by started_at desc limit 1', [
      userId,
    ]);
    await chat.steward.sql('delete from run_chunks where run_id = $1', [run?.id]);
    await chat.steward.sql(`update runs set status = 'running', ended_at = null, lease_until = now() - interval '1 second' where id = $1`, [
      run?.id,
    ]);
    const { messages } = await frontEnd.beside(replicas.other).stored();
    expect(messages.at(-1)).toMatchObject({ id: message.id, metadata: { status: 'interrupted' } });
    expect(textOf(messages.at(-1) as never)).toContain('I write.');
    expect(toolParts(messages.at(-1) as never)).toMatchObject([{ toolName: 'test_send', state: 'output-available' }]);
    expect(chat.scene.sent).toBe(1);
    expect((await frontEnd.resume())?.message).toEqual(messages.at(-1));
  });

  it('is interrupted by the sweep', async () => {
    const frontEnd = await leftBehind();
    await chat.steward.context.assistant.endAbandoned();
    const rows = await chat.steward.sql('select status from runs where user_id = $1', [frontEnd.user.userId]);
    expect(rows).toEqual([{ status: 'interrupted' }]);
  });
});

describe('what a run has sent', () => {
  it('is stored once, also when a part is sent again because it was not known whether it was stored', async () => {
    const frontEnd = await chat.frontEnd();
    await frontEnd.say('Hi');
    const { userId } = frontEnd.user;
    const [row] = await chat.steward.sql<{ id: string }>(`update runs set status = 'running' where user_id = $1 returning id`, [userId]);
    const run = { id: row?.id ?? '', userId };
    await chat.steward.sql('delete from run_chunks where run_id = $1', [run.id]);
    const { db, userKeys } = chat.steward.context;
    const store = new ChunkStore(db, userKeys);
    const parts = ['a', 'b', 'c', 'd'].map((delta) => ({ type: 'text-delta', id: '1', delta }) as const);
    const [a, b, c, d] = parts as [(typeof parts)[0], (typeof parts)[0], (typeof parts)[0], (typeof parts)[0]];
    await store.store(run, 0, [a, b, c]);
    // The first attempt, late.
    await store.store(run, 0, [a, b]);
    await store.store(run, 3, [d]);
    expect(await store.read(db, run, 0)).toEqual(parts);
    expect(await store.read(db, run, 2)).toEqual([c, d]);
    expect(await store.read(db, run, 4)).toEqual([]);
    await chat.steward.sql(`update runs set status = 'done' where id = $1`, [run.id]);
  });
});

describe('a conversation that is full', () => {
  it('keeps the answer to what the user could still write, and takes nothing more', async () => {
    chat.model.script(says('x'.repeat(60_000)));
    const frontEnd = await chat.frontEnd();
    await frontEnd.say('Hi');
    await chat.steward.sql(
      `update messages set content = convert_to(repeat('x', 16000000 - 90000), 'utf8') where user_id = $1 and role = 'user'`,
      [frontEnd.user.userId],
    );
    chat.model.script(says('y'.repeat(60_000)));
    expect(textOf((await frontEnd.say('More')).message)).toHaveLength(60_000);
    const { messages, run } = await frontEnd.stored();
    expect(run).toMatchObject({ status: 'done' });
    expect(textOf(messages.at(-1) as never)).toHaveLength(60_000);
    await expect(frontEnd.say('And more')).rejects.toThrow(/too long/);
  });
});
