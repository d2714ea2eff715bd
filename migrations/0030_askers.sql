-- Up Migration

-- An allowance is for whoever asked, and for the arguments of the approved call: what was allowed before states neither.
delete from allowances;
alter table allowances
  -- the user's own front ends, the assistant in any conversation, or one client
  add column asker text not null check (asker in ('user', 'assistant', 'client')),
  add column client_id uuid references client_grants on delete cascade,
  add constraint allowances_client_check check ((asker = 'client') = (client_id is not null));
create index allowances_client on allowances (client_id) where client_id is not null;

-- Down Migration

drop index allowances_client;
alter table allowances drop constraint allowances_client_check, drop column client_id, drop column asker;
