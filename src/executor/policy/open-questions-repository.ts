import type { Queryable } from '../../database/database.ts';

/** Whether an open approval of the asker is about one of the items. */
export async function selectIsAskedAbout(
  db: Queryable,
  { userId, clientId, threadId }: { userId: string; clientId: string | null; threadId: string | null },
  items: readonly Buffer[],
): Promise<boolean> {
  const rows = await db.query(
    {
      name: 'approvals-about',
      text: `select 1 from approvals
             where user_id = $1::uuid and status in ('preparing', 'pending') and expires_at > now()
               and client_id is not distinct from $2::uuid and thread_id is not distinct from $3
               and (items is null or items && $4::bytea[]) limit 1`,
    },
    [userId, clientId, threadId, items],
  );
  return rows.length > 0;
}
