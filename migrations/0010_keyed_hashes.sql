-- Up Migration

-- The key of the hashes of names that outlive their user, wrapped by each master key: the copies hold the same secret,
-- so that any of the keys opens it, and one that is retired takes only its own copy along.
alter table key_canaries add column hash_secret bytea;

-- Hashes without a key can be guessed. Those of before are hashed once more, with the key, when a service starts.
alter table deleted_users add column keyed boolean not null default false;

-- From here on `subject` is a keyed hash. Rows of before can't be hashed without the key, and say only which accounts
-- were revoked within the last day, and for up to 30 seconds that one is being revoked.
delete from provider_subjects;

-- Down Migration

delete from provider_subjects;
delete from deleted_users where keyed;
alter table deleted_users drop column keyed;
alter table key_canaries drop column hash_secret;
