import type { UIMessage } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { walkErasure } from '../../../src/users/erasures.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { sweepNow, unschedule } from '../../support/scenes/flows.ts';
import { eventually } from '../../support/time/eventually.ts';
import { expectError } from '../../support/users/expect-error.ts';
import { newThread } from '../../support/users/new-thread.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

let scene: ExecutorScene;
let user: ConnectedGrant;
let other: ConnectedGrant;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  [user, other] = [await scene.connect(), await scene.connect()];
});

const begin = (options: { id?: string; said?: readonly string[] } = {}, of = user) => newThread(scene.steward, of.userId, options);
const get = (path: string, token = user.token) => scene.steward.call(path, { token });
const remove = (id: string, token = user.token) => scene.steward.call(`/threads/${id}`, { method: 'DELETE', token });
const rename = (id: string, title: string, token = user.token) => scene.steward.call(`/threads/${id}`, { token, form: { title } });
const titles = async (query = '') => (await get(`/threads${query}`)).body.threads.map(({ title }: { title: string }) => title);
const rowsOf = (table: string, of = user) => scene.steward.sql(`select * from ${table} where user_id = $1`, [of.userId]);
const answer = (text: string): UIMessage => ({
  id: 'answer',
  role: 'assistant',
  parts: [{ type: 'text', text }],
  metadata: { runId: '1' },
});

/** A run of a thread. */
async function addRun(threadId: string, { status = 'done', leaseSeconds = 30, endedDays = 0 } = {}): Promise<string> {
  const [row] = await scene.steward.sql<{ id: string }>(
    `insert into runs (id, user_id, thread_id, message_id, model, status, lease_until, ended_at)
     values (gen_random_uuid(), $1, $2, 'answer', 'stand-in', $3, now() + $4 * interval '1 second',
             case when $3 <> 'running' then now() - $5 * interval '1 day' end) returning id`,
    [user.userId, threadId, status, leaseSeconds, endedDays],
  );
  return row?.id ?? '';
}

const addChunk = (runId: string, minutes: number) =>
  scene.steward.sql(
    `insert into run_chunks (user_id, run_id, sequence, chunks, created_at) values ($1, $2, 0, '\\x00', now() - $3 * interval '1 minute')`,
    [user.userId, runId, minutes],
  );

describe('GET /threads', () => {
  it('is protected, also from a personal access token', async () => {
    expectError(await scene.steward.call('/threads'), 'invalid_token');
    const script = await scene.steward.context.clientTokens.create(user.userId, { name: 'x', actions: ['*'], access: 'read', days: 1 });
    for (const path of ['/threads', '/threads/x']) expectError(await get(path, script.token), 'invalid_token');
  });

  it('lists only the caller’s conversations, the latest first, with the state of their last run', async () => {
    await begin({ id: 'first', said: ['First'] });
    await begin({ id: 'second', said: ['Second'] });
    await begin({ said: ['Another’s'] }, other);
    const { threads } = scene.steward.context;
    await threads.write(user.userId, (tx) => threads.append(tx, user.userId, 'first', answer('Done.')));
    await addRun('second', { status: 'cancelled' });
    const { status, body } = await get('/threads');
    expect(status).toBe(200);
    expect(body).toEqual({
      threads: [
        { id: 'first', title: 'First', created_at: expect.any(String), updated_at: expect.any(String), status: null },
        { id: 'second', title: 'Second', created_at: expect.any(String), updated_at: expect.any(String), status: 'cancelled' },
      ],
      next: null,
    });
  });

  it('shows a run as interrupted whose process is gone', async () => {
    const id = await begin();
    await addRun(id, { status: 'running' });
    expect((await get('/threads')).body.threads[0].status).toBe('running');
    await scene.steward.sql(`update runs set lease_until = now() - interval '1 second' where user_id = $1`, [user.userId]);
    expect((await get('/threads')).body.threads[0].status).toBe('interrupted');
    expect((await get(`/threads/${id}`)).body.run).toMatchObject({
      status: 'interrupted',
      model: 'stand-in',
      message_id: 'answer',
      error: null,
    });
  });

  it('gives pages, without a gap or a repetition', async () => {
    for (let index = 0; index < 7; index += 1) await begin({ said: [`Number ${index}`] });
    // As after a restore: many of the same moment.
    await scene.steward.sql('update threads set updated_at = now() where user_id = $1', [user.userId]);
    const all = await titles();
    const paged: string[] = [];
    for (let before: string | null = ''; before !== null; ) {
      const { body } = await get(`/threads?limit=3${before && `&before=${before}`}`);
      paged.push(...body.threads.map(({ title }: { title: string }) => title));
      before = body.next;
    }
    expect(paged).toEqual(all);
    expect(paged).toHaveLength(7);
  });

  it('finds titles that contain a text, in any case, over pages', async () => {
    for (let index = 0; index < 250; index += 1) {
      const title = index % 100 === 7 ? `Rechnung für Ána ${index}` : `Other ${index}`;
      await begin({ said: [title] });
    }
    expect(await titles('?search=FÜR+ÁNA')).toEqual(['Rechnung für Ána 207', 'Rechnung für Ána 107', 'Rechnung für Ána 7']);
    const { body } = await get('/threads?search=rechnung&limit=2');
    expect(body.threads).toHaveLength(2);
    expect((await get(`/threads?search=rechnung&limit=2&before=${body.next}`)).body).toMatchObject({
      threads: [{ title: 'Rechnung für Ána 7' }],
      next: null,
    });
    expect(await titles('?search=nothing')).toEqual([]);
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'before=x', 'before=1.%27', `search=${'x'.repeat(201)}`, 'page=2'])(
    'rejects %s',
    async (query) => {
      expectError(await get(`/threads?${query}`), 'invalid_request');
    },
  );

  it('leaves out a title that can’t be decrypted, and nothing else', async () => {
    await begin({ id: 'altered', said: ['Altered'] });
    await begin({ id: 'kept', said: ['Kept'] });
    // Moved from one row to the other, it isn't accepted either.
    await scene.steward.sql(
      `update threads set title = (select title from threads where user_id = $1 and id = 'kept') where user_id = $1 and id = 'altered'`,
      [user.userId],
    );
    expect(await titles()).toEqual(['Kept', '']);
  });
});

