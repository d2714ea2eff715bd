import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allTables, type Table } from '../../../src/database/tables.ts';
import { usesEmbedded } from '../../support/database/test-database.ts';
import { userColumns } from '../../support/database/user-tables.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { newName } from '../../support/scenes/flows.ts';
import { fullUser, SAID } from '../../support/scenes/full-user.ts';
import { eventually } from '../../support/time/eventually.ts';
import { expectError } from '../../support/users/expect-error.ts';
import { request } from '../../support/users/request.ts';

/** The audit log is exported as a page of its own. */
const isExported = ([name, { exported }]: [string, Table]) => exported !== undefined || name === 'audit_log';

let scene: ExecutorScene;

beforeAll(async () => {
  scene = await ExecutorScene.start({ LIMIT_USER_EXPORTS_PER_MINUTE: '3' });
});

afterAll(() => scene.stop());

const read = (token: string) => request(scene.steward.url).get('/user/export').set('Authorization', token);

/** Rows of a table in the export's format. */
function rowsOf(body: Record<string, any>, table: string): Record<string, unknown>[] {
  if (table === 'users') return [body.user];
  if (table === 'audit_log') return body.audit_log.entries;
  if (table === 'deleted_users') return [body.deleted_before];
  return [body[table] ?? []].flat();
}

