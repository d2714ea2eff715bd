import pg from 'pg';

/** New users have no rows of a table until its statement has run. */
const without = (table: string) =>
  `(select u.id from users u where u.issuer = 'crowd' and not exists (select 1 from ${table} t where t.user_id = u.id))`;

/** Copies of one real user's key and tokens, because they are not decrypted. */
const ROWS = [
  `insert into user_keys (id, user_id, master_key_id, wrapped)
   select gen_random_uuid(), u.id, k.master_key_id, k.wrapped
   from ${without('user_keys')} u cross join (select master_key_id, wrapped from user_keys limit 1) k`,
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
  `insert into audit_log (user_id, surface, action, decision, outcome, milliseconds, call_id)
   select u.id, 'socket', 'mail.labels', 'allowed', 'ok', 40, gen_random_uuid()
   from ${without('audit_log')} u cross join generate_series(1, 5) n`,
];

/**
 * Adds inactive users up to a total number: each with a mailbox, a bank, three events and five calls,
 * and as many addresses on the waitlist.
 */
export async function fillUp(databaseUrl: string, users: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ missing: number }>('select $1 - count(*)::int as missing from users', [users]);
  const missing = rows[0]?.missing ?? 0;
  if (missing > 0) {
    await client.query(
      `insert into users (issuer, subject, email)
       select 'crowd', id, id || '@example.com' from (select gen_random_uuid()::text as id from generate_series(1, $1::int)) as made`,
      [missing],
    );
    for (const statement of ROWS) await client.query(statement);
    await client.query(`insert into waitlist (email) select gen_random_uuid() || '@example.com' from generate_series(1, $1::int)`, [
      missing,
    ]);
  }
  // As autovacuum would do during the measurement.
  await client.query('vacuum analyze');
  await client.end();
}
