-- Up Migration

-- `audit_log` and `events` become partitioned by month. Each existing table becomes a partition of the new one as it is,
-- with its indexes: the one of rows whose `is_early` is not null. The new column with its constant default is not null, which
-- proves that without a scan. src/database/partitions.ts later adds the months, of the rows whose `is_early` is null, in
-- separate transactions (docs/decisions/0031-partitions.md).

-- Which code a replica runs (see CODE_VERSION in src/database/migrate.ts): older code must not use tables with several
-- partitions, because it deletes rows by `ctid`.
alter table replicas add column code_version integer not null default 1;

alter table audit_log rename to audit_log_early;
alter index audit_log_pkey rename to audit_log_early_pkey;
alter index audit_log_user rename to audit_log_early_user;
alter index audit_log_rate rename to audit_log_early_rate;
alter table audit_log_early add column is_early boolean not null default true;

-- Without a unique key: that of a partitioned table has to contain the partition key. Ids come from one sequence.
create table audit_log (
  id bigint not null generated always as identity,
  user_id uuid not null,
  at timestamptz not null default now(),
  surface text not null,
  action text not null,
  account_id uuid,
  arguments_hash bytea,
  decision text not null,
  outcome text not null,
  milliseconds integer not null,
  call_id uuid not null,
  count integer not null default 1,
  decided_surface text,
  client_id uuid,
  -- The default goes when the months begin.
  is_early boolean default true
) partition by range (is_early);
-- Those of the existing table are attached to these.
create index audit_log_user on audit_log (user_id, id);
create index audit_log_rate on audit_log (user_id, action, at) where decision = 'started';

alter table events rename to events_early;
alter index events_pkey rename to events_early_pkey;
alter index events_id rename to events_early_id;
alter index events_created rename to events_early_created;
alter table events_early add column is_early boolean not null default true;

create table events (
  user_id uuid not null,
  seq bigint not null,
  id bigint not null generated always as identity,
  event text not null,
  data jsonb not null,
  created_at timestamptz not null default now(),
  client_id uuid,
  is_early boolean default true
) partition by range (is_early);
-- The unique indexes of (user_id, seq) and of id are those of each partition.
create index events_created on events (created_at);

-- Ids continue. Nothing is inserted meanwhile, because the tables are locked.
do $$
declare
  next bigint;
begin
  select coalesce(pg_sequence_last_value(pg_get_serial_sequence('audit_log_early', 'id')::regclass), 0) + 1 into next;
  execute format('alter table audit_log alter column id restart with %s', next);
  select coalesce(pg_sequence_last_value(pg_get_serial_sequence('events_early', 'id')::regclass), 0) + 1 into next;
  execute format('alter table events alter column id restart with %s', next);
end $$;
alter table audit_log_early alter column id drop identity;
alter table events_early alter column id drop identity;
alter table audit_log attach partition audit_log_early for values from (minvalue) to (maxvalue);
alter table events attach partition events_early for values from (minvalue) to (maxvalue);

-- As in 0008, but partition by partition: `ctid` names a row of one partition. Fewer rows, because each may have to be read
-- from the disk.
create or replace function user_deleted() returns trigger language plpgsql as $$
declare
  most constant integer := 250;
  gone integer;
  is_clean boolean := true;
begin
  is_clean := delete_some_of_user('audit_log', 'id', old.id, most) < most and is_clean;
  is_clean := delete_some_of_user('events', 'seq', old.id, most) < most and is_clean;
  delete from approvals where id in (select id from approvals where user_id = old.id order by created_at limit most);
  get diagnostics gone = row_count;
  is_clean := is_clean and gone < most;
  delete from idempotency_keys where ctid in (
    select ctid from idempotency_keys where user_id = old.id order by action, key limit most);
  get diagnostics gone = row_count;
  is_clean := is_clean and gone < most;
  insert into erasures (user_id, clean_at) values (old.id, case when is_clean then now() end)
    on conflict (user_id) do update set deleted_at = excluded.deleted_at, clean_at = excluded.clean_at, try_after = now();
  return null;
