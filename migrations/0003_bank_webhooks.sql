-- Up Migration

-- What the aggregator tells of a bank besides its status.
alter table bank_items
  -- access ends at `expires_at` unless the user goes through update mode before
  add column warning text check (warning in ('pending_disconnect', 'pending_expiration')),
  add column expires_at timestamptz,
  -- the bank has accounts that the user has not shared yet
  add column new_accounts boolean not null default false,
  -- when update mode was last opened: only after it can warnings about it be over
  add column update_mode_at timestamptz,
  -- raised by every reading of the item that is stored: the fence against readings that began before it
  add column checks integer not null default 0,
  -- when the item is read again though nobody asks for it; also the lease of whoever reads it
  -- A default that differs from row to row would rewrite the table, which nobody could use meanwhile: rows of before are
  -- due at once, and read at the pace of every run.
  add column check_after timestamptz not null default now();
alter table bank_items alter column check_after set default now() + random() * interval '6 hours';
create index bank_items_check on bank_items (check_after);

-- Events of the aggregator, from their arrival until a day and more after they were handled.
-- They go with the grant that they are about.
create table bank_webhooks (
  id uuid primary key,
  grant_id uuid not null references grants on delete cascade,
  -- the aggregator's id of the item: a bank linked anew is another one under the same grant
  item_id text not null,
  event text not null,
  -- ids, times and codes only
  details jsonb not null,
  -- what makes it the same event as another delivery
  digest bytea not null,
  received_at timestamptz not null default now(),
  queued_at timestamptz,
  handled_at timestamptz,
  unique (grant_id, digest)
);
create index bank_webhooks_open on bank_webhooks (received_at) where handled_at is null;
create index bank_webhooks_received on bank_webhooks (received_at);

-- Down Migration

drop table bank_webhooks;
alter table bank_items drop column warning, drop column expires_at, drop column new_accounts, drop column update_mode_at,
  drop column checks, drop column check_after;
