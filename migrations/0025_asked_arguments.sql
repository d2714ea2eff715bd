-- Up Migration

-- What the caller asked for, where the user has changed the arguments: like arguments_hash and input_hash; null: they are
-- as asked.
alter table approvals add column asked_arguments_hash bytea, add column asked_input_hash bytea;

-- Down Migration

alter table approvals drop column asked_input_hash, drop column asked_arguments_hash;
