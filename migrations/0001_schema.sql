-- Up Migration

-- All tables, in the order of docs/architecture.md. src/database/tables.ts says of each whose rows it has, how long they are
-- kept, and what of them is encrypted, exported and erased.
--
-- Tables with rows of users have `user_id` in every key, so that they can be distributed by it: of what is found without it, no
-- key is unique over all users but that of identities. Times are the database’s.
--
-- `schema_guard` is older than this: src/database/migrate.ts creates it, because replicas that start together wait for its row.

-- Keys

-- Master keys that were ever used: a known value encrypted by each shows whether another key has its id. The secret of the
-- keyed hashes is wrapped by each of them, so that any opens it.
create table key_canaries (
  master_key_id text primary key,
  sealed bytea not null,
  hash_secret bytea
);

-- Keys of the service itself, newest generation last: each encrypts its own secrets and the rows of oauth_entries.
create table service_keys (
  id uuid primary key,
  generation int not null unique,
  master_key_id text not null references key_canaries,
  wrapped bytea not null,
  -- signing key, cookie key and key of request states, encrypted; null: they were replaced twice
  secrets bytea,
  created_at timestamptz not null default now()
);
create index service_keys_master_key on service_keys (master_key_id);

-- Users

create table users (
  id uuid primary key default gen_random_uuid(),
  issuer text not null,
  subject text not null,
  -- verified address, as the issuer last gave it; shown on the confirmation page
  email text,
  -- number of the user's last event
  event_seq bigint not null default 0,
  created_at timestamptz not null default now(),
  unique (issuer, subject)
);

create table user_keys (
  user_id uuid primary key references users on delete cascade,
  -- in each record that the key encrypts
  id uuid not null,
  master_key_id text not null references key_canaries,
  wrapped bytea not null,
  -- another master key has wrapped it before: whoever had that one may know this
  rewrapped boolean not null default false,
  -- encrypted by this key: the key of the argument hashes, where it is older than this one
  hash_key bytea,
  created_at timestamptz not null default now()
);
create index user_keys_id on user_keys (id);
create index user_keys_master_key on user_keys (master_key_id);

-- Keys that were replaced: what requests in progress encrypted with them can still be decrypted.
create table former_user_keys (
  id uuid not null,
  user_id uuid not null references users on delete cascade,
  master_key_id text not null references key_canaries,
  wrapped bytea not null,
  replaced_at timestamptz not null default now(),
  primary key (user_id, id)
);
create index former_user_keys_master_key on former_user_keys (master_key_id);
create index former_user_keys_replaced on former_user_keys (replaced_at);

-- Identities of deleted users: ID tokens from before the deletion are rejected until they expire.
create table deleted_users (
  -- keyed: nothing about a deleted person can be read from it
  identity_hash bytea primary key,
  user_id uuid not null,
  deleted_at timestamptz not null default now()
);
create index deleted_users_at on deleted_users (deleted_at);

-- Users whose deletion is recent, or not complete: rows that a user can have any number of are deleted in bounded steps.
create table erasures (
  user_id uuid primary key,
  deleted_at timestamptz not null default now(),
  -- when no rows were left; null: some are
  clean_at timestamptz,
  -- when it is looked next, because a call in progress may still write; also the lease of the replica that does
  try_after timestamptz not null default now()
);
create index erasures_try on erasures (try_after);
create index erasures_open on erasures (deleted_at) where clean_at is null;
create index erasures_deleted on erasures (deleted_at);

create table waitlist (
  email text primary key,
  created_at timestamptz not null default now()
);

-- Connections

-- A provider is added by a migration that inserts its name and, where it stores accounts in a table of its own, adds that
-- table to the view connected_accounts.
create table providers (
  name text primary key
);
insert into providers (name) values ('workspace'), ('bank');

