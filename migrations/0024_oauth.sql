-- Up Migration

-- Keys of the service itself, newest generation last: each seals its own secrets and the rows of oauth_entries.
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

-- What the authorization server of MCP clients stores: clients, interactions, grants, codes and tokens.
create table oauth_entries (
  model text not null,
  -- SHA-256 of the id, which is the secret itself for codes and tokens
  id_hash bytea not null,
  -- SHA-256 of the grant's id, which is also client_grants.token_hash
  grant_hash bytea,
  user_id uuid references users on delete cascade,
  -- access tokens: the resource that they are for
  audience text,
  -- without the id, encrypted
  payload bytea not null,
  created_at timestamptz not null default now(),
  -- codes and refresh tokens: when it was used; interactions: when the user decided
  consumed_at timestamptz,
  -- refresh tokens that were used: the response, until it is sent; encrypted
  response bytea,
  -- null: a registered client that a user has permitted something
  expires_at timestamptz,
  primary key (model, id_hash)
);
create index oauth_entries_grant on oauth_entries (grant_hash) where grant_hash is not null;
create index oauth_entries_user on oauth_entries (user_id) where user_id is not null;
create index oauth_entries_expiry on oauth_entries (expires_at) where expires_at is not null;
create index oauth_entries_consumed on oauth_entries (consumed_at) where consumed_at is not null;
create index oauth_entries_unused_clients on oauth_entries (created_at) where model = 'Client' and expires_at is not null;

-- Down Migration

drop table oauth_entries, service_keys;
