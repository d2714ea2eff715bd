import type { Queryable } from '../../database/database.ts';
import type { ClientGrant, ClientKind } from './client-grant.ts';

/** A grant as its user sees it. */
export interface ClientGrantRow extends ClientGrant {
  name: string;
  /** Of a personal access token. */
  lastFour: string | null;
  /** Of an OAuth client: its id, and the host to which its redirects go. */
  oauthClientId: string | null;
  redirectHost: string | null;
  createdAt: Date;
  expiresAt: Date;
  /** To the minute. */
  lastUsedAt: Date | null;
  /** The action that it called last; null: none yet. */
  lastAction: string | null;
  revokedAt: Date | null;
}

export type NewClientGrant = Omit<ClientGrantRow, 'createdAt' | 'expiresAt' | 'lastUsedAt' | 'lastAction' | 'revokedAt'> & {
  /** SHA-256 of the personal access token, or of the grant's id at the authorization server. */
  tokenHash: Buffer;
  days: number;
};

const GRANT = 'id, user_id as "userId", kind, actions, access, account_ids as "accountIds", except_account_ids as "exceptAccountIds"';
const ROW = `${GRANT}, name, last_four as "lastFour", oauth_client_id as "oauthClientId", redirect_host as "redirectHost",
  created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt", last_action as "lastAction", revoked_at as "revokedAt"`;
export const ACTIVE = 'revoked_at is null and expires_at > now()';
const ENDED_LONG_AGO = `least(expires_at, revoked_at) < now() - interval '30 days'`;

type TokenGrant = Pick<ClientGrantRow, 'id' | 'userId' | 'name' | 'expiresAt'> & { email: string | null };

/** The active grant of a personal access token, with the verified address of its user. */
export async function selectGrantOfToken(db: Queryable, tokenHash: Buffer): Promise<TokenGrant | undefined> {
  const rows = await db.query<TokenGrant>(
    {
      name: 'client-grant-of-token',
      text: `/* all users: found by an identity or a secret */ select c.id, c.user_id as "userId", c.name, c.expires_at as "expiresAt", u.email
             from client_grants c join users u on u.id = c.user_id
             where c.token_hash = $1 and c.kind = 'personal_access_token' and ${ACTIVE}`,
    },
    [tokenHash],
  );
  return rows[0];
}

/**
 * The active grant, and records its use: once a minute, and when it calls another action than before. While another
 * transaction has locked its row, that is left out.
 *
 * @param action that it calls; undefined: another use
 */
export async function useClientGrant(db: Queryable, userId: string, id: string, action?: string): Promise<ClientGrant | undefined> {
  const rows = await db.query<ClientGrant>(
    {
      name: 'client-grant-use',
      text: `with found as (
               select ${GRANT} from client_grants where id = $2::uuid and user_id = $1::uuid and ${ACTIVE}
             ), used as (
               update client_grants set last_used_at = date_trunc('minute', now()), last_action = coalesce($3, last_action)
               where user_id = $1::uuid and id = any(array(
                 select id from client_grants
                 where id = $2::uuid and user_id = $1::uuid and ${ACTIVE}
                   and (last_used_at is distinct from date_trunc('minute', now()) or last_action is distinct from coalesce($3, last_action))
                 for no key update skip locked
               ))
             )
             select * from found`,
    },
    [userId, id, action ?? null],
  );
  return rows[0];
}

/** Whether a grant is active. It stays so until the transaction ends, once it has locked the user. */
export async function isActiveClient(tx: Queryable, userId: string, id: string): Promise<boolean> {
  const rows = await tx.query(`select 1 from client_grants where id = $1::uuid and user_id = $2::uuid and ${ACTIVE}`, [id, userId]);
  return rows.length > 0;
}

