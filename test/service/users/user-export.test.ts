import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { ExecutorScene } from '../../support/executor-scene.ts';
import { expectError } from '../../support/expect-error.ts';
import { newName } from '../../support/flows.ts';
import { fullUser, SAID } from '../../support/full-user.ts';
import { request } from '../../support/request.ts';
import { usesEmbedded } from '../../support/test-database.ts';
import { userColumns } from '../../support/user-tables.ts';

/** Columns of a user, or similar to such, that are not exported. */
const LISTED: Record<string, string> = {
  'user_keys.user_id': 'the user',
  'user_keys.wrapped': 'the key',
  'user_keys.hash_key': 'a key',
  'former_user_keys.user_id': 'the user',
  'former_user_keys.wrapped': 'a key',
  'grants.user_id': 'the user',
  'grants.tokens': 'tokens of the accounts',
  'ended_grants.user_id': 'the user',
  'ended_grants.tokens': 'tokens that wait to be revoked',
  'workspace_accounts.user_id': 'the user',
  'bank_items.user_id': 'the user',
  'bank_webhooks.digest': 'recognises a second delivery',
  'browser_bindings.user_id': 'the user',
  'browser_bindings.secret_hash': 'hash of a cookie',
  'oauth_flows.user_id': 'the user',
  'oauth_flows.ticket_hash': 'hash of a ticket',
  'oauth_flows.state_hash': 'hash of a state',
  'oauth_flows.secrets': 'state, nonce and verifier',
  'oauth_flows.pending': 'tokens that wait for confirmation',
  'oauth_flows.confirmation_hash': 'hash of a one-time form',
  'web_sessions.user_id': 'the user',
  'web_sessions.secret_hash': 'hash of a cookie',
  'contexts.user_id': 'the user',
  'threads.user_id': 'the user',
  'messages.user_id': 'the user',
  'runs.user_id': 'the user',
  run_chunks: 'pieces of messages, for ten minutes',
  context_reads: 'shown with approvals',
  written_items: 'hashes of ids',
  'allowances.user_id': 'the user',
  'read_only_accounts.user_id': 'the user',
  'client_grants.user_id': 'the user',
  'client_grants.token_hash': 'hash of a token',
  oauth_entries: 'hashes of codes and tokens; what they permit is in client_grants',
  'events.user_id': 'the user',
  'events.id': 'counts over all users',
  'events.is_early': 'the partition of the row',
  'approvals.user_id': 'the user',
  'approvals.arguments_hash': 'recognises the same call',
  'approvals.input_hash': 'recognises the same question',
  'approvals.items': 'recognises what it is about',
  'approvals.asked_arguments_hash': 'recognises the same call, as it was asked for',
  'approvals.asked_input_hash': 'recognises the same question, as it was asked',
  'idempotency_keys.user_id': 'the user',
  'idempotency_keys.arguments_hash': 'recognises the same call',
  'audit_log.user_id': 'the user',
  'audit_log.id': 'counts over all users',
  'audit_log.arguments_hash': 'recognises the same call',
  'audit_log.is_early': 'the partition of the row',
  'deleted_users.keyed': 'how the identity is named',
  'deleted_users.identity_hash': 'names the identity, which the export begins with',
  erasures: 'of users who are gone',
  revocations: 'tokens on their way out, by the provider’s account; no reference to a user',
  provider_subjects: 'a lock by the provider’s account; no reference to a user',
};

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

  it('has every column of every table with rows of the user, except those listed', async () => {
    const user = await fullUser(scene);
    const { issuer, subject } = await scene.steward.context.sessions.authenticate(user.token);
    await scene.steward.sql(
      `insert into deleted_users (identity_hash, deleted_at, user_id, keyed) values ($1, now() - interval '1 day', gen_random_uuid(), true)`,
      [await scene.steward.context.names.identity(issuer, subject)],
    );
    const { body } = await read(user.token);
    const left: string[] = [];
    for (const [table, columns] of await userColumns(scene.steward.sql)) {
      if (table in LISTED) continue;
      const rows = rowsOf(body, table);
      expect(rows.length, table).toBeGreaterThan(0);
      left.push(...columns.filter((column) => rows.every((row) => !(column in row))).map((column) => `${table}.${column}`));
    }
    expect(left.sort()).toEqual(
      Object.keys(LISTED)
        .filter((name) => name.includes('.'))
        .sort(),
    );
  });

  it('contains decrypted approval requests and stored results', async () => {
    const user = await fullUser(scene);
    const { body } = await read(user.token);
    expect(body.user).toMatchObject({ id: user.userId, email: `${user.name}@example.com` });
    expect(body.workspace_accounts.map(({ email }: { email: string }) => email)).toEqual([user.secondEmail, user.email]);
    expect(body.grants).toHaveLength(3);
    expect(body.waitlist.email).toBe(`${user.name}@example.com`);
    expect(body.approvals).toMatchObject([
      { action: 'test.send', status: 'pending', arguments: { input: { to: [`friend-of-${user.name}@example.com`], text: SAID } } },
      { action: 'test.send', status: 'approved', arguments: null, outcome: { result: { data: { id: SAID } } } },
    ]);
    expect(body.threads).toMatchObject([{ id: `thread-of-${user.name}`, title: SAID, summary: { text: SAID, position: 1 } }]);
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
      `insert into idempotency_keys (user_id, action, key, arguments_hash, running_until, status, answer)
       select $1, 'many', n::text, '\\x00', now(), 'done', convert_to(repeat('x', 1000000), 'UTF8') from generate_series(1, 6) n`,
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
