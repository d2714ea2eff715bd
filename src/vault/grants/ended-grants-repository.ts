import type { Queryable } from '../../database/database.ts';
import type { GrantRow } from './grants-repository.ts';

/** What revoking a grant requires. */
export type EndedGrant = Pick<GrantRow, 'id' | 'userId' | 'provider' | 'subject' | 'tokens'>;

const COLUMNS = 'grant_id as id, user_id as "userId", provider, subject, tokens';
/** Longer than one attempt may take, and shorter than the interval of the sweep. */
const LEASE = '30 seconds';

/** @returns the row's own id. The row is leased to the caller. */
export async function insertEndedGrant(tx: Queryable, grant: EndedGrant): Promise<string> {
  const rows = await tx.query<{ id: string }>(
    `insert into ended_grants (grant_id, user_id, provider, subject, tokens, try_after)
     values ($1::uuid, $2::uuid, $3, $4, $5, now() + $6::interval) returning id`,
    [grant.id, grant.userId, grant.provider, grant.subject, grant.tokens, LEASE],
  );
  return rows[0]?.id as string;
}

/** Names a row, whose id is not that of the grant. */
export interface EndedGrantName {
  id: string;
  userId: string;
}

export async function selectEndedGrant(db: Queryable, { userId, id }: EndedGrantName): Promise<EndedGrant | undefined> {
  const rows = await db.query<EndedGrant>(`select ${COLUMNS} from ended_grants where user_id = $1::uuid and id = $2::uuid`, [userId, id]);
  return rows[0];
}

export async function selectEndedGrantsOfUser(db: Queryable, userId: string): Promise<EndedGrant[]> {
  return db.query<EndedGrant>(`select ${COLUMNS} from ended_grants where user_id = $1::uuid`, [userId]);
}

/**
 * Takes the row that has been due longest; a row that fails is therefore retried after the others.
 *
 * @returns undefined: none is due, or other replicas have them
 */
export async function claimEndedGrant(db: Queryable): Promise<EndedGrantName | undefined> {
  const rows = await db.query<EndedGrantName>(
    `/* all users: what is due next */ update ended_grants set try_after = now() + $1::interval
     where (user_id, id) = (select user_id, id from ended_grants where try_after <= now() order by try_after limit 1 for no key update skip locked)
     returning id, user_id as "userId"`,
    [LEASE],
  );
  return rows[0];
}

/** Deletes the row and returns its content. */
export async function deleteEndedGrant(tx: Queryable, { userId, id }: EndedGrantName): Promise<EndedGrant | undefined> {
  const rows = await tx.query<EndedGrant>(`delete from ended_grants where user_id = $1::uuid and id = $2::uuid returning ${COLUMNS}`, [
    userId,
    id,
  ]);
  return rows[0];
}

export async function deleteEndedGrantsOfUser(tx: Queryable, userId: string): Promise<EndedGrant[]> {
  return tx.query<EndedGrant>(`delete from ended_grants where user_id = $1::uuid returning ${COLUMNS}`, [userId]);
}
