-- Tools that are held, which metrics count by source without reading the whole table.
alter table source_tools add column source text;
update source_tools t set source = a.source from source_accounts a where a.user_id = t.user_id and a.id = t.account_id;
-- that of the account
alter table source_tools alter column source set not null;
-- those that wait for their user
create index source_tools_waiting on source_tools (source, tool)
  where listed_hash is not null and listed_hash is distinct from approved_hash and not is_blocked;
-- those that are defined differently than the operator pins them in the integrations file; the condition, which always holds, keeps
-- the planner from using this index for the others
create index source_tools_listed on source_tools (source, tool, listed_hash) where listed_hash > '';
