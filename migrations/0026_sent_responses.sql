-- Up Migration

-- refresh tokens that were used: when the response was sent; it is kept a little longer, for requests that arrived before
alter table oauth_entries add column sent_at timestamptz;
create index oauth_entries_response on oauth_entries (consumed_at) where response is not null;

-- Down Migration

drop index oauth_entries_response;
alter table oauth_entries drop column sent_at;
