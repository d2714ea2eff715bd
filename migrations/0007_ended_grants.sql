-- Up Migration

-- Grants that ended while the key service was away: nobody can use them, and their tokens wait to be sealed for their
-- revocation.
create table ended_grants (
  id uuid primary key default gen_random_uuid(),
  -- sealed in its row, so they open with its id. Not unique: a bank linked again leaves its former item under the same one
  grant_id uuid not null,
  user_id uuid not null references users on delete cascade,
  provider text not null check (provider in ('workspace', 'bank')),
  subject text not null,
  tokens bytea not null,
  ended_at timestamptz not null default now(),
  -- when the key service is asked again; also the lease of whoever does
  try_after timestamptz not null default now()
);
create index ended_grants_user on ended_grants (user_id);
create index ended_grants_try on ended_grants (try_after);

-- Down Migration

drop table ended_grants;
