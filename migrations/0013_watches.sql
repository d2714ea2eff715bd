-- How far an account was read for what starts automations. A row exists while an active automation needs it. Its times are those
-- of the service's clock.
create table watches (
  user_id uuid not null,
  account_id uuid not null,
  grant_id uuid not null,
  -- what is read
  kind text not null check (kind in ('mail', 'calendar', 'drive', 'bank')),
  -- the provider's cursors; null: what happened before the next look starts nothing
  position jsonb,
  -- raised by every stored look and every change of the user's automations: a look that began before stores nothing
  revision integer not null default 1,
  -- when it is looked at next; also the lease of the replica that looks
  look_after timestamptz not null,
  -- when the last look began that was stored; null: none
  looked_at timestamptz,
  -- consecutive looks that failed, and the code of the last one's error
  failures integer not null default 0,
  error text,
  primary key (user_id, account_id, kind),
  foreign key (user_id, grant_id) references grants on delete cascade
);
create index watches_due on watches (look_after);
create index watches_grant on watches (user_id, grant_id);

-- Of an active automation that waits for an event: since when; what happened before starts nothing.
alter table automations add column watched_since timestamptz;
