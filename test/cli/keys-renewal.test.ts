import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatKeyset, parseKeyset } from '../../src/config/master-key-list.ts';
import { keyIdOf, open, seal } from '../../src/crypto/envelope.ts';
import { deleteExpiredRows } from '../../src/database/retention.ts';
import { SEALED_COLUMNS } from '../../src/vault/rotation/sealed-columns-repository.ts';
import { FormBrowser } from '../support/browser/browser.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { runCli } from '../support/processes/cli.ts';
import { ExecutorScene } from '../support/scenes/executor-scene.ts';
import { answerConfirmation, newName, openConsent, outcome } from '../support/scenes/flows.ts';
import { PinnedSource } from '../support/scenes/source-account.ts';
import { retryNow } from '../support/scenes/webhook-scene.ts';
import { eventually } from '../support/time/eventually.ts';
import { automationRun } from '../support/users/automation-run.ts';
import { grantedThread } from '../support/users/granted-thread.ts';
import { type ConnectedGrant, endWait, grantState, leave } from '../support/users/refreshing.ts';

/** Columns of bytes of a user that are not encrypted with the user's key. */
const NOT_SEALED = [
  // Hashes.
  'approvals.arguments_hash',
  'approvals.asked_arguments_hash',
  'approvals.asked_input_hash',
  'approvals.input_hash',
  'approvals.items',
  'audit_log.arguments_hash',
  'bank_webhooks.digest',
  'browser_bindings.secret_hash',
  'client_grants.token_hash',
  'deleted_users.identity_hash',
  'idempotency_keys.arguments_hash',
  'notification_channels.confirmation_hash',
  'notification_confirmations.address_hash',
  'oauth_entries.grant_hash',
  'oauth_entries.id_hash',
  'oauth_flows.confirmation_hash',
  'oauth_flows.state_hash',
  'oauth_flows.ticket_hash',
  'web_sessions.callback_hash',
  'web_sessions.secret_hash',
  'written_items.item',
  // The keys themselves; the hash key is encrypted again with them.
  'former_user_keys.wrapped',
  'user_keys.hash_key',
  'user_keys.wrapped',
  // Under the service's own key.
  'oauth_entries.payload',
  'oauth_entries.response',
];

