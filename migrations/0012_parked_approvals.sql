-- What the assistant may do in a conversation that its user didn't begin: a run of an automation. Its id tells that it has a row.
create table thread_grants (
  user_id uuid not null,
  thread_id text not null check (thread_id like 'auto-%'),
  -- full names of actions, or all of an agent (`mail.*`)
  actions text[] not null,
  -- null: all accounts, also later ones
  account_ids uuid[],
  -- of a call that its user would be asked about: it waits, is left out, or becomes a draft
  when_asked text not null check (when_asked in ('wait', 'skip', 'draft')),
  primary key (user_id, thread_id),
  foreign key (user_id, thread_id) references threads on delete cascade
);

-- Asked by a run of an automation, while nobody waits for the answer: it may be decided for longer, and is counted apart.
alter table approvals add column parked boolean not null default false;