create table grants (
  id uuid not null,
  user_id uuid not null references users on delete cascade,
  provider text not null references providers,
  -- the provider's own id of what was granted: the account's `sub`, the item's id
  subject text not null,
  -- encrypted
  tokens bytea not null,
  scopes text[] not null default '{}',
  status text not null default 'active'
    check (status in ('active', 'reauth_required', 'relink_required', 'item_gone')),
  -- raised by every write, so that a refresh that ends late changes nothing
  version integer not null default 1,
  lease_until timestamptz,
  expires_at timestamptz,
  -- back-off of a refresh that the provider could not answer; shared by all replicas
  refresh_failures integer not null default 0,
  refresh_after timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, id),
  unique (user_id, provider, subject)
);
create index grants_subject on grants (provider, subject);
create index grants_attention on grants (provider, status) where status <> 'active';

create table workspace_accounts (
  id uuid not null,
  user_id uuid not null references users on delete cascade,
  grant_id uuid not null,
  email text not null,
  name text not null,
  picture text not null,
  is_default boolean not null default false,
  connected_at timestamptz not null default now(),
  primary key (user_id, id),
  unique (user_id, grant_id),
  foreign key (user_id, grant_id) references grants on delete cascade
);
create index workspace_accounts_user on workspace_accounts (user_id, connected_at);
create unique index workspace_accounts_default on workspace_accounts (user_id) where is_default;

create table bank_items (
  id uuid not null,
  user_id uuid not null references users on delete cascade,
  grant_id uuid not null,
  institution_id text,
  bank_name text not null,
  -- [{account_id, persistent_account_id, name, mask}]; mask may be null
  accounts jsonb not null,
  -- {item, start, cursor}: the position of incremental reading, and where its running loop began
  sync_state jsonb,
  -- access ends at `expires_at` unless the user goes through update mode before
  warning text check (warning in ('pending_disconnect', 'pending_expiration')),
  expires_at timestamptz,
  -- the bank has accounts that the user has not shared yet
  new_accounts boolean not null default false,
  -- when update mode was last opened: a warning can be over only after it
  update_mode_at timestamptz,
  -- raised by every stored reading of the item: a reading that began before it is not stored
  checks integer not null default 0,
  -- when the item is read again without a request; also the lease of the replica that reads it
  check_after timestamptz not null default now() + random() * interval '6 hours',
  connected_at timestamptz not null default now(),
  primary key (user_id, id),
  unique (user_id, grant_id),
  foreign key (user_id, grant_id) references grants on delete cascade
);
create index bank_items_user on bank_items (user_id, connected_at);
create index bank_items_check on bank_items (check_after);

-- The accounts of every provider, with what selecting one and reporting its status takes.
create view connected_accounts as
  select id, grant_id, user_id, email as label, '[]'::jsonb as masks, is_default, false as has_warning, connected_at
  from workspace_accounts
  union all
  -- The last digits of the first accounts' numbers distinguish several connections to one bank.
  select id, grant_id, user_id, bank_name, jsonb_path_query_array(accounts, '$[0 to 9].mask ? (@ != null && @ != "")'),
         false, warning is not null, connected_at
  from bank_items;

-- Events of the aggregator. They are deleted with the grant that they are about.
create table bank_webhooks (
  id uuid not null,
  user_id uuid not null,
  grant_id uuid not null,
  -- the aggregator's id of the item: a bank linked again is another one under the same grant
  item_id text not null,
  event text not null,
  -- ids, times and codes only
  details jsonb not null,
  -- the same for a second delivery
  digest bytea not null,
  received_at timestamptz not null default now(),
  queued_at timestamptz,
  handled_at timestamptz,
  primary key (user_id, id),
  unique (user_id, grant_id, digest),
  foreign key (user_id, grant_id) references grants on delete cascade
);
create index bank_webhooks_id on bank_webhooks (id);
create index bank_webhooks_open on bank_webhooks (received_at) where handled_at is null;
create index bank_webhooks_received on bank_webhooks (received_at);

create table browser_bindings (
  -- SHA-256 of the cookie's value
  secret_hash bytea not null,
  user_id uuid not null references users on delete cascade,
  expires_at timestamptz not null,
  primary key (user_id, secret_hash)
);
create index browser_bindings_expiry on browser_bindings (expires_at);

