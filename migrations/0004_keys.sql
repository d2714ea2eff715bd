-- Up Migration

-- Which services run right now, and with which master keys: a key becomes the first one only when all hold it. A row
-- whose service died without a word counts for half a minute.
create table replicas (
  id uuid primary key,
  -- in their order: the first one wraps
  key_ids text[] not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- No row may need a master key that was retired. Rows of before are not looked through: the start checks them.
alter table user_keys
  -- another master key has wrapped it before: whoever had that one may know this
  add column rewrapped boolean not null default false,
  -- sealed under this key: the key of the argument hashes, where it is older than this
  add column hash_key bytea,
  add constraint user_keys_master_key_id_fkey foreign key (master_key_id) references key_canaries not valid;
alter table revocations
  add column rewrapped boolean not null default false,
  add constraint revocations_master_key_id_fkey foreign key (master_key_id) references key_canaries not valid;

-- Keys that were replaced. What requests under way at that moment have sealed still opens; nothing of it lives for a day.
create table former_user_keys (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  master_key_id text not null references key_canaries,
  wrapped bytea not null,
  replaced_at timestamptz not null default now()
);
create index former_user_keys_user on former_user_keys (user_id);
create index former_user_keys_master_key on former_user_keys (master_key_id);
create index former_user_keys_replaced on former_user_keys (replaced_at);

-- Down Migration

drop table former_user_keys, replicas;
alter table user_keys drop constraint user_keys_master_key_id_fkey, drop column rewrapped, drop column hash_key;
alter table revocations drop constraint revocations_master_key_id_fkey, drop column rewrapped;
