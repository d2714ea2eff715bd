-- Other people's MCP servers: sources of the integrations file, to which each user connects.
insert into providers (name) values ('mcp');

create table source_accounts (
  id uuid not null,
  user_id uuid not null references users on delete cascade,
  grant_id uuid not null,
  -- its name in the integrations file
  source text not null,
  -- the server's address when it was connected: the credentials go nowhere else
  url text not null,
  label text not null,
  is_default boolean not null default false,
  connected_at timestamptz not null default now(),
  -- scopes that its server asked for in refusing a call: they are requested when it is connected again
  wanted_scopes text[] not null default '{}',
  -- raised by each change of its tools, so that a replica knows whether those that it has read are the stored ones
  tools_version integer not null default 0,
  -- when the server's tools were read last; null: not yet
  listed_at timestamptz,
  -- when they are read again; also the lease of the replica that does
  list_after timestamptz not null default now(),
  -- consecutive readings that failed
  list_failures integer not null default 0,
  used_at timestamptz not null default now(),
  primary key (user_id, id),
  unique (user_id, grant_id),
  foreign key (user_id, grant_id) references grants on delete cascade
);
create index source_accounts_user on source_accounts (user_id, connected_at);
create unique index source_accounts_default on source_accounts (user_id, source) where is_default;
create index source_accounts_list on source_accounts (source, list_after);

-- Of an account: the tools that the integrations file lists, as the server defines them.
create table source_tools (
  user_id uuid not null,
  account_id uuid not null,
  -- its name at the server
  tool text not null,
  -- the definition that may be called, encrypted, and its hash; null: none yet
  approved bytea,
  approved_hash text,
  -- the definition that the server listed last, encrypted, and its hash; null: it lists the tool no more
  listed bytea,
  listed_hash text,
  -- by the user
  is_blocked boolean not null default false,
  changed_at timestamptz not null default now(),
  primary key (user_id, account_id, tool),
  foreign key (user_id, account_id) references source_accounts on delete cascade
);

-- This service as a client of the sources' authorization servers.
create table source_clients (
  source text not null,
  issuer text not null,
  -- the redirect URI and the registration's response, encrypted with the service's key
  registration bytea not null,
  created_at timestamptz not null default now(),
  primary key (source, issuer)
);

-- The source that a flow connects, and the account that it connects again; null: a workspace account.
alter table oauth_flows add column source text, add column account_id uuid;

-- Whose data was read in a context: a call to a source tells its server what others must not learn.
create table context_origins (
  user_id uuid not null,
  name text not null,
  account_id uuid not null,
  -- without end for threads
  until timestamptz not null,
  primary key (user_id, name, account_id)
);
create index context_origins_until on context_origins (until);

-- As before, and what is new.
create or replace function user_deleted() returns trigger language plpgsql as $$
declare
  most constant integer := 250;
  -- of conversations
  most_said constant integer := 1000;
  gone integer;
  is_clean boolean := true;
begin
  is_clean := delete_some_of_user('audit_log', 'id', old.id, most) < most and is_clean;
  is_clean := delete_some_of_user('events', 'seq', old.id, most) < most and is_clean;
  delete from approvals where id in (select id from approvals where user_id = old.id order by created_at limit most)
    and user_id = old.id;
  get diagnostics gone = row_count;
  is_clean := is_clean and gone < most;
  delete from idempotency_keys where ctid = any(array(
    select ctid from idempotency_keys where user_id = old.id order by action, key limit most));
  get diagnostics gone = row_count;
  is_clean := is_clean and gone < most;
  delete from run_chunks where ctid = any(array(
    select ctid from run_chunks where user_id = old.id order by run_id, sequence limit most_said));
  get diagnostics gone = row_count;
  is_clean := is_clean and gone < most_said;
  delete from messages where ctid = any(array(
    select ctid from messages where user_id = old.id order by thread_id, position limit most_said));
  get diagnostics gone = row_count;
  is_clean := is_clean and gone < most_said;
  -- Without what would be deleted along with them.
  if is_clean then
    delete from runs where ctid = any(array(select ctid from runs where user_id = old.id order by started_at limit most_said));
    get diagnostics gone = row_count;
    is_clean := gone < most_said;
    delete from threads where ctid = any(array(select ctid from threads where user_id = old.id order by id limit most_said));
    get diagnostics gone = row_count;
    is_clean := is_clean and gone < most_said;
  end if;
  delete from contexts where user_id = old.id;
  delete from context_origins where user_id = old.id;
  delete from context_reads where user_id = old.id;
  delete from written_items where user_id = old.id;
  insert into erasures (user_id, clean_at) values (old.id, case when is_clean then now() end)
    on conflict (user_id) do update set deleted_at = excluded.deleted_at, clean_at = excluded.clean_at, try_after = now();
  return null;
end $$;

create or replace view connected_accounts as
  select id, grant_id, user_id, email as label, '[]'::jsonb as masks, is_default, false as has_warning, connected_at,
         null::text as source, 0 as tools_version
  from workspace_accounts
  union all
  -- The last digits of the first accounts' numbers distinguish several connections to one bank.
  select id, grant_id, user_id, bank_name, jsonb_path_query_array(accounts, '$[0 to 9].mask ? (@ != null && @ != "")'),
         false, warning is not null, connected_at, null, 0
  from bank_items
  union all
  select id, grant_id, user_id, label, '[]', is_default, false, connected_at, source, tools_version
  from source_accounts;
