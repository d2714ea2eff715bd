-- Up Migration

-- What a client (a script, an assistant) may do on the user's behalf with a credential of its own.
create table client_grants (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  kind text not null check (kind in ('personal_access_token')),
  name text not null,
  -- SHA-256 of the token, which has 178 random bits: a slow hash is for passwords
  token_hash bytea not null unique,
  last_four text not null,
  -- `*`, `mail.*` or `calendar.list`
  actions text[] not null,
  access text not null check (access in ('read', 'write')),
  -- null: all accounts, also later ones
  account_ids uuid[],
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- to the minute
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index client_grants_user on client_grants (user_id, created_at);

-- The client that made the call; null: the user's own front end.
alter table audit_log add column client_id uuid;
alter table approvals add column client_id uuid;

-- Down Migration

alter table approvals drop column client_id;
alter table audit_log drop column client_id;
drop table client_grants;
