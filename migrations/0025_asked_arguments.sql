-- Up Migration

-- Like input_hash, of what the caller asked for, where the user has changed the arguments; null: they are as asked.
alter table approvals add column asked_hash bytea;

-- Down Migration

alter table approvals drop column asked_hash;
