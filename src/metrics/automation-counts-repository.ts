import type { Queryable } from '../database/database.ts';
import { COUNT_MAX, count } from './metrics-repository.ts';

/**
 * How long ago each kind of account was read last, of the account that has waited longest. Accounts that can't be read are counted
 * apart. The index of what is due next has those first that wait longest; a lease moves one back for two minutes.
 */
const LOOKS = `
  /* all users: counts */
  select kind, greatest(0, extract(epoch from $1::timestamptz - min(coalesce(looked_at, look_after))))::float8 as age
  from (select kind, looked_at, look_after from watches where failures = 0 order by look_after limit ${COUNT_MAX}) next
  group by kind`;

const FAILING = `
  /* all users: counts */
  select kind, coalesce(error, 'internal') as error, count(*)::int as accounts
  from (select kind, error from watches where failures > 0 limit ${COUNT_MAX}) failing
  group by 1, 2`;

const RUNS = `
  /* all users: counts */
  select status, count(*)::int as runs
  from (select status from automation_runs where ended_at is null limit ${COUNT_MAX}) open
  group by status`;

/** Since when a replica should have planned, begun or continued something. */
const OVERDUE = `
  /* all users: counts */
  select greatest(0, extract(epoch from $1::timestamptz - least(
    (select min(due_at) from automations where due_at is not null),
    (select min(act_at) from automation_runs where act_at is not null))))::float8 as seconds`;

const PAUSED = `
  /* all users: counts */
  select paused_by as "pausedBy", count(*)::int as automations
  from (select paused_by from automations where paused_by <> 'user' limit ${COUNT_MAX}) paused
  group by paused_by`;

/** Channels with something to tell, and since when one should have been told; one that failed is left alone for a while. */
const CHANNELS = `
  /* all users: counts */
  select type, count(*)::int as waiting,
    greatest(0, extract(epoch from $1::timestamptz - min(greatest(due_at, held_until))))::float8 as overdue
  from (select type, due_at, held_until from notification_channels where due_at is not null order by due_at limit ${COUNT_MAX}) due
  group by type`;

/** @param now by the service's clock, which dates these rows. Ages are in seconds, 0 without a row */
export async function countAutomations(db: Queryable, now: Date) {
  const looks = await count<{ kind: string; age: number }>(db, 'looks', LOOKS, [now]);
  const failing = await count<{ kind: string; error: string; accounts: number }>(db, 'looks-failing', FAILING);
  const runs = await count<{ status: string; runs: number }>(db, 'runs', RUNS);
  const [overdue] = await count<{ seconds: number | null }>(db, 'runs-overdue', OVERDUE, [now]);
  const paused = await count<{ pausedBy: string; automations: number }>(db, 'automations-paused', PAUSED);
  const channels = await count<{ type: string; waiting: number; overdue: number }>(db, 'channels', CHANNELS, [now]);
  return { looks, failing, runs, overdue: overdue?.seconds ?? 0, paused, channels };
}
