-- Up Migration

-- Users that were deleted. What a user can have any number of goes in bounded steps after the user: in one statement
-- it would take longer than a statement may.
create table erasures (
  user_id uuid primary key,
  deleted_at timestamptz not null default now(),
  -- when nothing was left the last time somebody looked; null = rows are left
  clean_at timestamptz,
  -- when it is looked next: a call under way at the deletion may still write; also the lease of whoever looks
  try_after timestamptz not null default now()
);
create index erasures_try on erasures (try_after);
create index erasures_open on erasures (deleted_at) where clean_at is null;
create index erasures_deleted on erasures (deleted_at);
-- Of these nothing is left: the foreign keys below have seen to it.
insert into erasures (user_id, deleted_at, clean_at, try_after)
  select user_id, deleted_at, now(), 'infinity' from deleted_users where user_id is not null
  on conflict do nothing;

-- The foreign keys made one statement of a whole history, and each insert wait for whoever has locked its user's row,
-- together with the rows of others in the same statement.
alter table audit_log
  drop constraint audit_log_user_id_fkey,
  -- refusals that were counted instead of written one by one
  add column count integer not null default 1;
alter table events drop constraint events_user_id_fkey;
alter table approvals drop constraint approvals_user_id_fkey;
alter table idempotency_keys drop constraint idempotency_keys_user_id_fkey;

-- Whoever deletes a user, an older release among them, takes some rows of each along: all of most users. Compared as
-- pairs, they are found by the index however few users the planner knows.
create function user_deleted() returns trigger language plpgsql as $$
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
create trigger users_deleted after delete on users for each row execute function user_deleted();

-- Down Migration

drop trigger users_deleted on users;
drop function user_deleted;
delete from audit_log where user_id not in (select id from users);
delete from events where user_id not in (select id from users);
delete from approvals where user_id not in (select id from users);
delete from idempotency_keys where user_id not in (select id from users);
alter table idempotency_keys add foreign key (user_id) references users on delete cascade;
alter table approvals add foreign key (user_id) references users on delete cascade;
alter table events add foreign key (user_id) references users on delete cascade;
alter table audit_log drop column count, add foreign key (user_id) references users on delete cascade;
drop table erasures;
