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
  -- who was read; encrypted
  sources bytea,
  primary key (user_id, name)
);

create function user_contexts_deleted() returns trigger language plpgsql as $$
begin
  delete from contexts where user_id = old.id;
  return null;
end $$;
create trigger user_contexts_deleted after delete on users for each row execute function user_contexts_deleted();

-- Down Migration

drop trigger user_contexts_deleted on users;
drop function user_contexts_deleted;
drop table contexts;
