-- Up Migration

-- What metrics count every half minute: without these, each count would read whole tables.
create index grants_attention on grants (provider, status) where status <> 'active';
create index revocations_open on revocations (created_at) where token is not null;
create index revocations_unconfirmed on revocations (unconfirmed_at) where unconfirmed_at is not null;

-- Down Migration

drop index revocations_unconfirmed, revocations_open, grants_attention;
