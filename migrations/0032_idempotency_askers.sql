-- Up Migration

-- A key belongs to whoever called with it: the user in person, a client, or the assistant in a thread. The rows of before
-- name no asker, and their results are encrypted for a place without one.
delete from idempotency_keys;
alter table idempotency_keys
  -- `user`, `client:<id>` or `thread:<id>`, like the name of a context
  add column asker text not null default 'user',
  -- the call that claimed the key, as in audit_log: no other one ends or releases it
  add column call_id uuid,
  -- the account that the call is about: its results end with it
  add column account_id uuid,
  drop constraint idempotency_keys_pkey,
  -- in the order of the deletion of a user's rows (0028)
  add primary key (user_id, action, key, asker);

-- Down Migration

delete from idempotency_keys;
alter table idempotency_keys
  drop constraint idempotency_keys_pkey,
  drop column asker,
  drop column call_id,
  drop column account_id,
  add primary key (user_id, action, key);
