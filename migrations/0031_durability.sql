-- Up Migration

-- The form of a confirmation page finds its flow by it.
create index oauth_flows_confirmation on oauth_flows (confirmation_hash) where confirmation_hash is not null;

-- Down Migration

drop index oauth_flows_confirmation;
