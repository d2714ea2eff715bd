-- Up Migration

-- What was read in a context: by the user's own sockets, or by one client. It decides what may leave unasked.
create table contexts (
  -- without a foreign key, so that a read does not wait for whoever has locked the user's row
  user_id uuid not null,
  -- `user`, or `client:<id>`
  name text not null,
  -- until when a text of others counts as read
  tainted_until timestamptz not null,
  -- until when an account's money counts as read; null: it wasn't
  financial_until timestamptz,
  primary key (user_id, name)
);

-- Who was read in a context within the last hour, for the questions asked in it.
create table context_reads (
  id uuid primary key,
  user_id uuid not null,
  context text not null,
  read_at timestamptz not null default now(),
  -- senders, titles and fingerprints of texts; encrypted
  sources bytea not null
);
create index context_reads_context on context_reads (user_id, context, read_at);
create index context_reads_age on context_reads (read_at);

-- Documents, events and drafts written in a context that had read text of others: they are others' text, too.
create table tainted_items (
  user_id uuid not null,
  -- SHA-256 of the item's id at the provider
  item bytea not null,
  until timestamptz not null,
  primary key (user_id, item)
);
create index tainted_items_until on tainted_items (until);

create function user_contexts_deleted() returns trigger language plpgsql as $$
begin
  delete from contexts where user_id = old.id;
  delete from context_reads where user_id = old.id;
  delete from tainted_items where user_id = old.id;
  return null;
end $$;
create trigger user_contexts_deleted after delete on users for each row execute function user_contexts_deleted();

-- Down Migration

drop trigger user_contexts_deleted on users;
drop function user_contexts_deleted;
drop table tainted_items;
drop table context_reads;
drop table contexts;