create table oauth_flows (
  id uuid not null,
  user_id uuid not null references users on delete cascade,
  ticket_hash bytea,
  state_hash bytea not null,
  -- the account asked for; null when the user left it to the chooser
  email text,
  redirect_uri text not null,
  -- encrypted {state, nonce, verifier}; null when the flow is claimed
  secrets bytea,
  created_at timestamptz not null default now(),
  ticket_expires_at timestamptz,
  opened_at timestamptz,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  -- where the browser was sent in the end: {status, code?, account_id?, missing_scopes?}
  outcome jsonb,
  finished_at timestamptz,
  -- encrypted grant that waits for confirmation, and what its one-time form must show
  pending bytea,
  pending_subject text,
  confirmation_hash bytea,
  confirmation_expires_at timestamptz,
  primary key (user_id, id),
  unique (ticket_hash, user_id),
  unique (state_hash, user_id)
);
create index oauth_flows_unopened on oauth_flows (user_id, created_at) where opened_at is null;
create index oauth_flows_unfinished on oauth_flows (user_id) where consumed_at is null;
create index oauth_flows_created on oauth_flows (created_at);
create index oauth_flows_pending on oauth_flows (confirmation_expires_at) where pending is not null;
create index oauth_flows_confirmation on oauth_flows (confirmation_hash) where confirmation_hash is not null;

-- Grants that ended while the key service was unavailable: their tokens wait to be encrypted for their revocation.
create table ended_grants (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null references users on delete cascade,
  -- the tokens are encrypted for its row. Not unique: a bank linked again leaves its former item under the same one
  grant_id uuid not null,
  provider text not null references providers,
  subject text not null,
  tokens bytea not null,
  ended_at timestamptz not null default now(),
  -- when the key service is asked again; also the lease of the replica that does
  try_after timestamptz not null default now(),
  primary key (user_id, id)
);
create index ended_grants_try on ended_grants (try_after);

-- Tokens on their way out. They outlive their users.
create table revocations (
  id uuid primary key,
  provider text not null references providers,
  subject text,
  -- this row's own key, wrapped by a master key: the user's may be gone
  master_key_id text references key_canaries,
  wrapped_key bytea,
  rewrapped boolean not null default false,
  token bytea,
  created_at timestamptz not null default now(),
  deadline_at timestamptz not null,
  attempts integer not null default 0,
  -- when a job was last made for it; one that was lost is made again
  queued_at timestamptz,
  -- when the deadline passed without the provider's confirmation; the token is gone by then
  unconfirmed_at timestamptz
);
create index revocations_master_key on revocations (master_key_id);
create index revocations_subject on revocations (provider, subject);
create index revocations_open on revocations (created_at) where token is not null;
create index revocations_unconfirmed on revocations (unconfirmed_at) where unconfirmed_at is not null;

-- A lock: revocations exclude connections of the same account at the provider.
create table provider_subjects (
  provider text not null,
  -- keyed hash
  subject text not null,
  revoking_until timestamptz,
  revoked_at timestamptz,
  primary key (provider, subject)
);

-- Clients

-- Browsers that are signed in at the service's own pages.
create table web_sessions (
  -- SHA-256 of the cookie's value, which has 256 random bits
  secret_hash bytea not null,
  user_id uuid not null references users on delete cascade,
  -- when the user signed in at the issuer; null: the issuer does not say
  auth_time timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (secret_hash, user_id)
);
create index web_sessions_user on web_sessions (user_id, created_at);
create index web_sessions_expiry on web_sessions (expires_at);

-- What a client (a script, an assistant) may do on the user's behalf with a credential of its own.
create table client_grants (
  id uuid not null,
  user_id uuid not null references users on delete cascade,
  -- `oauth`: by the embedded authorization server; `external`: by the operator's own
  kind text not null check (kind in ('personal_access_token', 'oauth', 'external')),
  name text not null,
  -- SHA-256 of the token, which has 178 random bits; of the grant's id at the embedded authorization server; or of issuer,
  -- client, user and access
  token_hash bytea not null,
  -- personal access tokens only
  last_four text,
  -- OAuth only: the client's id, which is a URL where the client publishes its metadata, and where its redirects go
  oauth_client_id text,
  redirect_host text,
  -- `*`, `mail.*` or `calendar.list`
  actions text[] not null,
  access text not null check (access in ('read', 'write')),
  -- null: all accounts, also later ones
  account_ids uuid[],
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- to the minute
  last_used_at timestamptz,
  last_action text,
  revoked_at timestamptz,
  primary key (user_id, id),
  unique (token_hash, user_id)
);
create index client_grants_user on client_grants (user_id, created_at);

