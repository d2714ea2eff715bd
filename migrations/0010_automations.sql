-- What runs without its user: schedules and events, each with its runs.
create table automations (
  id uuid not null,
  user_id uuid not null references users on delete cascade,
  state text not null default 'active' check (state in ('active', 'paused')),
  -- who paused it; null: it is active
  paused_by text check (paused_by in ('user', 'failures', 'account')),
  -- `schedule`, or the name of its event
  kind text not null,
  -- whose events; null: a schedule, or the events of all accounts
  account_id uuid,
  -- every account that its definition names: it is paused when one is disconnected
  named_accounts uuid[] not null,
  -- name, trigger, what it does and what it may do; encrypted
  definition bytea not null,
  -- of an active schedule: the planned time of its next run, by the service's clock
  due_at timestamptz,
  -- the lease of the replica that plans this run
  planning_until timestamptz,
  -- raised by every change of its definition or state
  revision integer not null default 1,
  -- consecutive runs that failed
  failures integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, id)
);
create index automations_due on automations (due_at) where due_at is not null;
create index automations_account on automations (user_id, account_id, kind) where kind <> 'schedule';

-- One row for each time that an automation had to run: the insertion decides which replica's finding counts.
create table automation_runs (
  id uuid not null,
  user_id uuid not null,
  automation_id uuid not null,
  -- what it was about: the planned time, or the provider's id and change
  occurrence text not null,
  status text not null default 'due'
    check (status in ('due', 'running', 'waiting', 'done', 'failed', 'skipped', 'cancelled')),
  -- its conversation; null: it has none
  thread_id text,
  -- ids of what happened, encrypted; null: a schedule
  event bytea,
  -- others' text, or a bank's data, started it
  is_tainted boolean not null default false,
  is_financial boolean not null default false,
  planned_at timestamptz not null,
  -- it stands for times that were missed
  late boolean not null default false,
  -- when a replica has to begin it or, of one that waits, look whether it can go on; also the lease of the one that does;
  -- null: nothing is to be done
  act_at timestamptz,
  -- how often a replica has tried to
  attempts integer not null default 0,
  started_at timestamptz,
  ended_at timestamptz,
  -- a code of errors; null: none
  error text,
  primary key (user_id, id),
  unique (user_id, automation_id, occurrence),
  foreign key (user_id, automation_id) references automations on delete cascade
);
create index automation_runs_latest on automation_runs (user_id, automation_id, planned_at desc, id desc);
create index automation_runs_act on automation_runs (act_at) where act_at is not null;
create index automation_runs_started on automation_runs (user_id, automation_id, started_at) where started_at is not null;
create index automation_runs_thread on automation_runs (user_id, thread_id) where thread_id is not null;
create index automation_runs_ended on automation_runs (ended_at) where ended_at is not null;

-- The automation whose run a conversation is; null: the user began it.
alter table threads add column automation_id uuid;
