-- Up Migration

-- refresh tokens that were used: when the response was sent; it is kept a little longer, for requests that arrived before
alter table oauth_entries add column sent_at timestamptz;

-- Down Migration

alter table oauth_entries drop column sent_at;
