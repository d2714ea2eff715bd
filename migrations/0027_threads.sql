-- Up Migration

-- Conversations with the assistant. A front end names its threads itself, so names are the user's own.
-- None of these tables has a foreign key to the user: see 0008.
create table threads (
  user_id uuid not null,
  id text not null check (id ~ '^[A-Za-z0-9_-]{1,64}$'),
  -- encrypted
  title bytea,
  -- {text, position}: what a model is told in place of the messages up to this position; encrypted
  summary bytea,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, id)
);
create index threads_latest on threads (user_id, updated_at desc, id desc);

create table messages (
  user_id uuid not null,
  thread_id text not null,
  id text not null check (id ~ '^[A-Za-z0-9_-]{1,64}$'),
  -- in the thread, from 1, without gaps
  position int not null,
  role text not null check (role in ('user', 'assistant')),
  -- {parts, metadata} of the AI SDK's UIMessage; encrypted
  content bytea not null,
  created_at timestamptz not null default now(),
  primary key (user_id, thread_id, id),
  unique (user_id, thread_id, position),
  foreign key (user_id, thread_id) references threads on delete cascade
);

-- One answer of a model with all its steps. Runs outlive their threads for a while, because budgets count them.
create table runs (
  id uuid primary key,
  user_id uuid not null,
  thread_id text not null,
  -- of the assistant's message
  message_id text not null,
  model text not null,
  status text not null default 'running'
    check (status in ('running', 'done', 'awaiting_approval', 'interrupted', 'cancelled', 'failed')),
  -- a code of errors; null: none
  error text,
  cancel_requested boolean not null default false,
  -- renewed by the replica that runs it; a running one whose lease has ended was interrupted
  lease_until timestamptz not null,
  steps int not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  -- in the currency of the configured prices
  cost double precision not null default 0,
  started_at timestamptz not null default now(),
  ended_at timestamptz
);
create unique index runs_one_of_thread on runs (user_id, thread_id) where status = 'running';
create index runs_of_thread on runs (user_id, thread_id, started_at);
create index runs_day on runs (user_id, started_at);
create index runs_lease on runs (lease_until) where status = 'running';
create index runs_ended on runs (ended_at) where status <> 'running';

-- What a run has sent, for readers that come back or are on another replica.
create table run_chunks (
  user_id uuid not null,
  run_id uuid not null references runs on delete cascade,
  -- of the first chunk in it, from 0
  sequence int not null,
  -- JSON array of the AI SDK's UIMessageChunks; encrypted
  chunks bytea not null,
  created_at timestamptz not null default now(),
  primary key (run_id, sequence)
);
create index run_chunks_of_user on run_chunks (user_id, run_id, sequence);
create index run_chunks_age on run_chunks (created_at);

-- The thread whose assistant asked; null: a client, or the user's own front end.
alter table approvals add column thread_id text;
create index approvals_thread on approvals (user_id, thread_id) where thread_id is not null;

-- What was read in a thread counts as long as the thread exists, so the sweep needs to find the others.
create index contexts_until on contexts (tainted_until);
drop index context_reads_age;
create index context_reads_age on context_reads (read_at) where context not like 'thread:%';

-- As 0008 does for the other tables. After its trigger (they run in the order of their names), whose row it corrects.
create function user_threads_deleted() returns trigger language plpgsql as $$
declare
  most constant integer := 1000;
  gone integer;
  is_clean boolean := true;
begin
  delete from run_chunks where ctid = any(array(
    select ctid from run_chunks where user_id = old.id order by run_id, sequence limit most));
  get diagnostics gone = row_count;
  is_clean := is_clean and gone < most;
  delete from messages where ctid = any(array(
    select ctid from messages where user_id = old.id order by thread_id, position limit most));
  get diagnostics gone = row_count;
  is_clean := is_clean and gone < most;
  if is_clean then
    delete from runs where ctid = any(array(select ctid from runs where user_id = old.id order by started_at limit most));
    get diagnostics gone = row_count;
    is_clean := gone < most;
    delete from threads where ctid = any(array(select ctid from threads where user_id = old.id order by id limit most));
    get diagnostics gone = row_count;
    is_clean := is_clean and gone < most;
  end if;
  if not is_clean then
    update erasures set clean_at = null, try_after = now() where user_id = old.id;
  end if;
  return null;
end $$;
create trigger users_threads_deleted after delete on users for each row execute function user_threads_deleted();

-- Down Migration

drop trigger users_threads_deleted on users;
drop function user_threads_deleted;
drop index context_reads_age;
create index context_reads_age on context_reads (read_at);
drop index contexts_until;
drop index approvals_thread;
alter table approvals drop column thread_id;
drop table run_chunks;
drop table runs;
drop table messages;
drop table threads;
