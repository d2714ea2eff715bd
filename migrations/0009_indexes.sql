-- Up Migration

-- What the deletion of a user looks for. Both tables are small enough to be read in a moment: rows go when they expire.
create index browser_bindings_user on browser_bindings (user_id);
create index oauth_flows_user on oauth_flows (user_id);

-- Down Migration

drop index oauth_flows_user, browser_bindings_user;