end $$;

-- Deletes rows of a user from the partitions of a table, at most so many. `number` is the column after user_id in the index.
create function delete_some_of_user(parent regclass, number text, owner uuid, most integer) returns integer language plpgsql as $$
declare
  part regclass;
  gone integer;
  total integer := 0;
begin
  for part in select relid from pg_partition_tree(parent) where isleaf loop
    execute format(
      'delete from %1$s where ctid = any(array(
         select ctid from %1$s where (user_id, %2$I) >= ($1, 0) and (user_id, %2$I) <= ($1, 9223372036854775807)
         order by user_id, %2$I limit $2))', part, number) using owner, most - total;
    get diagnostics gone = row_count;
    total := total + gone;
    exit when total >= most;
  end loop;
  return total;
end $$;

-- For a table with several partitions: deleting by `ctid` from all of them at once takes other users' rows with it. Older
-- code does that, if it was stopped for so long that its row in `replicas` has expired. Rows are deleted from partitions.
create function refuse_delete() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are deleted from its partitions', tg_table_name using errcode = 'object_not_in_prerequisite_state';
end $$;

-- Down Migration

create or replace function user_deleted() returns trigger language plpgsql as $$
declare
  most constant integer := 1000;
  gone integer;
  is_clean boolean := true;
begin
  delete from audit_log where id in (
    select id from audit_log where (user_id, id) >= (old.id, 0) and (user_id, id) <= (old.id, 9223372036854775807)
    order by user_id, id limit most);
  get diagnostics gone = row_count;
  is_clean := is_clean and gone < most;
  delete from events where user_id = old.id and seq in (
    select seq from events where (user_id, seq) >= (old.id, 0) and (user_id, seq) <= (old.id, 9223372036854775807)
    order by user_id, seq limit most);
  get diagnostics gone = row_count;
  is_clean := is_clean and gone < most;
  delete from approvals where id in (select id from approvals where user_id = old.id order by created_at limit most);
  get diagnostics gone = row_count;
  is_clean := is_clean and gone < most;
  delete from idempotency_keys where ctid in (
    select ctid from idempotency_keys where user_id = old.id order by action, key limit most);
  get diagnostics gone = row_count;
  is_clean := is_clean and gone < most;
  insert into erasures (user_id, clean_at) values (old.id, case when is_clean then now() end)
    on conflict (user_id) do update set deleted_at = excluded.deleted_at, clean_at = excluded.clean_at, try_after = now();
  return null;
end $$;
drop function delete_some_of_user;

-- The rows of the months are copied into the table that was there first.
lock table audit_log, events in access exclusive mode;
do $$
declare
  next_audit_id bigint := coalesce(pg_sequence_last_value(pg_get_serial_sequence('audit_log', 'id')::regclass), 0) + 1;
  next_event_id bigint := coalesce(pg_sequence_last_value(pg_get_serial_sequence('events', 'id')::regclass), 0) + 1;
begin
  alter table audit_log detach partition audit_log_early;
  alter table events detach partition events_early;
  alter table audit_log_early alter column is_early drop not null;
  alter table events_early alter column is_early drop not null;
  insert into audit_log_early select * from audit_log;
  insert into events_early select * from events;
  alter table audit_log_early drop column is_early;
  alter table events_early drop column is_early;
  drop table audit_log, events;
  drop function refuse_delete;
  execute format('alter table audit_log_early alter column id add generated always as identity (start with %s)', next_audit_id);
  execute format('alter table events_early alter column id add generated always as identity (start with %s)', next_event_id);
end $$;

alter table audit_log_early rename to audit_log;
alter index audit_log_early_pkey rename to audit_log_pkey;
alter index audit_log_early_user rename to audit_log_user;
alter index audit_log_early_rate rename to audit_log_rate;
alter table events_early rename to events;
alter index events_early_pkey rename to events_pkey;
alter index events_early_id rename to events_id;
alter index events_early_created rename to events_created;
alter table replicas drop column code_version;
update schema_guard set minimum_code_version = 1;