-- What the authorization server of MCP clients stores: clients, interactions, grants, codes and tokens.
create table oauth_entries (
  model text not null,
  -- SHA-256 of the id, which is the secret itself for codes and tokens
  id_hash bytea not null,
  -- SHA-256 of the grant's id, which is also client_grants.token_hash
  grant_hash bytea,
  -- null: a client, which is no user's
  user_id uuid references users on delete cascade,
  -- access tokens: the resource that they are for
  audience text,
  -- without the id, encrypted
  payload bytea not null,
  created_at timestamptz not null default now(),
  -- codes and refresh tokens: when it was used; interactions: when the user decided
  consumed_at timestamptz,
  -- refresh tokens that were used a moment ago: the response, which is repeated; encrypted
  response bytea,
  -- null: a registered client that a user has permitted something
  expires_at timestamptz,
  primary key (model, id_hash)
);
create index oauth_entries_grant on oauth_entries (grant_hash) where grant_hash is not null;
create index oauth_entries_user on oauth_entries (user_id) where user_id is not null;
create index oauth_entries_expiry on oauth_entries (expires_at) where expires_at is not null;
create index oauth_entries_consumed on oauth_entries (consumed_at) where consumed_at is not null;
create index oauth_entries_response on oauth_entries (consumed_at) where response is not null;
create index oauth_entries_unused_clients on oauth_entries (created_at) where model = 'Client' and expires_at is not null;

-- The gate. The tables of what calls write have no foreign key to the user: each insert would wait for whoever has locked
-- the user's row, together with the rows of others in the same statement.

create table approvals (
  id uuid not null,
  user_id uuid not null,
  account_id uuid not null,
  action text not null,
  -- the client that asked; null: the user's own front end
  client_id uuid,
  -- the thread whose assistant asked
  thread_id text,
  -- where the call came from
  surface text not null,
  -- the exact arguments that will run, with what the user is shown, encrypted; null when it is decided
  arguments bytea,
  arguments_hash bytea not null,
  -- of action, account and the arguments with their defaults: the same question, however its call was spelt
  input_hash bytea,
  -- both as the caller asked, where the user has changed the arguments
  asked_arguments_hash bytea,
  asked_input_hash bytea,
  -- hashes of the ids of the items that it is about: while it is open, its context's changes of these are asked about, too;
  -- null: of any
  items bytea[],
  idempotency_key text,
  -- configuration in force when it was asked for
  revision text not null,
  -- `preparing` until its preview is there; `ended` when nobody can decide it any more
  status text not null default 'pending' check (status in ('preparing', 'pending', 'approved', 'denied', 'ended')),
  edited boolean not null default false,
  end_reason text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  decided_at timestamptz,
  -- the result or the error of the run; encrypted
  outcome bytea,
  -- until when the run ends; then, until when its outcome is kept; null: there is none
  outcome_until timestamptz,
  -- until when an equal call of the client that asked counts as the same; null: until it has received the outcome
  repeats_until timestamptz,
  primary key (user_id, id)
);
create index approvals_user on approvals (user_id, created_at);
create index approvals_expiry on approvals (expires_at);
create index approvals_open on approvals (user_id, expires_at) where status in ('preparing', 'pending');
create index approvals_outcomes on approvals (outcome_until) where outcome_until is not null;
create index approvals_thread on approvals (user_id, thread_id) where thread_id is not null;

