-- Why a connection, or one of its tools, can't be used, so that its user sees it.
-- The code of the error with which its tools were read last; null: they were read.
alter table source_accounts add column list_error text;
-- Why the server's definition can't be used, in words of this service; null: it can, or the server doesn't list the tool.
alter table source_tools add column problem text;

-- As before; what a server asked for besides what was granted is a warning, too.
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
  select id, grant_id, user_id, label, '[]', is_default, wanted_scopes <> '{}', connected_at, source, tools_version
  from source_accounts;
