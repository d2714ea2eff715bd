-- Up Migration

-- A question is `preparing` until its preview is there, and `ended` where nobody can answer it any more: its time is
-- over, its account is gone, or the configuration has changed.
alter table approvals
  -- of action, account and the arguments with their defaults: the same question, however its call was spelt
  add column input_hash bytea,
  -- where the call came from; null in rows of releases before this
  add column surface text,
  drop constraint approvals_status_check,
  -- Not valid: what is there already was checked for less.
  add constraint approvals_status_check check (status in ('preparing', 'pending', 'approved', 'denied', 'ended')) not valid;
create index approvals_open on approvals (user_id, expires_at) where status in ('preparing', 'pending');

-- Where the user decided on the call; null where nobody was asked. `surface` is where it came from.
alter table audit_log add column decided_surface text;

-- Down Migration

alter table audit_log drop column decided_surface;
drop index approvals_open;
update approvals set status = 'denied', arguments = null where status in ('preparing', 'ended');
alter table approvals
  drop constraint approvals_status_check,
  drop column input_hash,
  drop column surface,
  add constraint approvals_status_check check (status in ('pending', 'approved', 'denied'));
