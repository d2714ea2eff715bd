-- Up Migration

-- How an approval ended, for the caller that asked: whether the user changed its arguments, why it can't be decided any
-- more, and what the approved run returned.
alter table approvals
  add column edited boolean not null default false,
  -- null in rows of releases before this
  add column end_reason text,
  -- the result or the error of the run; encrypted
  add column outcome bytea,
  -- until when the run ends; then, until when its outcome is kept; null: there is none (any more)
  add column outcome_until timestamptz;
create index approvals_outcomes on approvals (outcome_until) where outcome_until is not null;

-- The client that an event is also for; null: the user's own front ends only.
alter table events add column client_id uuid;

-- Down Migration

alter table events drop column client_id;
drop index approvals_outcomes;
alter table approvals drop column outcome_until, drop column outcome, drop column end_reason, drop column edited;
