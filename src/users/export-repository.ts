import type { Queryable } from '../database/database.ts';

/** Maximum number of rows of a table, the newest ones; older rows of the audit log are on its pages. */
const ROWS = 2_000;
/** Maximum size of the encrypted contents of a table, bytes. */
const CONTENTS = 4_000_000;

type Json = Record<string, unknown>;

export interface Section {
  rows: Json[];
  /** Older rows, or contents of some rows, were left out. */
  truncated: boolean;
}

/** The rows of a user in each table, without secrets; encrypted contents are decrypted later. */
const TABLES = {
  user_keys: 'select id, master_key_id, rewrapped, created_at from user_keys where user_id = $1::uuid',
  former_user_keys: 'select id, master_key_id, replaced_at from former_user_keys where user_id = $1::uuid order by replaced_at desc',
  grants: `select id, provider, subject, scopes, status, version, expires_at, lease_until, refresh_failures, refresh_after, created_at, updated_at
           from grants where user_id = $1::uuid order by created_at desc`,
  ended_grants:
    'select id, grant_id, provider, subject, ended_at, try_after from ended_grants where user_id = $1::uuid order by ended_at desc',
  workspace_accounts: `select id, grant_id, email, name, picture, is_default, connected_at
                       from workspace_accounts where user_id = $1::uuid order by connected_at desc`,
  bank_items: `select id, grant_id, institution_id, bank_name, accounts, connected_at, sync_state, warning, expires_at, new_accounts,
                 update_mode_at, checks, check_after
               from bank_items where user_id = $1::uuid order by connected_at desc`,
  bank_webhooks: `select w.id, w.grant_id, w.item_id, w.event, w.details, w.received_at, w.queued_at, w.handled_at
                  from bank_webhooks w join grants g on g.id = w.grant_id where g.user_id = $1::uuid order by w.received_at desc`,
  browser_bindings: 'select expires_at from browser_bindings where user_id = $1::uuid order by expires_at desc',
  oauth_flows: `select id, email, redirect_uri, created_at, ticket_expires_at, opened_at, expires_at, consumed_at, outcome, finished_at,
                  pending_subject, confirmation_expires_at
                from oauth_flows where user_id = $1::uuid order by created_at desc`,
  events: 'select seq, event, data, client_id, created_at from events where user_id = $1::uuid order by seq desc',
  client_grants: `select id, kind, name, last_four, oauth_client_id, redirect_host, actions, access, account_ids, created_at, expires_at,
                    last_used_at, last_action, revoked_at
                  from client_grants where user_id = $1::uuid order by created_at desc`,
  read_only_accounts:
    'select id, account_id, grant_id, client_id, since from read_only_accounts where user_id = $1::uuid order by since desc, id',
  allowances: `select id, account_id, grant_id, subject, action, revision, asker, client_id, created_at, expires_at, covered is not null as sealed,
                 case when sum(length(covered)) over (order by created_at desc, id) <= ${CONTENTS} then covered end as contents
               from allowances where user_id = $1::uuid order by created_at desc, id`,
  threads: `select id, created_at, updated_at, title, summary is not null as sealed,
              case when sum(length(summary)) over (order by updated_at desc, id desc) <= ${CONTENTS} then summary end as contents
            from threads where user_id = $1::uuid order by updated_at desc, id desc`,
  messages: `select thread_id, id, position, role, created_at, true as sealed,
               case when sum(length(content)) over (order by created_at desc, thread_id, position desc) <= ${CONTENTS} then content end as contents
             from messages where user_id = $1::uuid order by created_at desc, thread_id, position desc`,
  runs: `select id, thread_id, message_id, model, status, error, cancel_requested, lease_until, steps, input_tokens, output_tokens, cost,
           started_at, ended_at
         from runs where user_id = $1::uuid order by started_at desc`,
  web_sessions: 'select auth_time, created_at, expires_at from web_sessions where user_id = $1::uuid order by created_at desc',
  contexts: 'select name, tainted_until, financial_until from contexts where user_id = $1::uuid order by tainted_until desc, name',
  approvals: `select id, account_id, action, idempotency_key, revision, surface, client_id, thread_id, status, edited, end_reason, created_at,
                expires_at, decided_at, outcome_until, repeats_until, coalesce(arguments, outcome) is not null as sealed,
                case when sum(length(coalesce(arguments, outcome))) over (order by created_at desc, id) <= ${CONTENTS}
                  then coalesce(arguments, outcome) end as contents
              from approvals where user_id = $1::uuid order by created_at desc, id`,
  idempotency_keys: `select asker, account_id, action, key, call_id, status, running_until, created_at, answer is not null as sealed,
                       case when sum(length(answer)) over (order by created_at desc, action, key, asker) <= ${CONTENTS} then answer end as contents
                     from idempotency_keys where user_id = $1::uuid order by created_at desc, action, key, asker`,
} as const;

export type ExportedTable = keyof typeof TABLES;

/**
 * The stored rows of a user, newest first. Times are ISO 8601; `contents` are encrypted bytes in hex after `\x`.
 *
 * @returns undefined when the user was deleted
 */
export async function selectHeld(
  tx: Queryable,
  userId: string,
  identityHash: Buffer,
): Promise<{ user: Json; tables: Record<ExportedTable, Section> } | undefined> {
  const user = await selectUser(tx, userId, identityHash);
  if (user === undefined) return undefined;
  const tables: Partial<Record<ExportedTable, Section>> = {};
  for (const [table, text] of Object.entries(TABLES)) tables[table as ExportedTable] = await selectSection(tx, text, userId);
  return { user, tables: tables as Record<ExportedTable, Section> };
}

async function selectSection(tx: Queryable, text: string, userId: string): Promise<Section> {
  const read = await tx.query<{ row: Json }>(`select row_to_json(held) as row from (${text} limit ${ROWS + 1}) as held`, [userId]);
  const rows = read.slice(0, ROWS).map(({ row }) => row);
  return { rows, truncated: read.length > ROWS || rows.some(({ sealed, contents }) => sealed === true && contents === null) };
}

/** The user's own row, with the rows of its address and its identity. */
async function selectUser(tx: Queryable, userId: string, identityHash: Buffer): Promise<Json | undefined> {
  const rows = await tx.query<{ row: Json }>(
    `select row_to_json(held) as row from (
       select now() as exported_at, u.id, u.issuer, u.subject, u.email, u.created_at, u.event_seq,
              (select row_to_json(w) from (select email, created_at from waitlist where email = lower(u.email)) as w) as waitlist,
              (select row_to_json(d) from (select deleted_at, user_id from deleted_users where identity_hash = $2) as d) as deleted_before
       from users u where u.id = $1::uuid) as held`,
    [userId, identityHash],
  );
  return rows[0]?.row;
}
