import type { Queryable } from '../database/database.ts';
import { deleteExpired } from '../database/retention.ts';

/** Longer than an hour by the time for which a process doesn't repeat the statement. */
const TAINTED = '65 minutes';

export interface ContextRow {
  isTainted: boolean;
  isFinancial: boolean;
  sources: Buffer | null;
}

export async function taintContext(db: Queryable, userId: string, name: string, financial: boolean): Promise<void> {
  await db.query(
    {
      name: 'context-taint',
      text: `insert into contexts (user_id, name, tainted_until, financial_until)
             select id, $2, now() + interval '${TAINTED}', case when $3::boolean then now() + interval '${TAINTED}' end
             from users where id = $1::uuid
             on conflict (user_id, name) do update
             set tainted_until = excluded.tainted_until, financial_until = coalesce(excluded.financial_until, contexts.financial_until)`,
    },
    [userId, name, financial],
  );
}

export async function selectContext(db: Queryable, userId: string, name: string): Promise<ContextRow | undefined> {
  const rows = await db.query<ContextRow>(
    {
      name: 'context-select',
      text: `select tainted_until > now() as "isTainted", coalesce(financial_until > now(), false) as "isFinancial", sources
             from contexts where user_id = $1::uuid and name = $2`,
    },
    [userId, name],
  );
  return rows[0];
}

export async function storeSources(db: Queryable, userId: string, name: string, sealed: Buffer): Promise<void> {
  await db.query('update contexts set sources = $3 where user_id = $1::uuid and name = $2', [userId, name, sealed]);
}

export function deleteOldContexts(db: Queryable): Promise<void> {
  return deleteExpired(db, 'contexts', 'tainted_until < now()');
}
