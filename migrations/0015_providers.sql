-- Up Migration

-- The providers of this release. A provider is added by a migration that inserts its name and, where it stores its
-- accounts in a table of its own, adds that table to the view below.
create table providers (
  name text primary key
);
insert into providers (name) values ('workspace'), ('bank');

-- Not valid: older rows were checked against the list that this replaces.
alter table grants
  drop constraint grants_provider_check,
  add constraint grants_provider foreign key (provider) references providers not valid;
alter table ended_grants
  drop constraint ended_grants_provider_check,
  add constraint ended_grants_provider foreign key (provider) references providers not valid;
alter table revocations
  drop constraint revocations_provider_check,
  add constraint revocations_provider foreign key (provider) references providers not valid;

-- The accounts of every provider, with what selecting one and reporting its status takes.
create view connected_accounts as
  select id, grant_id, user_id, email as label, '[]'::jsonb as masks, is_default, false as has_warning, connected_at
  from workspace_accounts
  union all
  -- The last digits of the first accounts' numbers distinguish several connections to one bank.
  select id, grant_id, user_id, bank_name, jsonb_path_query_array(accounts, '$[0 to 9].mask ? (@ != null && @ != "")'),
         false, warning is not null, connected_at
  from bank_items;

-- Down Migration

drop view connected_accounts;
alter table revocations
  drop constraint revocations_provider,
  add constraint revocations_provider_check check (provider in ('workspace', 'bank')) not valid;
alter table ended_grants
  drop constraint ended_grants_provider,
  add constraint ended_grants_provider_check check (provider in ('workspace', 'bank')) not valid;
alter table grants
  drop constraint grants_provider,
  add constraint grants_provider_check check (provider in ('workspace', 'bank')) not valid;
drop table providers;
