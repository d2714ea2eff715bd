-- SHA-256 of the issuer's callback that a session began with; null: it began with an ID token.
alter table web_sessions add column callback_hash bytea;
create index web_sessions_callback on web_sessions (callback_hash) where callback_hash is not null;