describe.skipIf(!hasPostgres)('npm run keys -- rewrap --new-user-keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-renewal-'));
  const file = join(folder, 'master.keys');
  let database: PostgresDatabase;
  let env: Record<string, string>;
  let scene: ExecutorScene;

  beforeAll(async () => {
    database = await createPostgresDatabase();
    writeFileSync(file, formatKeyset([{ id: 'leaked-0', secret: randomBytes(32) }]));
    env = { DATABASE_URL: database.url, MASTER_KEYS_FILE: file };
    scene = await ExecutorScene.start({ ...env, LIMIT_REVOCATION_RETRY_SECONDS: '1' });
  });

  afterAll(async () => {
    await scene?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(() => {
    scene.reset();
    Object.assign(scene.provider.tokens, { rotation: 'strict', fields: {}, before: () => {}, after: () => {} });
  });

  let leaks = 0;
  /** The master key leaks: a new one replaces it, and every user gets a new key. */
  async function recover(): Promise<void> {
    await replaceMasterKey();
    await renew();
  }

  async function replaceMasterKey(): Promise<void> {
    leaks += 1;
    const others = parseKeyset(readFileSync(file, 'utf8'));
    writeFileSync(file, formatKeyset([{ id: `leaked-${leaks}`, secret: randomBytes(32) }, ...others]));
    // The service reads the keys, and then reports them.
    await scene.steward.tick();
    await scene.steward.tick();
  }

  const renew = () => keys('rewrap', '--new-user-keys');

  async function keys(...args: string[]): Promise<string> {
    const end = await runCli('keys', args, env);
    expect(end, end.stderr).toMatchObject({ code: 0 });
    return end.stdout;
  }

  const current = ({ userId, grantId }: ConnectedGrant) => scene.steward.context.tokens.current(userId, grantId);

  async function keyOf({ userId }: Pick<ConnectedGrant, 'userId'>): Promise<string> {
    const rows = await database.sql<{ id: string }>('select id from user_keys where user_id = $1', [userId]);
    return rows[0]?.id ?? '';
  }

  /** The user's encrypted values, and the key of each. */
  async function sealed({ userId }: Pick<ConnectedGrant, 'userId'>): Promise<Record<string, string[]>> {
    const found: Record<string, string[]> = {};
    for (const { table, column } of SEALED_COLUMNS) {
      const rows = await database.sql<{ record: Buffer }>(
        `select ${column} as record from ${table} where user_id = $1 and ${column} is not null`,
        [userId],
      );
      found[`${table}.${column}`] = [...new Set(rows.map(({ record }) => keyIdOf(record)))];
    }
    return found;
  }

  it('leaves nothing under the old key, and everything can be decrypted', async () => {
    const user = await scene.connect();
    const form = () => ({ email: `${newName()}@example.com` });
    const prepared = await scene.steward.call('/workspace_access_request', { token: user.token, form: form() });
    const browser = new FormBrowser(scene.steward.url);
    const { consentUrl } = await openConsent(scene.steward, { token: user.token, ...form(), browser });
    const page = await browser.visit(scene.provider.approve(consentUrl, `${newName()}@example.com`));
    scene.sending(200, { id: 'first-time' });
    const once = (on = scene.steward) =>
      scene.call(user, 'test.send', { to: ['a@example.com'], text: 'Once.' }, { account: user.accountId, idempotencyKey: 'once' }, on);
    const first = await once();
    scene.policies.set('test.notify', { approval: 'destructive' });
    const told = await scene.ask(user, 'test.notify', { to: ['a@example.com'] }, { account: user.accountId });
    await scene.decide(user, told.approvalId, { rememberFor: 1 });
    await scene.call(user, 'test.read', {}, { account: user.accountId });
    const sources = () => database.sql('select 1 from context_reads where user_id = $1', [user.userId]);
    await eventually(async () => (await sources()).length === 1);
    scene.policies.set('test.send', { approval: 'always' });
    const ask = async (to: string) =>
      String((await scene.ask(user, 'test.send', { to: [to], text: 'May I?' }, { account: user.accountId })).approvalId);
    const approved = await ask('c@example.com');
    await scene.decide(user, approved);
    const approvalId = await ask('b@example.com');
    const { threads } = scene.steward.context;
    const said = Array.from({ length: 45 }, (_, index) => ({ id: `m${index}`, text: `Message ${index}` }));
    await threads.write(user.userId, async (tx) => {
      await threads.begin(tx, user.userId, 'renewed', { title: 'Before the leak' });
      for (const { id, text } of said)
        await threads.append(tx, user.userId, 'renewed', { id, role: 'user', parts: [{ type: 'text', text }] });
      await threads.setSummary(tx, user.userId, 'renewed', { text: 'As said.', position: 3 });
    });
    await automationRun(scene.steward, user, 'Invoices');
    const channel = { type: 'webhook', url: 'https://hooks.example.com/all', kinds: ['run.finished'] };
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(channel) };
    expect((await scene.steward.call('/notifications/channels', { token: user.token, ...json })).status).toBe(200);
    const runId = randomUUID();
    await database.sql(
      `insert into runs (id, user_id, thread_id, message_id, model, lease_until) values ($1, $2, 'renewed', 'answer', 'stand-in', now())`,
      [runId, user.userId],
    );
    const place = { table: 'run_chunks', column: 'chunks', userId: user.userId };
    const key = await scene.steward.context.userKeys.forUser(scene.steward.context.db, user.userId);
    for (let sequence = 0; sequence < 25; sequence += 1) {
      await database.sql('insert into run_chunks (user_id, run_id, sequence, chunks) values ($1, $2, $3, $4)', [
        user.userId,
        runId,
        sequence,
        seal(key, { ...place, rowId: `${runId} ${sequence}` }, String(sequence)),
      ]);
    }
    await database.sql(
      `insert into ended_grants (grant_id, user_id, provider, subject, tokens, try_after)
       select id, user_id, provider, subject, tokens, now() + interval '1 day' from grants where id = $1`,
      [user.grantId],
    );
    const pinned = new PinnedSource(scene.steward, 'tickets');
    for (const tool of ['search', 'read']) pinned.file.set(tool, {});
    const account = await pinned.connect(user.userId);
    await pinned.lists(user.userId, account, { name: 'search', inputSchema: {} }, { name: 'read', inputSchema: {} });
    const [before, token] = [await keyOf(user), await current(user)];
    expect(await sealed(user)).toEqual(allUnder(before));

    await recover();

    const now = await keyOf(user);
    expect(now).not.toBe(before);
    expect(await sealed(user)).toEqual(allUnder(now));
    expect(await current(user)).toBe(token);
    expect((await pinned.of(user.userId, account)).get('read')).toMatchObject({ state: 'allowed', approved: { name: 'read' } });
    expect((await scene.decide(user, approvalId)).data).toEqual(first.data);
    expect((await scene.steward.context.executor.outcome(user, approved)).result?.data).toEqual(first.data);
    const { thread, messages } = await threads.read(user.userId, 'renewed');
    expect([thread.title, messages.map(({ parts: [part] }) => part)]).toEqual([
      'Before the leak',
      said.map(({ text }) => ({ type: 'text', text })),
    ]);
    const { db, userKeys } = scene.steward.context;
    expect(await threads.summary(db, user.userId, 'renewed')).toEqual({ text: 'As said.', position: 3 });
    const chunks = await database.sql<{ sequence: number; chunks: Buffer }>('select sequence, chunks from run_chunks order by sequence');
    const renewed = await userKeys.forUser(db, user.userId);
    const sent = chunks.map(({ sequence, chunks: sealedChunk }) =>
      open(renewed, { ...place, rowId: `${runId} ${sequence}` }, sealedChunk).toString(),
    );
    expect(sent).toEqual(chunks.map(({ sequence }) => String(sequence)));
    scene.policies.clear();
    expect((await once()).data).toEqual(first.data);
    // A process without the key in memory recognizes the repeated call by the same hash.
    const other = await scene.replica(env);
    try {
      expect((await once(other)).data).toEqual(first.data);
    } finally {
      await other.stop();
    }
    expect(scene.sent).toBe(4);
    expect(await scene.steward.context.allowances.list(user.userId)).toMatchObject([{ recipients: [{ address: 'a@example.com' }] }]);
    const login = await browser.visit(prepared.body.login_url);
    expect(login.headers.get('location')).toContain(scene.provider.url);
    expect(outcome(await answerConfirmation(browser, page, 'confirm'))).toMatchObject({ status: 'connected' });
  });

  it('encrypts what runs of automations ask again: it can be decided when no former key is kept any more', async () => {
    const user = await scene.connect();
    scene.policies.set('test.send', { approval: 'always' });
    const thread = await grantedThread(scene.steward, user.userId, { actions: ['test.send'] });
    const { approvalId } = await scene.ask(user, 'test.send', { to: ['a@example.com'] }, { thread });
    await recover();
    await recover();
    await database.sql(`update former_user_keys set replaced_at = replaced_at - interval '26 hours'`);
    await deleteExpiredRows(scene.steward.context.db, 'former_user_keys');
    expect(await database.sql('select 1 from former_user_keys where user_id = $1', [user.userId])).toEqual([]);
    await database.sql(
      `update approvals set created_at = created_at - interval '50 hours', expires_at = expires_at - interval '50 hours' where id = $1`,
      [approvalId],
    );
    const other = await scene.replica(env);
    try {
      expect(await other.context.executor.approvals(user.userId)).toMatchObject([{ approvalId, input: { to: ['a@example.com'] } }]);
      expect((await scene.decide(user, approvalId, {}, other)).data).toEqual({ id: 'm1' });
    } finally {
      await other.stop();
    }
  });

  it('is complete after one run; another run changes nothing', async () => {
    const user = await scene.connect();
    await recover();
    const key = await keyOf(user);
    await renew();
    expect(await keyOf(user)).toBe(key);
  });

  it('replaces keys that were only wrapped again before', async () => {
    const user = await scene.connect();
    const key = await keyOf(user);
    await replaceMasterKey();
    await keys('rewrap');
    expect(await keyOf(user)).toBe(key);
    expect(await keys('status')).toMatch(/^\d+ user key\(s\) and 0 revocation\(s\) are or were under another key/m);
    await renew();
    expect(await keyOf(user)).not.toBe(key);
    expect(await keys('status')).not.toContain('are or were under another key');
  });

  it('encrypts waiting revocations again, which are still revoked', async () => {
    const user = await scene.connect();
    scene.provider.on('/revoke', (response) => void response.writeHead(503).end());
    const path = `/auth/workspace/accounts/${user.accountId}`;
    expect((await scene.steward.call(path, { method: 'DELETE', token: user.token })).status).toBe(200);
    const waiting = () => database.sql<{ wrapped_key: Buffer; token: Buffer }>('select wrapped_key, token from revocations');
    const [before] = await waiting();
    await recover();
    const [after] = await waiting();
    expect(after?.wrapped_key).not.toEqual(before?.wrapped_key);
    expect(after?.token).not.toEqual(before?.token);
    scene.provider.off('/revoke');
    await eventually(async () => {
      // Its retries have become rarer meanwhile.
      await retryNow(scene.steward, 'revoke');
      return (await waiting()).length === 0;
    });
    expect(scene.provider.revoked).toHaveLength(1);
  });

  describe('during a refresh', () => {
    /** A refresh whose response arrives when `open` is called. */
    async function refreshing() {
      const user = await scene.connect();
      await leave(database.sql, user, -60);
      const gate = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      scene.provider.tokens.after = () => {
        asked.resolve();
        return gate.promise;
      };
      const token = current(user);
      token.catch(() => {});
      await asked.promise;
      return { user, token, open: gate.resolve };
    }

    it.each([
      ['strict', 'held'],
      ['strict', 'over'],
      ['off', 'held'],
    ] as const)('loses nothing, with rotation %s and its lease %s', async (rotation, lease) => {
      scene.provider.tokens.rotation = rotation;
      const { user, token, open } = await refreshing();
      const begun = scene.provider.tokens.asked.length;
      if (lease === 'over') await endWait(database.sql, user, 'lease_until');
      await recover();
      open();
      expect(await token).toBe(scene.provider.tokens.given.at(-1));
      expect(await current(user)).toBe(await token);
      expect(await grantState(database.sql, user)).toMatchObject({ status: 'active' });
      expect((await sealed(user))['grants.tokens']).toEqual([await keyOf(user)]);
      expect(scene.provider.tokens.asked.length).toBe(begun);
      await leave(database.sql, user, -60);
      expect(await current(user)).toBe(scene.provider.tokens.given.at(-1));
      expect(scene.provider.tokens.asked.length).toBe(begun + 1);
    });
  });

  it('encrypts again what a former key encrypted', async () => {
    const user = await scene.connect();
    const [grant] = await database.sql<{ tokens: Buffer }>('select tokens from grants where id = $1', [user.grantId]);
    await recover();
    await database.sql('update grants set tokens = $2 where id = $1', [user.grantId, grant?.tokens]);
    await recover();
    expect((await sealed(user))['grants.tokens']).toEqual([await keyOf(user)]);
  });

  it('lets a question tell what was read under either key, of what a concurrent request encrypted with the old one', async () => {
    const user = await scene.connect();
    const stored = () =>
      database.sql<{ id: string; sources: Buffer }>('select id, sources from context_reads where user_id = $1 order by read_at', [
        user.userId,
      ]);
    const read = async (emailAddress: string, count: number) => {
      scene.reading(200, { emailAddress });
      await scene.call(user, 'test.read');
      await eventually(async () => (await stored()).length === count);
    };
    await read('before@example.net', 1);
    const [before] = await stored();
    await recover();
    await read('after@example.net', 2);
    await database.sql('update context_reads set sources = $2 where id = $1', [before?.id, before?.sources]);
    expect(new Set((await stored()).map(({ sources }) => keyIdOf(sources))).size).toBe(2);
    const { provenance } = await scene.ask(user, 'test.notify', { to: ['ana@example.com'] });
    expect(provenance).toEqual(['after@example.net', 'before@example.net'].map((author) => ({ action: 'test.read', author })));
  });

  it('can decrypt for a day what a concurrent request encrypted with the old key', async () => {
    const user = await scene.connect();
    const prepared = await scene.steward.call('/workspace_access_request', {
      token: user.token,
      form: { email: `${newName()}@example.com` },
    });
    const [flow] = await database.sql<{ id: string; secrets: Buffer }>(
      'select id, secrets from oauth_flows order by created_at desc limit 1',
    );
    await recover();
    await database.sql('update oauth_flows set secrets = $2 where id = $1', [flow?.id, flow?.secrets]);
    expect((await scene.steward.call(prepared.body.login_url.slice(scene.steward.url.length))).status).toBe(303);
    const { db, userKeys } = scene.steward.context;
    const age = async (hours: number) => {
      await database.sql(`update former_user_keys set replaced_at = now() - $2 * interval '1 hour' where user_id = $1`, [
        user.userId,
        hours,
      ]);
      await deleteExpiredRows(db, 'former_user_keys');
      return userKeys.toOpen(db, user.userId, flow?.secrets ?? Buffer.alloc(0));
    };
    expect(await age(24.5)).toMatchObject({ id: keyIdOf(flow?.secrets ?? Buffer.alloc(0)) });
    await expect(age(26)).rejects.toMatchObject({ code: 'internal' });
  });

  it('covers every column with encrypted data', async () => {
    const columns = await database.sql<{ name: string }>(
      `select c.table_name || '.' || c.column_name as name from information_schema.columns c
       where c.table_schema = 'public' and c.udt_name in ('bytea', '_bytea')
         and not exists (select 1 from pg_class where relname = c.table_name and relispartition) and exists (
         select 1 from information_schema.columns u where u.table_name = c.table_name and u.column_name = 'user_id')`,
    );
    const known = [...NOT_SEALED, ...SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`)];
    expect(columns.map(({ name }) => name).sort()).toEqual(known.sort());
  });
});

function allUnder(keyId: string): Record<string, string[]> {
  return Object.fromEntries(SEALED_COLUMNS.map(({ table, column }) => [`${table}.${column}`, [keyId]]));
}
