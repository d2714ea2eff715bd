-- Of a client that may use all accounts, also later ones: those that the user left out.
alter table client_grants add column except_account_ids uuid[] not null default '{}';
