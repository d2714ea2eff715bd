-- Up Migration

-- Next to the user, so that events get their numbers in the order of their commits.
alter table users add column event_seq bigint not null default 0;

-- Back-off of a refresh that the provider couldn't answer; shared by all replicas.
alter table grants
  add column refresh_failures integer not null default 0,
  add column refresh_after timestamptz;

-- {item, start, cursor}: where the entry's incremental reading stands, and where its running loop began.
alter table bank_items add column sync_state jsonb;

create table events (
  user_id uuid not null references users on delete cascade,
  -- counts up by one for each user
  seq bigint not null,
  -- over all users: what replicas poll by
  id bigint not null generated always as identity,
  event text not null,
  -- ids and states only, nothing of what accounts hold
  data jsonb not null,
  created_at timestamptz not null default now(),
  primary key (user_id, seq)
);
create unique index events_id on events (id);
create index events_created on events (created_at);

create table approvals (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  account_id uuid not null,
  action text not null,
  -- the exact arguments that will run with what the user is shown, sealed; gone once it is decided
  arguments bytea,
  arguments_hash bytea not null,
  idempotency_key text,
  -- configuration in force when it was asked for
  revision text not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'denied')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  decided_at timestamptz
);
create index approvals_user on approvals (user_id, created_at);
create index approvals_expiry on approvals (expires_at);

create table idempotency_keys (
  user_id uuid not null references users on delete cascade,
  action text not null,
  key text not null,
  -- of account and arguments: the same key for something else is a conflict
  arguments_hash bytea not null,
  status text not null default 'running' check (status in ('running', 'done', 'unknown')),
  -- a run that is still `running` after this died in the middle
  running_until timestamptz not null,
  -- sealed answer of a finished run
  answer bytea,
  created_at timestamptz not null default now(),
  primary key (user_id, action, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- Append-only. What was done with which account, never what it held.
create table audit_log (
  id bigint generated always as identity primary key,
  user_id uuid not null references users on delete cascade,
  at timestamptz not null default now(),
  surface text not null,
  action text not null,
  account_id uuid,
  -- keyed with the user's key; null where no arguments were looked at
  arguments_hash bytea,
  -- started (a write, before it is sent), allowed, refused, approval_required, approved, denied
  decision text not null,
  -- ok, or the code of the error
  outcome text not null,
  milliseconds integer not null,
  call_id uuid not null
);
create index audit_log_user on audit_log (user_id, id);
create index audit_log_rate on audit_log (user_id, action, at) where decision = 'started';

-- One row. Raised by each reload of the integrations file; the other replicas read theirs again when they see it.
create table integrations_reloads (
  only_row boolean primary key default true check (only_row),
  generation bigint not null default 0,
  -- of the file as the replica that was asked has read it
  revision text not null default ''
);
insert into integrations_reloads default values;

-- Down Migration

drop table integrations_reloads, audit_log, idempotency_keys, approvals, events;
alter table bank_items drop column sync_state;
alter table grants drop column refresh_failures, drop column refresh_after;
alter table users drop column event_seq;
