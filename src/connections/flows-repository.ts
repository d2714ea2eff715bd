import type { Queryable } from '../database/database.ts';
import type { Provider } from '../providers/shared/provider.ts';
import type { FlowError } from './flow-errors.ts';

/** How a flow ended; becomes the query of the redirect. */
export type Outcome = { status: 'connected'; account_id: string; missing_scopes: string[] } | { status: 'error'; code: FlowError };

export const EXPIRED: Outcome = { status: 'error', code: 'expired' };

/** Where the browser goes at the end of a flow. */
export interface FlowEnd {
  redirectUri: string;
  /** null: a workspace account, or an unknown flow. */
  source: string | null;
  outcome: Outcome;
}

export interface FlowRow {
  id: string;
  userId: string;
  email: string | null;
  redirectUri: string;
  /** The source that is connected; null: a workspace account. */
  source: string | null;
  /** The source's account that is connected again; null: a new one. */
  accountId: string | null;
  /** Encrypted secrets (FlowSecrets); null once claimed. */
  secrets: Buffer | null;
  openedAt: Date | null;
  consumedAt: Date | null;
  outcome: Outcome | null;
  pending: Buffer | null;
  expired: boolean;
  ticketExpired: boolean;
  /** Opened less than a ticket's lifetime ago. */
  justOpened: boolean;
  /** Claimed so long ago that the process that claimed it must have ended. */
  abandoned: boolean;
  confirmationExpired: boolean;
}

/** The provider of the account that a flow connects. */
export function providerOf({ source }: Pick<FlowRow, 'source'>): Provider {
  return source === null ? 'workspace' : 'mcp';
}

const TICKET_LIFE = '60 seconds';
const FLOW_LIFE = '10 minutes';
const CONFIRMATION_LIFE = '10 minutes';
const CALLBACK_LIMIT = '45 seconds';

const COLUMNS = `id, user_id as "userId", email, redirect_uri as "redirectUri", source, account_id as "accountId", secrets,
  opened_at as "openedAt",
  consumed_at as "consumedAt", outcome, pending,
  expires_at <= now() as expired,
  coalesce(ticket_expires_at <= now(), true) as "ticketExpired",
  coalesce(opened_at > now() - interval '${TICKET_LIFE}', false) as "justOpened",
  coalesce(consumed_at < now() - interval '${CALLBACK_LIMIT}', false) as abandoned,
  coalesce(confirmation_expires_at <= now(), true) as "confirmationExpired"`;

export type FlowName = Pick<FlowRow, 'id' | 'userId'>;

export interface NewFlow extends Pick<FlowRow, 'id' | 'userId' | 'email' | 'redirectUri' | 'source' | 'accountId'> {
  secrets: Buffer;
  ticketHash: Buffer | null;
  stateHash: Buffer;
  opened: boolean;
}

/** Number of the user's open flows. */
export async function countUnfinishedFlows(db: Queryable, userId: string): Promise<number> {
  const rows = await db.query<{ count: number }>(
    'select count(*)::int as count from oauth_flows where user_id = $1::uuid and consumed_at is null and expires_at > now()',
    [userId],
  );
  return rows[0]?.count ?? 0;
}

/** @returns when the ticket expires */
export async function insertFlow(db: Queryable, flow: NewFlow): Promise<Date> {
  const [row] = await db.query<{ ticketExpiresAt: Date }>(
    `insert into oauth_flows (id, user_id, ticket_hash, state_hash, email, redirect_uri, secrets, ticket_expires_at, opened_at, expires_at,
       source, account_id)
     values ($1::uuid, $2::uuid, $3, $4, $5, $6, $7, now() + $9::interval, case when $8 then now() end, now() + $10::interval,
       $11, $12::uuid)
     returning ticket_expires_at as "ticketExpiresAt"`,
    [
      flow.id,
      flow.userId,
      flow.ticketHash,
      flow.stateHash,
      flow.email,
      flow.redirectUri,
      flow.secrets,
      flow.opened,
      TICKET_LIFE,
      FLOW_LIFE,
      flow.source,
      flow.accountId,
    ],
  );
  return row?.ticketExpiresAt ?? new Date(0);
}

/** The user of a ticket; locks nothing. */
export async function selectTicketUser(db: Queryable, ticketHash: Buffer): Promise<string | undefined> {
  const rows = await db.query<{ userId: string }>(
    '/* all users: found by an identity or a secret */ select user_id as "userId" from oauth_flows where ticket_hash = $1',
    [ticketHash],
  );
  return rows[0]?.userId;
}

/** The flow with this hash. It is locked, except by its state, which waiting callbacks poll. */
export async function selectFlow(
  db: Queryable,
  by: 'ticket_hash' | 'state_hash' | 'confirmation_hash',
  hash: Buffer,
): Promise<FlowRow | undefined> {
  const lock = by === 'state_hash' ? '' : 'for no key update';
  const rows = await db.query<FlowRow>(
    `/* all users: found by an identity or a secret */ select ${COLUMNS} from oauth_flows where ${by} = $1 ${lock}`,
    [hash],
  );
  return rows[0];
}