export async function insertClientGrant(tx: Queryable, grant: NewClientGrant): Promise<ClientGrantRow> {
  const { id, userId, kind, name, tokenHash, lastFour, oauthClientId, redirectHost, actions, access, accountIds, exceptAccountIds, days } =
    grant;
  const rows = await tx.query<ClientGrantRow>(
    `insert into client_grants
       (id, user_id, kind, name, token_hash, last_four, oauth_client_id, redirect_host, actions, access, account_ids,
        except_account_ids, expires_at)
     values ($1::uuid, $2::uuid, $3, $4, $5, $6, $7, $8, $9, $10, $11::uuid[], $12::uuid[], now() + $13::int * interval '1 day')
     returning ${ROW}`,
    [id, userId, kind, name, tokenHash, lastFour, oauthClientId, redirectHost, actions, access, accountIds, exceptAccountIds, days],
  );
  return rows[0] as ClientGrantRow;
}

export async function selectClientGrantOfHash(db: Queryable, tokenHash: Buffer): Promise<ClientGrantRow | undefined> {
  const rows = await db.query<ClientGrantRow>(
    {
      name: 'client-grant-of-hash',
      text: `/* all users: found by an identity or a secret */ select ${ROW} from client_grants where token_hash = $1`,
    },
    [tokenHash],
  );
  return rows[0];
}

/** @returns undefined when the grant is in force, or was revoked after this sign-in */
export async function renewClientGrant(
  tx: Queryable,
  { id, userId }: Pick<ClientGrantRow, 'id' | 'userId'>,
  signedInAt: Date,
  days: number,
): Promise<ClientGrantRow | undefined> {
  const rows = await tx.query<ClientGrantRow>(
    `update client_grants set revoked_at = null, created_at = now(), expires_at = now() + $4::int * interval '1 day'
     where id = $1::uuid and user_id = $2::uuid and not (${ACTIVE}) and coalesce(revoked_at, created_at) < $3
     returning ${ROW}`,
    [id, userId, signedInAt, days],
  );
  return rows[0];
}

/** A user's grants, newest first, also those that ended within the last 30 days. */
export function selectClientGrants(db: Queryable, userId: string): Promise<ClientGrantRow[]> {
  return db.query<ClientGrantRow>(
    `select ${ROW} from client_grants where user_id = $1::uuid and not (${ENDED_LONG_AGO}) order by created_at desc, id`,
    [userId],
  );
}

export async function countActiveClients(tx: Queryable, userId: string): Promise<number> {
  const rows = await tx.query<{ count: number }>(
    `select count(*)::int as count from client_grants where user_id = $1::uuid and ${ACTIVE}`,
    [userId],
  );
  return rows[0]?.count ?? 0;
}

/** The app, other than one, that was unused for longest, or never used and permitted first. */
export async function selectLongestUnusedApp(
  tx: Queryable,
  userId: string,
  except: string,
): Promise<Pick<ClientGrantRow, 'id' | 'kind'> | undefined> {
  const rows = await tx.query<Pick<ClientGrantRow, 'id' | 'kind'>>(
    `select id, kind from client_grants
     where user_id = $1::uuid and kind <> 'personal_access_token' and id <> $2::uuid and ${ACTIVE}
     order by coalesce(last_used_at, created_at), created_at, id limit 1`,
    [userId, except],
  );
  return rows[0];
}

/** @returns undefined when the user has no such grant; one that was revoked before is left as it is */
export async function revokeClientGrant(
  tx: Queryable,
  userId: string,
  id: string,
  kind?: ClientKind,
): Promise<{ kind: ClientKind; isFirst: boolean } | undefined> {
  const rows = await tx.query<{ kind: ClientKind; isFirst: boolean }>(
    `update client_grants set revoked_at = coalesce(revoked_at, now()) where id = $1::uuid and user_id = $2::uuid and kind = coalesce($3, kind)
     returning kind, revoked_at = now() as "isFirst"`,
    [id, userId, kind ?? null],
  );
  return rows[0];
}

/**
 * Deletes grants that ended 30 days ago. Of clients of the operator's own server, the end is remembered: tokens that are
 * only refreshed there must not begin them again.
 */
