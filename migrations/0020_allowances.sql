-- Up Migration

-- Calls that a user has allowed in advance: an action, on one account, for people or into a folder, for a time.
create table allowances (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  account_id uuid not null,
  -- ends with the connection
  grant_id uuid not null references grants on delete cascade,
  -- the provider's id of the account at the time: it does not pass to another one behind the same connection
  subject text not null,
  action text not null,
  -- of the action: it ends when the action is configured otherwise
  revision text not null,
  -- {recipients: [{address, relation}], folder: {id, name}}; encrypted
  covered bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index allowances_user on allowances (user_id, created_at);
create index allowances_grant on allowances (grant_id, action);

-- Down Migration

drop table allowances;
