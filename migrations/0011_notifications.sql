-- Telling users elsewhere: by mail, web push and webhooks.

-- While nothing is told but what can't wait: two times of the user's zone, as 22:00; null: never.
alter table users
  add column quiet_from text,
  add column quiet_to text;

-- The key by which push services know this service (RFC 8292): one row.
create table push_keys (
  id smallint primary key default 1 check (id = 1),
  -- as browsers are given it
  public_key text not null,
  -- encrypted with a key of the service
  private_key bytea not null,
  created_at timestamptz not null default now()
);

-- Where a user wants to be told something. Times are by the service's clock, but for created_at.
create table notification_channels (
  id uuid not null,
  user_id uuid not null references users on delete cascade,
  type text not null check (type in ('mail', 'push', 'webhook')),
  -- a mail address; a push subscription; the address and secret of a webhook; encrypted
  destination bytea not null,
  -- what is told there
  kinds text[] not null,
  -- whether it is told what an approval is about
  summaries boolean not null,
  -- `off`: nothing is sent any more, because it failed
  state text not null default 'active' check (state in ('active', 'off')),
  -- a code, of why the last message wasn't delivered; null: it was
  error text,
  -- consecutive messages that were not delivered
  failures integer not null default 0,
  -- of the link that was sent to a mail address; null: it was used
  confirmation_hash bytea,
  confirmation_until timestamptz,
  -- null: nothing but the link is sent
  confirmed_at timestamptz,
  last_sent_at timestamptz,
  -- when to look at what waits; null: nothing does
  due_at timestamptz,
  -- a replica is sending, or a message was not delivered: nothing is sent until then
  held_until timestamptz,
  created_at timestamptz not null default now(),
  primary key (user_id, id)
);
create index notification_channels_due on notification_channels (due_at) where due_at is not null;
create index notification_channels_confirmation on notification_channels (user_id, confirmation_hash) where confirmation_hash is not null;

-- What is to be told on one channel, inserted in the transaction of what happened.
create table notification_deliveries (
  id uuid not null,
  user_id uuid not null,
  channel_id uuid not null,
  -- of what happened: it is told once on each channel
  key text not null,
  kind text not null,
  -- the event's name
  type text not null,
  -- ids and states, no content of accounts
  data jsonb not null,
  automation_id uuid,
  -- of Steward's page about it
  path text not null,
  happened_at timestamptz not null,
  -- it isn't told after this time
  until timestamptz,
  -- of the message that it was, or is to be, sent with; null: of none yet
  message_id uuid,
  outcome text check (outcome in ('sent', 'outdated', 'failed')),
  -- null: it waits
  ended_at timestamptz,
  primary key (user_id, id),
  unique (user_id, channel_id, key),
  foreign key (user_id, channel_id) references notification_channels on delete cascade
);
create index notification_deliveries_waiting on notification_deliveries (user_id, channel_id, happened_at) where ended_at is null;
create index notification_deliveries_ended on notification_deliveries (ended_at) where ended_at is not null;

-- Links that were sent to mail addresses, so that nobody receives many.
create table notification_confirmations (
  id uuid not null,
  user_id uuid not null references users on delete cascade,
  address_hash bytea not null,
  sent_at timestamptz not null,
  primary key (user_id, id)
);
create index notification_confirmations_user on notification_confirmations (user_id, sent_at);
create index notification_confirmations_address on notification_confirmations (address_hash, sent_at);
create index notification_confirmations_sent on notification_confirmations (sent_at);