-- Calls that a user has allowed in advance: an action, on one account, for people or into a folder, for a time.
create table allowances (
  id uuid not null,
  user_id uuid not null references users on delete cascade,
  account_id uuid not null,
  -- ends with the connection
  grant_id uuid not null,
  -- the provider's id of the account at the time: it does not pass to another one behind the same connection
  subject text not null,
  action text not null,
  -- of the action: it ends when the action is configured otherwise
  revision text not null,
  -- the user's own front ends, the assistant in any conversation, or one client
  asker text not null check (asker in ('user', 'assistant', 'client')),
  client_id uuid check ((asker = 'client') = (client_id is not null)),
  -- {recipients: [{address, relation}], folder: {id, name}}; encrypted
  covered bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (user_id, id),
  foreign key (user_id, grant_id) references grants on delete cascade,
  foreign key (user_id, client_id) references client_grants on delete cascade
);
create index allowances_user on allowances (user_id, created_at);
create index allowances_grant on allowances (user_id, grant_id, action);
create index allowances_client on allowances (user_id, client_id) where client_id is not null;

-- Accounts and banks on which the user permits no changes.
create table read_only_accounts (
  id uuid not null,
  user_id uuid not null references users on delete cascade,
  account_id uuid not null,
  -- ends with the connection
  grant_id uuid not null,
  -- null: for everything
  client_id uuid,
  since timestamptz not null default now(),
  primary key (user_id, id),
  foreign key (user_id, grant_id) references grants on delete cascade,
  foreign key (user_id, client_id) references client_grants on delete cascade
);
-- Postgres 14 has no unique index in which nulls are equal.
create unique index read_only_accounts_once
  on read_only_accounts (user_id, grant_id, coalesce(client_id, '00000000-0000-0000-0000-000000000000'));
create index read_only_accounts_client on read_only_accounts (user_id, client_id);

create table idempotency_keys (
  user_id uuid not null,
  action text not null,
  key text not null,
  -- `user`, `client:<id>` or `thread:<id>`, like the name of a context
  asker text not null,
  -- the call that claimed the key, as in audit_log: no other one ends or releases it
  call_id uuid not null,
  -- the account that the call is about: its results end with it
  account_id uuid,
  -- of account and arguments: the same key for something else is a conflict
  arguments_hash bytea not null,
  status text not null default 'running' check (status in ('running', 'done', 'unknown')),
  -- a run that is still `running` after this was interrupted
  running_until timestamptz not null,
  -- result of a finished run; encrypted
  answer bytea,
  created_at timestamptz not null default now(),
  primary key (user_id, action, key, asker)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- What was read in a context: by the user's own sockets, by one client, or in one thread. It decides what may leave unasked.
create table contexts (
  user_id uuid not null,
  -- `user`, `client:<id>` or `thread:<id>`
  name text not null,
  -- until when a text of others counts as read; without end for threads
  tainted_until timestamptz not null,
  -- until when a bank's data counts as read; null: it wasn't
  financial_until timestamptz,
  primary key (user_id, name)
);
create index contexts_until on contexts (tainted_until);

-- Who was read in a context, for the questions asked in it.
create table context_reads (
  id uuid not null,
  user_id uuid not null,
  context text not null,
  read_at timestamptz not null default now(),
  -- senders, titles and hashes of texts; encrypted
  sources bytea not null,
  primary key (user_id, id)
);
create index context_reads_context on context_reads (user_id, context, read_at);
create index context_reads_age on context_reads (read_at) where context not like 'thread:%';

-- What was written through the service, and in which context: a day for the questions about it, 30 days with the labels of
-- what had been read before, since it may repeat that.
create table written_items (
  user_id uuid not null,
  -- SHA-256 of the item's id at the provider, or of a name for what holds it
  item bytea not null,
  -- of the last change, as in `contexts`
  context text not null,
  -- text of others had been read
  is_tainted boolean not null,
  -- data of a bank had been read
  is_financial boolean not null,
  written_at timestamptz not null default now(),
  until timestamptz not null,
  primary key (user_id, item)
);
create index written_items_until on written_items (until);
-- whether a user has any, which is asked with each call
create index written_items_labelled on written_items (user_id) where is_tainted or is_financial;

-- What has happened. Both tables have a partition for each month (UTC), which src/database/partitions.ts adds and drops; rows
-- of a month without one are in `…_default`. Keys of partitioned tables contain the time.

-- Append-only. What was done with which account, never what it held.
create table audit_log (
  id bigint not null generated always as identity,
  user_id uuid not null,
  at timestamptz not null default now(),
  surface text not null,
  -- where the user decided on the call; null: nobody was asked
  decided_surface text,
  -- null: the user's own front end
  client_id uuid,
  action text not null,
  account_id uuid,
  -- keyed with the user's key; null where no arguments were looked at
  arguments_hash bytea,
  -- started (a write, before it is sent), allowed, refused, approval_required, approved, denied
  decision text not null,
  -- ok, or the code of the error
  outcome text not null,
  milliseconds integer not null,
  call_id uuid not null,
  -- refusals that were counted instead of written one by one
  count integer not null default 1,
  primary key (user_id, id, at)
) partition by range (at);
create table audit_log_default partition of audit_log default;
create index audit_log_default_at on audit_log_default (at);
create index audit_log_rate on audit_log (user_id, action, at) where decision = 'started';

create table events (
  user_id uuid not null,
  -- counts up by one for each user
  seq bigint not null,
  -- over all users: what replicas poll by
  id bigint not null generated always as identity,
  event text not null,
  -- ids and states only, nothing of what accounts hold
  data jsonb not null,
  -- the client that it is also for; null: the user's own front ends only
  client_id uuid,
  created_at timestamptz not null default now(),
  primary key (user_id, seq, created_at)
) partition by range (created_at);
create table events_default partition of events default;
create index events_id on events (id);
create index events_created on events (created_at);

-- Those of the next months, so that rows of a new database have one at once.
do $$
declare
  month timestamp;
begin
  for month in select date_trunc('month', now() at time zone 'UTC') + ahead * interval '1 month' from generate_series(0, 3) as ahead loop
    execute format('create table audit_log_%s partition of audit_log for values from (%L) to (%L)',
      to_char(month, 'YYYY_MM'), month || '+00', month + interval '1 month' || '+00');
    execute format('create table events_%s partition of events for values from (%L) to (%L)',
      to_char(month, 'YYYY_MM'), month || '+00', month + interval '1 month' || '+00');
  end loop;
end $$;

-- The assistant

-- A front end names its threads itself, so names are the user's own.
create table threads (
  user_id uuid not null,
  id text not null check (id ~ '^[A-Za-z0-9_-]{1,64}$'),
  -- encrypted
  title bytea,
  -- {text, position}: what a model is told in place of the messages up to this position; encrypted
  summary bytea,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, id)
);
create index threads_latest on threads (user_id, updated_at desc, id desc);

