import type { Queryable } from '../../database/database.ts';

/** An active automation that waits for events. */
export interface WatchingRow {
  id: string;
  definition: Buffer;
  watchedSince: Date;
}

/** Active automations of these kinds. @param accountId whose events they wait for; those of all accounts wait for it, too */
export function selectWatching(db: Queryable, userId: string, accountId: string, kinds: readonly string[]): Promise<WatchingRow[]> {
  return db.query<WatchingRow>(
    {
      name: 'automations-watching',
      text: `select id, definition, watched_since as "watchedSince" from automations
             where user_id = $1::uuid and (account_id = $2::uuid or account_id is null) and kind = any($3::text[])
               and state = 'active' and watched_since is not null
             order by id`,
    },
    [userId, accountId, kinds],
  );
}

/** One that has to run. */
export interface NewOccurrence {
  id: string;
  automationId: string;
  occurrence: string;
  /** Encrypted. */
  event: Buffer;
  isTainted: boolean;
  isFinancial: boolean;
}

/** Adds a run for each of these, unless there is one of the same occurrence. @returns the number of those that were added */
export async function insertOccurrences(tx: Queryable, userId: string, now: Date, rows: readonly NewOccurrence[]): Promise<number> {
  const added = await tx.query(
    {
      name: 'automation-runs-of-events',
      text: `insert into automation_runs (id, user_id, automation_id, occurrence, event, is_tainted, is_financial, planned_at, act_at)
             select n.id, $1::uuid, n.automation_id, n.occurrence, n.event, n.is_tainted, n.is_financial, $2::timestamptz, $2::timestamptz
             from unnest($3::uuid[], $4::uuid[], $5::text[], $6::bytea[], $7::boolean[], $8::boolean[])
               as n (id, automation_id, occurrence, event, is_tainted, is_financial)
             join automations a on a.user_id = $1::uuid and a.id = n.automation_id and a.state = 'active'
             order by n.automation_id, n.occurrence
             on conflict (user_id, automation_id, occurrence) do nothing returning 1`,
    },
    [
      userId,
      now,
      rows.map(({ id }) => id),
      rows.map(({ automationId }) => automationId),
      rows.map(({ occurrence }) => occurrence),
      rows.map(({ event }) => event),
      rows.map(({ isTainted }) => isTainted),
      rows.map(({ isFinancial }) => isFinancial),
    ],
  );
  return added.length;
}

/** When the user's contexts last wrote each of these items, within a day. */
export function selectWrittenTimes(db: Queryable, userId: string, items: readonly Buffer[]): Promise<{ item: Buffer; writtenAt: Date }[]> {
  return db.query<{ item: Buffer; writtenAt: Date }>(
    {
      name: 'written-items-times',
      text: `select item, written_at as "writtenAt" from written_items
             where user_id = $1::uuid and item = any($2::bytea[]) and until > now()`,
    },
    [userId, items],
  );
}
