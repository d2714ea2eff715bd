-- Up Migration

-- Accounts and banks on which the user permits no changes.
create table read_only_accounts (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  account_id uuid not null,
  -- ends with the connection
  grant_id uuid not null references grants on delete cascade,
  -- null: for everything
  client_id uuid references client_grants on delete cascade,
  since timestamptz not null default now()
);
-- Postgres 14 has no unique index in which nulls are equal.
create unique index read_only_accounts_once
  on read_only_accounts (grant_id, coalesce(client_id, '00000000-0000-0000-0000-000000000000'));
create index read_only_accounts_user on read_only_accounts (user_id);
create index read_only_accounts_client on read_only_accounts (client_id);

-- Down Migration

drop table read_only_accounts;
