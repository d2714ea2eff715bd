import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { selectAuditEntries } from '../../../src/users/audit-entries-repository.ts';
import { rowsRead } from '../../support/database/rows-read.ts';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { newName } from '../../support/scenes/flows.ts';
import { expectError } from '../../support/users/expect-error.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { request } from '../../support/users/request.ts';

interface Entry {
  at: string;
  call_id: string;
  milliseconds: number;
  decision: string;
  outcome: string;
}

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

const read = (query = '', token = user.token) => request(scene.steward.url).get(`/user/audit${query}`).set('Authorization', token);

/** Rows with distinct milliseconds. */
function addRows(from: number, to: number, of = user): Promise<unknown> {
  return scene.steward.sql(
    `insert into audit_log (user_id, surface, action, decision, outcome, milliseconds, call_id)
     select $1, 'socket', 'test.read', 'allowed', 'ok', n, gen_random_uuid() from generate_series($2::int, $3::int) n`,
    [of.userId, from, to],
  );
}

const numbers = (entries: Entry[]) => entries.map(({ milliseconds }) => milliseconds);
const range = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index);

describe('GET /user/audit', () => {
  it('is protected', async () => {
    expectError(await request(scene.steward.url).get('/user/audit'), 'invalid_token');
  });

  it('lists action, account and outcome of each call, newest first', async () => {
    await scene.call(user, 'test.send', { to: ['a@example.com'] });
    await rejectedWith(scene.call(user, 'test.nothing'), 'not_found');
    const { status, body, headers } = await read();
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(Object.keys(body)).toEqual(['entries', 'next_cursor']);
    expect(body.next_cursor).toBeNull();
    const common = {
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      call_id: expect.any(String),
      surface: 'socket',
      decided_surface: null,
      client_id: null,
      milliseconds: expect.any(Number),
      count: 1,
      definition_hash: null,
    };
    const sent = { ...common, action: 'test.send', account_id: user.accountId, outcome: 'ok' };
    expect(body.entries).toEqual([
      { ...common, action: 'test.nothing', account_id: null, decision: 'refused', outcome: 'not_found' },
      { ...sent, decision: 'allowed' },
      { ...sent, decision: 'started' },
    ]);
    expect(body.entries[1].call_id).toBe(body.entries[2].call_id);
  });

  it('names the surface of the decision and of the call; so does the export', async () => {
    scene.policies.set('test.send', { approval: 'always' });
    const { approvalId } = await scene.ask(user, 'test.send', { to: ['a@example.com'] });
    await scene.decide(user, approvalId, { surface: 'page', approved: false });
    const where = { call_id: approvalId, surface: 'socket' };
    const shown = [
      { ...where, decided_surface: 'page', decision: 'denied' },
      { ...where, decided_surface: null, decision: 'approval_required' },
    ];
    expect((await read()).body.entries).toMatchObject(shown);
    const { body } = await request(scene.steward.url).get('/user/export').set('Authorization', user.token);
    expect(body.audit_log.entries).toMatchObject(shown);
    expect(body.approvals).toMatchObject([{ id: approvalId, surface: 'socket', status: 'denied' }]);
  });

  it('is empty for a new user', async () => {
    expect((await read('', await scene.steward.signIn(newName()))).body).toEqual({ entries: [], next_cursor: null });
  });

  it('returns 50 rows at a time, or as many as requested, and each row once although rows are added meanwhile', async () => {
    await addRows(1, 130);
    const first = (await read()).body;
    expect(numbers(first.entries)).toEqual(range(130, 81));
    await addRows(131, 140);
    const second = (await read(`?cursor=${first.next_cursor}&limit=70`)).body;
    expect(numbers(second.entries)).toEqual(range(80, 11));
    const last = (await read(`?cursor=${second.next_cursor}&limit=10`)).body;
    expect(numbers(last.entries)).toEqual(range(10, 1));
    expect(last.next_cursor).toBeNull();
    expect((await read(`?cursor=${second.next_cursor}&limit=10`)).body).toEqual(last);
  });

  it('shows no rows of others, whatever the cursor', async () => {
    const other = await scene.connect();
    await addRows(1, 60);
    await addRows(1_001, 1_060, other);
    const { next_cursor: mine } = (await read()).body;
    const { next_cursor: theirs } = (await read('', other.token)).body;
    expectError(await read(`?cursor=${theirs}`), 'invalid_request', /^cursor: must be the `next_cursor` of a page/);
    expectError(await read(`?cursor=${mine}`, other.token), 'invalid_request', /^cursor: /);
    expect(numbers((await read(`?cursor=${mine}`)).body.entries)).toEqual(range(10, 1));
  });

  it('does not disclose the number of rows by a cursor', async () => {
    // Ids long enough not to occur in random bytes by chance.
    await scene.steward.sql(`select setval(pg_get_serial_sequence('audit_log', 'id'), 4000000000000000)`);
    await addRows(1, 60);
    const [{ id }] = (await scene.steward.sql<{ id: string }>(
      'select id from audit_log where user_id = $1 order by id desc offset 49 limit 1',
      [user.userId],
    )) as [{ id: string }];
    const { next_cursor } = (await read()).body;
    expect(Buffer.from(next_cursor, 'base64url').toString('latin1')).not.toContain(id);
    expect((await read()).body.next_cursor).not.toBe(next_cursor);
  });

  it.each(['0', '201', '-1', '1.5', '1e2', 'ten', '', ' 5', '%005', '9999999999', '10&limit=20'])('rejects limit=%s', async (limit) => {
    expectError(await read(`?limit=${limit}`), 'invalid_request', /^limit: /);
  });

  it.each(['', '1', 'null', '00000000-0000-4000-8000-000000000000', 'AAAA', 'a'.repeat(500), 'a'.repeat(501), '%00', '..%2f', 'ab=='])(
    'rejects the cursor %.20s',
    async (cursor) => {
      await addRows(1, 3);
      expectError(await read(`?cursor=${cursor}`), 'invalid_request', /^cursor: /);
    },
  );

  it.each(['\u0000', 'x', "' or 1=1 --", '\u00ff'])('rejects a cursor with the key %j', async (keyId) => {
    const cursor = Buffer.concat([Buffer.of(1, Buffer.byteLength(keyId)), Buffer.from(keyId), Buffer.alloc(100)]).toString('base64url');
    expectError(await read(`?cursor=${cursor}`), 'invalid_request', /^cursor: /);
  });

  it('rejects a cursor that was altered, anywhere', async () => {
    await addRows(1, 60);
    const bytes = Buffer.from((await read()).body.next_cursor, 'base64url');
    for (const at of [0, 1, 10, 60, bytes.length - 17, bytes.length - 1]) {
      const altered = Buffer.from(bytes);
      altered[at]! ^= 1;
      expectError(await read(`?cursor=${altered.toString('base64url')}`), 'invalid_request', /^cursor: /);
    }
  });

  it('reads few more rows than a page has, however many there are', async () => {
    const others = await Promise.all(Array.from({ length: 3 }, () => scene.connect()));
    // Those of others are between those of the page.
    await addRows(1, 1_000);
    for (const other of others) await addRows(1, 3_000, other);
    await addRows(1_001, 2_000);
    await scene.steward.sql('analyze audit_log');
    const [{ id }] = (await scene.steward.sql<{ id: string }>(
      'select id from audit_log where user_id = $1 order by id desc offset 975 limit 1',
      [user.userId],
    )) as [{ id: string }];
    const { entries, read } = await scene.steward.context.db.snapshot(async (tx) => {
      const before = await rowsRead(tx, 'audit_log');
      const found = await selectAuditEntries(tx, user.userId, 51, id);
      return { entries: found, read: (await rowsRead(tx, 'audit_log')) - before };
    });
    expect(entries?.map(({ milliseconds }) => milliseconds)).toEqual(range(1_024, 974));
    // One of each partition, and those of the page.
    expect(read).toBeGreaterThanOrEqual(51);
    expect(read).toBeLessThan(51 + 20);
  });
});
