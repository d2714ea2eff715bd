-- Up Migration

-- Hashes of the ids of the items that an approval is about. While it is open, its context's changes of these are asked about,
-- too; null: of any.
alter table approvals add column items bytea[];

-- Down Migration

alter table approvals drop column items;
