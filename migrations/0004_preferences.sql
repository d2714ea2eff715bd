-- How a user reads and is called; null: not said.
alter table users
  add column time_zone text check (length(time_zone) <= 60),
  add column language text check (length(language) <= 35),
  add column name text check (length(name) between 1 and 200);