create table messages (
  user_id uuid not null,
  thread_id text not null,
  id text not null check (id ~ '^[A-Za-z0-9_-]{1,64}$'),
  -- in the thread, from 1, without gaps
  position int not null,
  role text not null check (role in ('user', 'assistant')),
  -- {parts, metadata} of the AI SDK's UIMessage; encrypted
  content bytea not null,
  created_at timestamptz not null default now(),
  primary key (user_id, thread_id, id),
  unique (user_id, thread_id, position),
  foreign key (user_id, thread_id) references threads on delete cascade
);

-- One answer of a model with all its steps. Runs outlive their threads for a while, because budgets count them.
create table runs (
  id uuid not null,
  user_id uuid not null,
  thread_id text not null,
  -- of the assistant's message
  message_id text not null,
  model text not null,
  status text not null default 'running'
    check (status in ('running', 'done', 'awaiting_approval', 'interrupted', 'cancelled', 'failed')),
  -- a code of errors; null: none
  error text,
  cancel_requested boolean not null default false,
  -- renewed by the replica that runs it; a running one whose lease has ended was interrupted
  lease_until timestamptz not null,
  steps int not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  -- in the currency of the configured prices
  cost double precision not null default 0,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (user_id, id)
);
create unique index runs_one_of_thread on runs (user_id, thread_id) where status = 'running';
create index runs_of_thread on runs (user_id, thread_id, started_at);
create index runs_day on runs (user_id, started_at);
create index runs_lease on runs (lease_until) where status = 'running';
create index runs_ended on runs (ended_at) where status <> 'running';

