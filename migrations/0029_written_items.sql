-- Up Migration

drop table tainted_items;

-- What was written through the service, and in which context: a day for the questions about it, 30 days with the labels of
-- what had been read before, since it may repeat that.
create table written_items (
  user_id uuid not null,
  -- SHA-256 of the item's id at the provider, or of a name for what holds it
  item bytea not null,
  -- of the last change, as in `contexts`
  context text not null,
  -- text of others had been read
  is_tainted boolean not null,
  -- data of a bank had been read
  is_financial boolean not null,
  written_at timestamptz not null default now(),
  until timestamptz not null,
  primary key (user_id, item)
);
create index written_items_until on written_items (until);
-- whether a user has any, which is asked with each call
create index written_items_labelled on written_items (user_id) where is_tainted or is_financial;

create or replace function user_contexts_deleted() returns trigger language plpgsql as $$
begin
  delete from contexts where user_id = old.id;
  delete from context_reads where user_id = old.id;
  delete from written_items where user_id = old.id;
  return null;
end $$;

-- Down Migration

drop table written_items;

create table tainted_items (
  user_id uuid not null,
  item bytea not null,
  until timestamptz not null,
  primary key (user_id, item)
);
create index tainted_items_until on tainted_items (until);

create or replace function user_contexts_deleted() returns trigger language plpgsql as $$
begin
  delete from contexts where user_id = old.id;
  delete from context_reads where user_id = old.id;
  delete from tainted_items where user_id = old.id;
  return null;
end $$;
