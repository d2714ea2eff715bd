/**
 * SQL: the statements of this database that wait for a row somebody has locked. Those that wait for a table are left out:
 * the service adds a month's partition when it chooses, and may wait for a moment.
 */
export const WAITS_FOR_ROW = `select query from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and wait_event in ('transactionid', 'tuple')`;
