-- Up Migration

-- One row: the lock that replicas starting together queue on, and the lowest
-- code version (see SCHEMA_VERSION in src/database/migrate.ts) that may run.
-- src/database/migrate.ts creates it before this file runs.

create table users (
  id uuid primary key default gen_random_uuid(),
  issuer text not null,
  subject text not null,
  -- verified address as the issuer last gave it; shown on the confirmation page
  email text,
  created_at timestamptz not null default now(),
  unique (issuer, subject)
);

-- Tokens issued before the deletion stay refused until they expire. Holds a
-- hash, so that nothing about a deleted person can be read from it.
create table deleted_users (
  identity_hash bytea primary key,
  deleted_at timestamptz not null default now()
);

create table user_keys (
  id uuid primary key,
  user_id uuid not null unique references users on delete cascade,
  master_key_id text not null,
  wrapped bytea not null,
  created_at timestamptz not null default now()
);
create index user_keys_master_key on user_keys (master_key_id);

-- A known value sealed by each master key: another key under the same id is noticed at start.
create table key_canaries (
  master_key_id text primary key,
  sealed bytea not null
);

create table grants (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  provider text not null check (provider in ('workspace', 'bank')),
  -- the provider's own id of what was granted: the account's `sub`, the item's id
  subject text not null,
  tokens bytea not null,
  scopes text[] not null default '{}',
  status text not null default 'active'
    check (status in ('active', 'reauth_required', 'relink_required', 'item_gone')),
  -- raised by every write: the fence against late refreshes
  version integer not null default 1,
  lease_until timestamptz,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (user_id, provider, subject)
);
create index grants_subject on grants (provider, subject);

create table workspace_accounts (
  id uuid primary key,
  grant_id uuid not null unique references grants on delete cascade,
  user_id uuid not null references users on delete cascade,
  email text not null,
  name text not null,
  picture text not null,
  is_default boolean not null default false,
  connected_at timestamptz not null default now()
);
create index workspace_accounts_user on workspace_accounts (user_id, connected_at);
create unique index workspace_accounts_default on workspace_accounts (user_id) where is_default;

create table bank_items (
  id uuid primary key,
  grant_id uuid not null unique references grants on delete cascade,
  user_id uuid not null references users on delete cascade,
  institution_id text,
  bank_name text not null,
  -- [{account_id, persistent_account_id, name, mask}]; mask may be null
  accounts jsonb not null,
  connected_at timestamptz not null default now()
);
create index bank_items_user on bank_items (user_id, connected_at);

create table browser_bindings (
  secret_hash bytea primary key,
  user_id uuid not null references users on delete cascade,
  expires_at timestamptz not null
);
create index browser_bindings_expiry on browser_bindings (expires_at);

create table oauth_flows (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  ticket_hash bytea unique,
  state_hash bytea not null unique,
  -- the account asked for; null when the user left it to the chooser
  email text,
  redirect_uri text not null,
  -- sealed {state, nonce, verifier}; blanked when the flow is claimed
  secrets bytea,
  created_at timestamptz not null default now(),
  ticket_expires_at timestamptz,
  opened_at timestamptz,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  -- where the browser was sent in the end: {status, code?, account_id?, missing_scopes?}
  outcome jsonb,
  finished_at timestamptz,
  -- sealed grant that waits for confirmation, and what its one-time form must show
  pending bytea,
  pending_subject text,
  confirmation_hash bytea,
  confirmation_expires_at timestamptz
);
create index oauth_flows_unopened on oauth_flows (user_id, created_at) where opened_at is null;
create index oauth_flows_unfinished on oauth_flows (user_id) where consumed_at is null;
create index oauth_flows_created on oauth_flows (created_at);
create index oauth_flows_pending on oauth_flows (confirmation_expires_at) where pending is not null;

create table revocations (
  id uuid primary key,
  provider text not null check (provider in ('workspace', 'bank')),
  subject text,
  -- this row's own key, wrapped by a master key: the user's may be gone
  master_key_id text,
  wrapped_key bytea,
  token bytea,
  created_at timestamptz not null default now(),
  deadline_at timestamptz not null,
  attempts integer not null default 0,
  -- when a job was last made for it; one that was lost is made again
  queued_at timestamptz,
  -- set when the deadline passed without the provider's confirmation; the token is gone by then
  unconfirmed_at timestamptz
);
create index revocations_master_key on revocations (master_key_id);
create index revocations_subject on revocations (provider, subject);

-- Serialises revocations with connects of the same provider account.
create table provider_subjects (
  provider text not null,
  subject text not null,
  revoking_until timestamptz,
  revoked_at timestamptz,
  primary key (provider, subject)
);

create table waitlist (
  email text primary key,
  created_at timestamptz not null default now()
);

-- Down Migration

drop table waitlist, provider_subjects, revocations, oauth_flows, browser_bindings, bank_items,
  workspace_accounts, grants, key_canaries, user_keys, deleted_users, users;
