-- Of tool_allowed and tool_blocked: the hash of the tool's definition that the user decided on.
alter table audit_log add column definition_hash text;