describe('GET /user/export', () => {
  it('is protected', async () => {
    expectError(await request(scene.steward.url).get('/user/export'), 'invalid_token');
  });

  it('is a file that is not cached', async () => {
    const { status, headers, body } = await read(await scene.steward.signIn(newName()));
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['content-disposition']).toMatch(/^attachment; filename="?steward-export-\d{4}-\d\d-\d\d\.json"?$/);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toMatchObject({
      format: 'steward.user-export',
      version: 1,
      truncated: [],
      waitlist: null,
      deleted_before: null,
      grants: [],
    });
  });

  it('has every column of every table with rows of the user, except what is withheld', async () => {
    const user = await fullUser(scene);
    const { issuer, subject } = await scene.steward.context.sessions.authenticate(user.token);
    await scene.steward.sql(
      `insert into deleted_users (identity_hash, deleted_at, user_id) values ($1, now() - interval '1 day', gen_random_uuid())`,
      [await scene.steward.context.names.identity(issuer, subject)],
    );
    const { body } = await read(user.token);
    const left: string[] = [];
    const exported = allTables().filter(isExported);
    const names = new Set<string>(exported.map(([name]) => name));
    for (const [table, columns] of await userColumns(scene.steward.sql)) {
      if (!names.has(table)) continue;
      const rows = rowsOf(body, table);
      expect(rows.length, table).toBeGreaterThan(0);
      left.push(...columns.filter((column) => rows.every((row) => !(column in row))).map((column) => `${table}.${column}`));
    }
    expect(left.sort()).toEqual(exported.flatMap(([name, { withheld = [] }]) => withheld.map((column) => `${name}.${column}`)).sort());
  });

  it('contains decrypted approval requests and stored results', async () => {
    const user = await fullUser(scene);
    const { body } = await read(user.token);
    expect(body.user).toMatchObject({ id: user.userId, email: `${user.name}@example.com` });
    expect(body.workspace_accounts.map(({ email }: { email: string }) => email)).toEqual([user.secondEmail, user.email]);
    expect(body.grants).toHaveLength(4);
    expect(body.source_accounts).toMatchObject([{ source: 'tickets', url: 'https://tickets.example/mcp', label: 'Tickets' }]);
    expect(body.source_tools).toMatchObject([
      { tool: 'search', is_blocked: false, approved: { name: 'search' }, listed: { name: 'search' } },
    ]);
    expect(body.waitlist.email).toBe(`${user.name}@example.com`);
    expect(body.approvals).toMatchObject([
      { action: 'test.send', status: 'pending', arguments: { input: { to: [`friend-of-${user.name}@example.com`], text: SAID } } },
      { action: 'test.send', status: 'approved', arguments: null, outcome: { result: { data: { id: SAID } } } },
    ]);
    expect(body.threads).toMatchObject([
      { id: user.runThread, title: SAID, summary: null },
      { id: `thread-of-${user.name}`, title: SAID, summary: { text: SAID, position: 1 } },
    ]);
    expect(body.automations).toMatchObject([{ named_accounts: [user.accountId], definition: { name: SAID, does: { prompt: SAID } } }]);
    expect(body.messages).toMatchObject([{ role: 'user', position: 1, content: { parts: [{ type: 'text', text: SAID }] } }]);
    expect(body.runs).toMatchObject([{ model: 'stand-in', status: 'done' }]);
    expect(body.idempotency_keys).toMatchObject([{ key: `key-of-${user.name}`, status: 'done', answer: { data: { id: SAID } } }]);
    expect(body.audit_log.entries.map(({ decision }: { decision: string }) => decision)).toEqual([
      'allowed',
      'token_created',
      'approval_required',
      'allowed',
      'started',
      'approved',
      'approval_required',
      'allowed',
      'started',
    ]);
    expect(body.events.map(({ event }: { event: string }) => event)).toContain('account.connected');
  });

  it('contains no token, no key and no hash of a secret', async () => {
    const user = await fullUser(scene);
    const { text } = await read(user.token);
    const secrets = scene.provider.issued.map(String);
    expect(secrets.length).toBeGreaterThan(0);
    for (const secret of [...secrets, user.token]) expect(text).not.toContain(secret);
    const sealed = await scene.steward.sql<{ bytes: Buffer }>(
      `select wrapped as bytes from user_keys union all select wrapped from former_user_keys union all select tokens from grants union all select tokens from ended_grants union all select secret_hash from browser_bindings
       union all select state_hash from oauth_flows union all select ticket_hash from oauth_flows where ticket_hash is not null
       union all select arguments_hash from approvals union all select input_hash from approvals union all select arguments from approvals where arguments is not null
       union all select outcome from approvals where outcome is not null union all select answer from idempotency_keys where answer is not null`,
    );
    for (const { bytes } of sealed) {
      for (const form of ['hex', 'base64', 'base64url'] as const) expect(text).not.toContain(Buffer.from(bytes).toString(form));
    }
    expect(text).not.toMatch(/access-|public-sandbox|\\\\x[0-9a-f]{8}/);
  });

  it('contains no data of others', async () => {
    const [one, other] = [await fullUser(scene), await fullUser(scene)];
    const { text } = await read(one.token);
    for (const trace of [other.name, other.userId, other.accountId, other.grantId, other.secondEmail]) expect(text).not.toContain(trace);
  });

  it.each([
    ['is not a record', Buffer.of(1)],
    ['claims a key whose id is NUL', Buffer.concat([Buffer.of(1, 1, 0), Buffer.alloc(100)])],
  ])('leaves empty what %s, and contains the rest', async (_name, record) => {
    const user = await fullUser(scene);
    await scene.steward.sql(`update approvals set arguments = $2 where user_id = $1 and status = 'pending'`, [user.userId, record]);
    await scene.steward.sql(`update approvals set outcome = $2 where user_id = $1 and status = 'approved'`, [user.userId, record]);
    await scene.steward.sql('update idempotency_keys set answer = $2 where user_id = $1', [user.userId, record]);
    const { status, body } = await read(user.token);
    expect(status).toBe(200);
    expect(body.approvals).toMatchObject([
      { status: 'pending', arguments: null },
      { status: 'approved', outcome: null },
    ]);
    expect(body.idempotency_keys).toMatchObject([{ status: 'done', answer: null }]);
  });

  it('is limited for each user separately', async () => {
    const [busy, other] = [await scene.steward.signIn(newName()), await scene.steward.signIn(newName())];
    for (let times = 0; times < 3; times += 1) expect((await read(busy)).status).toBe(200);
    expectError(await read(busy), 'rate_limited');
    expect((await read(other)).status).toBe(200);
  });

  it('names truncated tables, and the audit log’s cursor', async () => {
    const user = await fullUser(scene);
    await scene.steward.sql(
      `insert into events (user_id, seq, event, data) select $1, 1000 + n, 'many', '{}' from generate_series(1, 2500) n`,
      [user.userId],
    );
    await scene.steward.sql(
      `insert into audit_log (user_id, surface, action, decision, outcome, milliseconds, call_id)
       select $1, 'socket', 'many', 'allowed', 'ok', n, gen_random_uuid() from generate_series(1, 5100) n`,
      [user.userId],
    );
    await scene.steward.sql(
      `insert into idempotency_keys (user_id, asker, call_id, action, key, arguments_hash, running_until, status, answer)
       select $1, 'user', gen_random_uuid(), 'many', n::text, '\\x00', now(), 'done', convert_to(repeat('x', 1000000), 'UTF8') from generate_series(1, 6) n`,
      [user.userId],
    );
    const { body } = await read(user.token);
    expect(body.truncated.sort()).toEqual(['events', 'idempotency_keys']);
    expect(body.events).toHaveLength(2_000);
    expect(body.events[0].seq).toBe(3_500);
    expect(body.audit_log.entries).toHaveLength(5_000);
    const next = await request(scene.steward.url)
      .get(`/user/audit?limit=200&cursor=${body.audit_log.next_cursor}`)
      .set('Authorization', user.token);
    expect(next.body.entries).toHaveLength(109);
    expect(next.body.next_cursor).toBeNull();
  });
});

// The embedded database has one connection, so no other transaction can lock a table.
describe.skipIf(usesEmbedded())('GET /user/export while things change', () => {
  it('is a consistent snapshot', async () => {
    const { context, signIn, sql } = scene.steward;
    const name = newName();
    const token = await signIn(name);
    const { userId } = await context.sessions.authenticate(token);
    let answered = false;
    // Blocks the export at a table in its middle.
    const answer = await context.db.transaction(async (tx) => {
      await tx.query('lock table oauth_flows in access exclusive mode');
      const reading = read(token).then((response) => {
        answered = true;
        return response;
      });
      await blocked();
      await sql(`insert into events (user_id, seq, event, data) values ($1, 1, 'late', '{}')`, [userId]);
      expect(answered).toBe(false);
      return { reading };
    });
    const { body } = await answer.reading;
    expect(body.user.email).toBe(`${name}@example.com`);
    expect(body.events).toEqual([]);
  });
});

/** Resolves when a statement that reads waits for a lock; the sweep may wait for the same one, to delete. */
async function blocked(): Promise<void> {
  await eventually(async () => {
    const waiting = await scene.steward.sql(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query not like 'delete%'`,
    );
    return waiting.length > 0;
  });
}
