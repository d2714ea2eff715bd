-- Up Migration

-- Browsers that are signed in at the service's own pages.
create table web_sessions (
  -- SHA-256 of the cookie's value, which has 256 random bits
  secret_hash bytea primary key,
  user_id uuid not null references users on delete cascade,
  -- when the user signed in at the issuer; null: the issuer does not say
  auth_time timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index web_sessions_user on web_sessions (user_id, created_at);
create index web_sessions_expiry on web_sessions (expires_at);

-- Down Migration

drop table web_sessions;