/** The user's newest flow to a workspace account that was prepared and not opened; `match` limits it to one address and redirect_uri. */
export async function selectUnopenedFlow(
  tx: Queryable,
  userId: string,
  match: { email: string | null; redirectUri: string } | undefined,
): Promise<FlowRow | undefined> {
  const rows = await tx.query<FlowRow>(
    `select ${COLUMNS} from oauth_flows
     where user_id = $1::uuid and source is null and opened_at is null and consumed_at is null and expires_at > now()
       and (not $2 or (email is not distinct from $3 and redirect_uri = $4))
     order by created_at desc limit 1 for no key update skip locked`,
    [userId, match !== undefined, match?.email ?? null, match?.redirectUri ?? ''],
  );
  return rows[0];
}

export async function markFlowOpened(tx: Queryable, { userId, id }: FlowName): Promise<void> {
  await tx.query('update oauth_flows set opened_at = now(), expires_at = now() + $3::interval where user_id = $1::uuid and id = $2::uuid', [
    userId,
    id,
    FLOW_LIFE,
  ]);
}

/**
 * Claims a flow for one callback and deletes its secrets; every other callback, also a concurrent one, receives undefined.
 */
export async function claimFlow(db: Queryable, stateHash: Buffer): Promise<FlowRow | undefined> {
  const rows = await db.query<FlowRow>(
    `/* all users: found by an identity or a secret */ with claimed as (
       select user_id, id, secrets from oauth_flows
       where state_hash = $1 and consumed_at is null and expires_at > now() and secrets is not null
       for no key update)
     update oauth_flows f set consumed_at = now(), secrets = null, opened_at = coalesce(opened_at, now())
     from claimed where f.user_id = claimed.user_id and f.id = claimed.id
     returning f.id, f.user_id as "userId", f.email, f.redirect_uri as "redirectUri", f.source, f.account_id as "accountId", claimed.secrets,
       f.opened_at as "openedAt", f.consumed_at as "consumedAt", f.outcome, f.pending,
       false as expired, true as "ticketExpired", false as "justOpened", false as abandoned, false as "confirmationExpired"`,
    [stateHash],
  );
  return rows[0];
}

/** A flow of the user's. */
export async function selectFlowOfUser(db: Queryable, userId: string, id: string): Promise<FlowRow | undefined> {
  const rows = await db.query<FlowRow>(`select ${COLUMNS} from oauth_flows where user_id = $1::uuid and id = $2::uuid`, [userId, id]);
  return rows[0];
}

/** As {@link claimFlow}, for a flow that its user finishes on a page of the service's own. @returns false: it was claimed, or has expired */
export async function claimFlowOfUser(db: Queryable, { userId, id }: FlowName): Promise<boolean> {
  const rows = await db.query(
    `update oauth_flows set consumed_at = now(), secrets = null
     where user_id = $1::uuid and id = $2::uuid and consumed_at is null and expires_at > now() and secrets is not null returning id`,
    [userId, id],
  );
  return rows.length > 0;
}

/** Records how a flow ended. @returns the outcome */
export async function finishFlow(tx: Queryable, { userId, id }: FlowName, outcome: Outcome): Promise<Outcome> {
  await tx.query(
    `update oauth_flows set outcome = $3::jsonb, finished_at = now(), pending = null, pending_subject = null
     where user_id = $1::uuid and id = $2::uuid and outcome is null`,
    [userId, id, JSON.stringify(outcome)],
  );
  return outcome;
}

export async function holdForConfirmation(
  db: Queryable,
  { userId, id }: FlowName,
  pending: Buffer,
  subject: string,
  confirmationHash: Buffer,
): Promise<void> {
  await db.query(
    `update oauth_flows set pending = $3, pending_subject = $4, confirmation_hash = $5, confirmation_expires_at = now() + $6::interval
     where user_id = $1::uuid and id = $2::uuid`,
    [userId, id, pending, subject, confirmationHash, CONFIRMATION_LIFE],
  );
}

export async function selectExpiredConfirmations(db: Queryable, limit: number): Promise<FlowRow[]> {
  return db.query<FlowRow>(
    `/* all users: what is due next */ select ${COLUMNS} from oauth_flows where pending is not null and confirmation_expires_at <= now()
     order by confirmation_expires_at limit $1`,
    [limit],
  );
}

/** Locks a flow whose grant waits for confirmation. @returns false when it was resolved in the meantime */
export async function lockPendingFlow(tx: Queryable, { userId, id }: FlowName): Promise<boolean> {
  const rows = await tx.query(
    'select 1 from oauth_flows where user_id = $1::uuid and id = $2::uuid and pending is not null for no key update',
    [userId, id],
  );
  return rows.length > 0;
}

/** Flows of a user whose grant waits for confirmation. */
export async function selectPendingFlows(tx: Queryable, userId: string): Promise<FlowRow[]> {
  return tx.query<FlowRow>(`select ${COLUMNS} from oauth_flows where user_id = $1::uuid and pending is not null for no key update`, [
    userId,
  ]);
}

/** The assistant's user on the confirmation page. Not the subject, which could look like another user's address. */
export async function selectUserLabel(db: Queryable, userId: string): Promise<string | undefined> {
  const rows = await db.query<{ label: string }>(`select coalesce(email, 'user ' || id) as label from users where id = $1::uuid`, [userId]);
  return rows[0]?.label;
}
