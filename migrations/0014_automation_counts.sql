-- For the metrics, which count at each scrape what is rare in large tables.
create index automations_paused on automations (paused_by) where paused_by <> 'user';
create index automation_runs_open on automation_runs (status) where ended_at is null;
create index watches_failing on watches (kind, error) where failures > 0;
