-- Up Migration

-- The id that the deleted user had: replicas end its sockets by it, and a
-- restored backup is told by it who has to go again. Null for deletions before this column.
alter table deleted_users add column user_id uuid;
create index deleted_users_at on deleted_users (deleted_at);

-- Down Migration

drop index deleted_users_at;
alter table deleted_users drop column user_id;
