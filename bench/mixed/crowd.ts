import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { parseKeyset } from '../../src/config/master-key-list.ts';
import { Keyring } from '../../src/crypto/keyring.ts';
import { userKeyContext } from '../../src/vault/keys/user-keys.ts';
import type { Stage } from '../stage.ts';

const KEY_BYTES = 32;
/** Keys of one statement. */
const KEYS = 5_000;

/** New users have no rows of a table until its statement has run. */
const without = (table: string) =>
  `(select u.id from users u where u.issuer = 'crowd' and not exists (select 1 from ${table} t where t.user_id = u.id))`;

/** Copies of one real user's tokens, because they are not decrypted. */
const ROWS = [
  `insert into grants (id, user_id, provider, subject, tokens, scopes, expires_at)
   select gen_random_uuid(), u.id, g.provider, gen_random_uuid()::text, g.tokens, g.scopes, g.expires_at
   from ${without('grants')} u cross join (select distinct on (provider) provider, tokens, scopes, expires_at from grants order by provider) g`,
  `insert into workspace_accounts (id, grant_id, user_id, email, name, picture, is_default)
   select gen_random_uuid(), g.id, u.id, g.subject || '@example.com', 'Somebody', '', true
   from ${without('workspace_accounts')} u join grants g on g.user_id = u.id and g.provider = 'workspace'`,
  `insert into bank_items (id, grant_id, user_id, institution_id, bank_name, accounts)
   select gen_random_uuid(), g.id, u.id, 'ins_1', 'First Example Bank', '[]'
   from ${without('bank_items')} u join grants g on g.user_id = u.id and g.provider = 'bank'`,
  // Of an hour ago: those of the last half minute are read by every service that starts.
  `insert into events (user_id, seq, event, data, created_at)
   select u.id, n, 'account.connected', '{}', now() - interval '1 hour' from ${without('events')} u cross join generate_series(1, 3) n`,
  `update users set event_seq = 3 where issuer = 'crowd' and event_seq = 0`,
];
const CALLS = `insert into audit_log (user_id, surface, action, decision, outcome, milliseconds, call_id)
  select u.id, 'socket', 'mail.labels', 'allowed', 'ok', 40, gen_random_uuid()
  from ${without('audit_log')} u cross join generate_series(1, 5) n`;

/**
 * Adds inactive users up to a total number: each with a mailbox, a bank, three events and five calls,
 * and as many addresses on the waitlist.
 *
 * @param hasCalls false: without the calls
 */
export async function fillUp(stage: Stage, users: number, hasCalls = true): Promise<void> {
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  await client.connect();
  // Foreign keys are not checked: every row is made of rows that exist.
  await client.query('set session_replication_role = replica');
  const { rows } = await client.query<{ missing: number }>('select $1 - count(*)::int as missing from users', [users]);
  const missing = rows[0]?.missing ?? 0;
  if (missing > 0) {
    await client.query(
      `insert into users (issuer, subject, email)
       select 'crowd', id, id || '@example.com' from (select gen_random_uuid()::text as id from generate_series(1, $1::int)) as made`,
      [missing],
    );
    await giveKeys(client, stage.serviceEnv.MASTER_KEYS ?? '');
    for (const statement of hasCalls ? [...ROWS, CALLS] : ROWS) await client.query(statement);
    await client.query(`insert into waitlist (email) select gen_random_uuid() || '@example.com' from generate_series(1, $1::int)`, [
      missing,
    ]);
  }
  // As autovacuum would do during the measurement.
  await client.query('vacuum analyze');
  await client.end();
}

async function giveKeys(client: pg.Client, masterKeys: string): Promise<void> {
  const keyring = new Keyring(parseKeyset(masterKeys));
  const { rows } = await client.query<{ id: string }>(`select id from ${without('user_keys')} u`);
  for (let done = 0; done < rows.length; done += KEYS) {
    const userIds = rows.slice(done, done + KEYS).map(({ id }) => id);
    const ids = userIds.map(() => randomUUID());
    const wrapped = await Promise.all(
      userIds.map((userId, index) => keyring.wrap(randomBytes(KEY_BYTES), userKeyContext(userId, ids[index] ?? ''))),
    );
    await client.query(
      `insert into user_keys (id, user_id, master_key_id, wrapped)
       select id, user_id, $4, wrapped from unnest($1::uuid[], $2::uuid[], $3::bytea[]) as made (id, user_id, wrapped)`,
      [ids, userIds, wrapped.map((key) => key.wrapped), keyring.primaryId],
    );
  }
}