describe('GET /threads/{id}', () => {
  it('has the messages of the conversation as they were stored, oldest first, and the last run', async () => {
    const id = await begin({ said: ['Find the mail.'] });
    const { threads } = scene.steward.context;
    const parts = [
      { type: 'text', text: '<b>Found</b>' },
      { type: 'dynamic-tool', toolName: 'mail_search', toolCallId: 'c1', state: 'output-available', input: {}, output: { data: [1] } },
    ] as UIMessage['parts'];
    await threads.write(user.userId, (tx) => threads.append(tx, user.userId, id, { ...answer(''), parts }));
    const runId = await addRun(id, { status: 'failed' });
    const { status, body } = await get(`/threads/${id}`);
    expect(status).toBe(200);
    expect(body.messages).toEqual([
      { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Find the mail.' }] },
      { id: 'answer', role: 'assistant', parts, metadata: { runId: '1' } },
    ]);
    expect(body.thread).toMatchObject({ id, title: 'Find the mail.', status: 'failed' });
    expect(body.run).toEqual({ id: runId, status: 'failed', model: 'stand-in', message_id: 'answer', error: null });
  });

  it('is not found for another user, a malformed id, and one that doesn’t exist', async () => {
    const id = await begin();
    for (const path of [`/threads/${id}`, `/threads/${'x'.repeat(65)}`, '/threads/%27', '/threads/%00', '/threads/none']) {
      expectError(await get(path, other.token), 'not_found');
    }
  });

  it('is the caller’s own where two users have chosen the same id', async () => {
    await begin({ id: 'chat', said: ['Mine'] });
    await begin({ id: 'chat', said: ['Theirs'] }, other);
    expect((await get('/threads/chat')).body.thread.title).toBe('Mine');
    await remove('chat');
    expect((await get('/threads/chat', other.token)).body.thread.title).toBe('Theirs');
  });
});

describe('POST /threads/{id}', () => {
  it('renames the caller’s conversation; a title is text, on one line', async () => {
    const id = await begin();
    expect((await rename(id, '<img src=x onerror=alert(1)>\u202e “Taxes” ')).body).toEqual({ success: true });
    const { headers, body } = await get('/threads');
    expect(headers.get('content-type')).toContain('application/json');
    expect(body.threads[0].title).toBe('<img src=x onerror=alert(1)> “Taxes”');
  });

  it('rejects a title that can’t be seen, and is not found for another user', async () => {
    const id = await begin();
    for (const title of ['', ' ', 'a\nb', '\u202e', 'x'.repeat(201)]) expectError(await rename(id, title), 'invalid_request');
    expectError(await rename(id, 'Mine', other.token), 'not_found');
    expect(await titles()).toEqual(['Hello.']);
  });
});

describe('DELETE /threads/{id}', () => {
  it('deletes the conversation with all that was said and read in it, and cancels its run', async () => {
    const thread = await begin({ said: ['One', 'Two'] });
    await scene.call(user, 'test.read', {}, { thread });
    await eventually(async () => expect(await rowsOf('context_reads')).toHaveLength(1));
    const runId = await addRun(thread, { status: 'running' });
    await addChunk(runId, 0);
    const kept = await begin({ said: ['Kept'] });
    await scene.call(user, 'test.read', {}, { thread: kept });

    expectError(await remove(thread, other.token), 'not_found');
    expect((await remove(thread)).body).toEqual({ success: true });

    expect(await titles()).toEqual(['Kept']);
    expectError(await get(`/threads/${thread}`), 'not_found');
    expect(await rowsOf('messages')).toHaveLength(1);
    expect(await rowsOf('run_chunks')).toEqual([]);
    expect(await rowsOf('contexts')).toMatchObject([{ name: `thread:${kept}` }]);
    expect(await rowsOf('runs')).toMatchObject([{ id: runId, cancel_requested: true }]);
    expectError(await remove(thread), 'not_found');
  });

  it('ends its pending approvals and deletes their outcomes, and no others', async () => {
    const [thread, kept] = [await begin(), await begin()];
    scene.policies.set('test.notify', { approval: 'always' });
    const ask = async (of: string, to: string) => (await scene.ask(user, 'test.notify', { to: [to] }, { thread: of })).approvalId;
    const [pending, done, others] = [
      await ask(thread, 'a@example.com'),
      await ask(thread, 'b@example.com'),
      await ask(kept, 'a@example.com'),
    ];
    await scene.decide(user, done);
    await remove(thread);
    const approvals = (await get('/approvals')).body.approvals.map(({ id }: { id: string }) => id);
    expect(approvals).toEqual([others]);
    const states = await scene.steward.sql('select id, status, end_reason, outcome from approvals where user_id = $1 order by created_at', [
      user.userId,
    ]);
    expect(states).toMatchObject([
      { id: pending, status: 'ended', end_reason: 'thread_deleted' },
      { id: done, status: 'approved', outcome: null },
      { id: others, status: 'pending' },
    ]);
    const events = await scene.steward.sql<{ data: object }>(`select data from events where user_id = $1 and event = 'approval.ended'`, [
      user.userId,
    ]);
    expect(events).toMatchObject([{ data: { approvalId: pending, reason: 'thread_deleted', thread } }]);
  });

  it('leaves nothing of a former conversation to one that is begun under its id', async () => {
    await begin({ id: 'again', said: ['Before'] });
    await addRun('again', { status: 'failed' });
    await remove('again');
    await begin({ id: 'again', said: ['After'] });
    expect((await get('/threads/again')).body).toMatchObject({
      thread: { title: 'After', status: null },
      messages: [{ id: 'm1' }],
      run: null,
    });
  });
});

describe('a conversation', () => {
  it('has a bounded number of messages and bytes, and a user a bounded number of them', async () => {
    const store = scene.steward.context.threads;
    const id = await begin();
    const append = (message: UIMessage) => store.write(user.userId, (tx) => store.append(tx, user.userId, id, message));
    await expect(append(answer('x'.repeat(4_000_000)))).rejects.toMatchObject({ code: 'too_large' });
    await expect(append({ ...answer(''), id: 'no id' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(append({ ...answer(''), role: 'system' })).rejects.toMatchObject({ code: 'invalid_request' });
    for (let index = 0; index < 4; index += 1) await append({ ...answer('x'.repeat(3_900_000)), id: `long${index}` });
    const said = (text: string, as: string): UIMessage => ({ id: as, role: 'user', parts: [{ type: 'text', text }] });
    await expect(append(said('x'.repeat(500_000), 'm2'))).rejects.toMatchObject({ code: 'conflict' });
    await append(said('Still short.', 'm2'));
    await expect(append(said('Again.', 'm2'))).rejects.toMatchObject({ code: 'conflict' });
    await scene.steward.sql(
      `insert into messages (user_id, thread_id, id, position, role, content)
       select $1, $2, 'n' || n, n, 'user', '\\x00' from generate_series(7, 1000) n`,
      [user.userId, id],
    );
    await expect(append(said('Last.', 'm3'))).rejects.toMatchObject({ code: 'conflict' });

    await scene.steward.sql(`insert into threads (user_id, id) select $1, 't' || n from generate_series(2, 1000) n`, [user.userId]);
    await expect(begin({ id: 'one-more' })).rejects.toMatchObject({ code: 'conflict' });
    await begin({ id: 't2', said: [] });
    await remove('t3');
    await begin({ id: 'one-more' });
  });

  it('loses the messages after one, with a summary of them', async () => {
    const store = scene.steward.context.threads;
    const { db } = scene.steward.context;
    const id = await begin({ said: ['One', 'Two', 'Three'] });
    const drop = (message: string) => store.write(user.userId, (tx) => store.dropAfter(tx, user.userId, id, message));
    await store.write(user.userId, (tx) => store.setSummary(tx, user.userId, id, { text: 'One and two.', position: 2 }));
    await drop('m2');
    expect(await store.summary(db, user.userId, id)).toEqual({ text: 'One and two.', position: 2 });
    await drop('m1');
    expect(await store.summary(db, user.userId, id)).toBeUndefined();
    await expect(drop('m2')).rejects.toMatchObject({ code: 'not_found' });
    const position = await store.write(user.userId, (tx) => store.append(tx, user.userId, id, answer('New.')));
    expect(position).toBe(2);
    await store.write(user.userId, (tx) => store.replace(tx, user.userId, id, answer('Newer.')));
    const messages = await store.messages(db, user.userId, id);
    expect(messages).toMatchObject([
      { position: 1, message: { id: 'm1' } },
      { position: 2, message: { parts: [{ text: 'Newer.' }] } },
    ]);
    await expect(store.write(user.userId, (tx) => store.replace(tx, user.userId, id, { ...answer(''), id: 'none' }))).rejects.toMatchObject(
      { code: 'not_found' },
    );
  });

  it('takes no message once it is deleted, or its user', async () => {
    const store = scene.steward.context.threads;
    const [id, kept] = [await begin(), await begin()];
    const append = (to: string) => store.write(user.userId, (tx) => store.append(tx, user.userId, to, answer('Late.')));
    await remove(id);
    await expect(append(id)).rejects.toMatchObject({ code: 'not_found' });
    await scene.steward.call('/user', { method: 'DELETE', token: user.token });
    await expect(append(kept)).rejects.toMatchObject({ code: 'invalid_token' });
    for (const table of ['threads', 'messages', 'runs', 'run_chunks', 'contexts']) expect(await rowsOf(table), table).toEqual([]);
  });
});

describe('the sweep', () => {
  it('deletes runs after 40 days and what they sent after 10 minutes, and no others', async () => {
    const id = await begin();
    await addRun(id, { endedDays: 41 });
    const recent = await addRun(id, { endedDays: 39 });
    const [ended, running] = [await addRun(id), await addRun(id, { status: 'running' })];
    await scene.steward.sql(`update runs set ended_at = now() - interval '11 minutes' where id = $1`, [ended]);
    const late = await addRun(id, { status: 'failed' });
    for (const runId of [recent, ended, running, late]) await addChunk(runId, 15);
    await sweepNow(scene.steward);
    await eventually(async () => {
      const runs = (await rowsOf('runs')).map((row) => (row as { id: string }).id);
      expect(runs.sort()).toEqual([recent, ended, running, late].sort());
      const chunks = (await rowsOf('run_chunks')).map((row) => (row as { run_id: string }).run_id);
      expect(chunks.sort()).toEqual([running, late].sort());
      return true;
    });
  });
});

describe('DELETE /user', () => {
  it('deletes conversations of any length', async () => {
    await unschedule(scene.steward.sql, 'erase');
    const id = await begin();
    await scene.steward.sql(
      `insert into messages (user_id, thread_id, id, position, role, content)
       select $1, $2, 'n' || n, n, 'user', '\\x00' from generate_series(2, 2500) n`,
      [user.userId, id],
    );
    await scene.steward.sql(
      `insert into runs (id, user_id, thread_id, message_id, model, status, lease_until, ended_at)
       select gen_random_uuid(), $1, 'gone', 'answer', 'stand-in', 'done', now(), now() from generate_series(1, 2500)`,
      [user.userId],
    );
    await scene.steward.call('/user', { method: 'DELETE', token: user.token });
    // A bounded number goes with the user, the rest in the background.
    expect((await rowsOf('messages')).length).toBe(1_500);
    await walkErasure(scene.steward.context.db, user.userId);
    for (const table of ['threads', 'messages', 'runs']) expect(await rowsOf(table), table).toEqual([]);
  });
});
