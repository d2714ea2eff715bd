-- Up Migration

-- Grants of OAuth clients stand beside personal access tokens: one list for the user, one check for calls. Their
-- token_hash is the SHA-256 of the grant's id at the embedded authorization server (`oauth`), or of issuer, client, user
-- and access at the operator's own (`external`).
alter table client_grants
  drop constraint client_grants_kind_check,
  add constraint client_grants_kind_check check (kind in ('personal_access_token', 'oauth', 'external')),
  -- personal access tokens only
  alter column last_four drop not null,
  -- OAuth only: the client's id, which is a URL where the client publishes its metadata, and where its redirects go
  add column oauth_client_id text,
  add column redirect_host text,
  -- the last action that it called
  add column last_action text;

-- Until when an equal call of the client that asked counts as the same and runs no second time; null: until it has
-- received the outcome.
alter table approvals add column repeats_until timestamptz;

-- Down Migration

alter table approvals drop column repeats_until;
delete from client_grants where kind <> 'personal_access_token';
alter table client_grants
  drop column last_action, drop column redirect_host, drop column oauth_client_id,
  alter column last_four set not null,
  drop constraint client_grants_kind_check,
  add constraint client_grants_kind_check check (kind in ('personal_access_token'));