-- What a run has sent, for readers that come back or are on another replica.
create table run_chunks (
  user_id uuid not null,
  run_id uuid not null,
  -- of the first chunk in it, from 0
  sequence int not null,
  -- JSON array of the AI SDK's UIMessageChunks; encrypted
  chunks bytea not null,
  created_at timestamptz not null default now(),
  primary key (user_id, run_id, sequence),
  foreign key (user_id, run_id) references runs on delete cascade
);
create index run_chunks_age on run_chunks (created_at);

-- Replicas

-- Which replicas run, and with which master keys: a key becomes the first one only when all hold it. A row whose replica
-- was killed counts for half a minute.
create table replicas (
  id uuid primary key,
  -- in their order: the first one wraps
  key_ids text[] not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- One row. Raised by each reload of the integrations file; the other replicas read theirs again when they see it.
create table integrations_reloads (
  only_row boolean primary key default true check (only_row),
  generation bigint not null default 0,
  -- of the file as the replica that was asked has read it
  revision text not null default ''
);
insert into integrations_reloads default values;

-- The deletion of a user

-- Deletes rows of a user from the partitions of a table, at most so many. `number` is the column after user_id in the key.
-- Compared as pairs, they are found by the index however few users the planner knows; `ctid` names a row of one partition.
create function delete_some_of_user(parent regclass, number text, owner uuid, most integer) returns integer language plpgsql as $$
declare
  part regclass;
  gone integer;
  total integer := 0;
begin
  for part in select relid from pg_partition_tree(parent) where isleaf loop
    execute format(
      'delete from %1$s where ctid = any(array(
         select ctid from %1$s where (user_id, %2$I) >= ($1, 0) and (user_id, %2$I) <= ($1, 9223372036854775807)
         order by user_id, %2$I limit $2))', part, number) using owner, most - total;
    get diagnostics gone = row_count;
    total := total + gone;
    exit when total >= most;
  end loop;
  return total;
end $$;

-- Deletes rows without a foreign key to the user: all of most users; src/users/erasures.ts deletes the rest. Few at once,
-- because each may have to be read from the disk.
create function user_deleted() returns trigger language plpgsql as $$
declare
  most constant integer := 250;
  -- of conversations
  most_said constant integer := 1000;
  gone integer;
  is_clean boolean := true;
begin
  is_clean := delete_some_of_user('audit_log', 'id', old.id, most) < most and is_clean;
  is_clean := delete_some_of_user('events', 'seq', old.id, most) < most and is_clean;
  delete from approvals where id in (select id from approvals where user_id = old.id order by created_at limit most)
    and user_id = old.id;
  get diagnostics gone = row_count;
  is_clean := is_clean and gone < most;
  delete from idempotency_keys where ctid = any(array(
    select ctid from idempotency_keys where user_id = old.id order by action, key limit most));
  get diagnostics gone = row_count;
  is_clean := is_clean and gone < most;
  delete from run_chunks where ctid = any(array(
    select ctid from run_chunks where user_id = old.id order by run_id, sequence limit most_said));
  get diagnostics gone = row_count;
  is_clean := is_clean and gone < most_said;
  delete from messages where ctid = any(array(
    select ctid from messages where user_id = old.id order by thread_id, position limit most_said));
  get diagnostics gone = row_count;
  is_clean := is_clean and gone < most_said;
  -- Without what would be deleted along with them.
  if is_clean then
    delete from runs where ctid = any(array(select ctid from runs where user_id = old.id order by started_at limit most_said));
    get diagnostics gone = row_count;
    is_clean := gone < most_said;
    delete from threads where ctid = any(array(select ctid from threads where user_id = old.id order by id limit most_said));
    get diagnostics gone = row_count;
    is_clean := is_clean and gone < most_said;
  end if;
  delete from contexts where user_id = old.id;
  delete from context_reads where user_id = old.id;
  delete from written_items where user_id = old.id;
  insert into erasures (user_id, clean_at) values (old.id, case when is_clean then now() end)
    on conflict (user_id) do update set deleted_at = excluded.deleted_at, clean_at = excluded.clean_at, try_after = now();
  return null;
end $$;
create trigger users_deleted after delete on users for each row execute function user_deleted();
