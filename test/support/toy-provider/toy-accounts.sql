-- The provider's migration: its name, its accounts, and their part of the view.
insert into providers (name) values ('toy');
create table toy_accounts (
  id uuid not null,
  user_id uuid not null references users on delete cascade,
  grant_id uuid not null,
  nickname text not null,
  connected_at timestamptz not null default now(),
  primary key (user_id, id),
  unique (user_id, grant_id),
  foreign key (user_id, grant_id) references grants on delete cascade
);
do $$
begin
  execute format('create or replace view connected_accounts as %s union all
    select id, grant_id, user_id, nickname, ''[]''::jsonb, false, false, connected_at, null, 0 from toy_accounts',
    rtrim(pg_get_viewdef('connected_accounts'), ';'));
end $$;
