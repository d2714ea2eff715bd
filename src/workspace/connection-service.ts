import { randomUUID } from 'node:crypto';
import type { Queryable } from '../database/database.ts';
import { lockUser } from '../database/user-lock.ts';
import type { WorkspaceProfile, WorkspaceTokens } from '../providers/workspace/workspace-provider.ts';
import { missingScopes } from '../providers/workspace/workspace-scopes.ts';
import type { IssuedTokens } from '../providers/workspace/workspace-tokens.ts';
import type { SealedRevocation } from '../vault/grants/revocations.ts';
import { lockSubject } from '../vault/grants/revocations-repository.ts';
import { upsertAccount } from './accounts-repository.ts';
import type { FlowError } from './flow-errors.ts';
import { EXPIRED, type FlowName, type FlowRow, finishFlow, type Outcome, selectUserLabel } from './flows-repository.ts';
import type { WorkspaceDeps } from './workspace-deps.ts';

/** What the provider granted in a flow, before it is stored. */
export interface Granted {
  tokens: WorkspaceTokens;
  profile: WorkspaceProfile;
}

/**
 * The flow of a grant. `consumedAt` is when its callback claimed it: a revocation of the account that was confirmed later may
 * have revoked the new tokens too.
 */
type GrantedFlow = Pick<FlowRow, 'id' | 'userId' | 'consumedAt'>;

/** 11 seconds in total: a request to the provider may take 10. */
const BUSY_TRIES = 36;
const BUSY_WAIT_MS = 300;

/** A revocation of the same account is in progress at the provider. */
class SubjectBusy extends Error {}

/** The account has no refresh token: the provider gave none, and the stored one is gone since the flow began. */
class NoRefreshToken extends Error {}

/** A revocation of the same account was confirmed after the flow was claimed. */
class SubjectRevoked extends Error {
  readonly at: Date;

  constructor(at: Date) {
    super();
    this.at = at;
  }
}

/**
 * Stores the grant, its account and the flow's outcome in one transaction, serialized with revocations of the same account.
 *
 * @param guard runs inside the transaction first; if it returns an outcome, nothing is stored
 */
export async function activate(
  deps: WorkspaceDeps,
  flow: GrantedFlow,
  granted: Granted,
  guard?: (tx: Queryable) => Promise<Outcome | undefined>,
): Promise<Outcome> {
  let seen = flow.consumedAt;
  const subjectHash = await deps.revocations.subjectHash('workspace', granted.profile.subject);
  await warm(deps, flow.userId, granted.profile.subject);
  for (let attempt = 1; attempt <= BUSY_TRIES; attempt += 1) {
    try {
      const outcome = await deps.db.transaction(async (tx) => {
        // The user before the flow, as in a deletion of the user: the other order could cause a deadlock.
        const exists = await lockUser(tx, flow.userId);
        const settled = await guard?.(tx);
        if (settled !== undefined || !exists) return settled;
        return store(deps, tx, flow, granted, { hash: subjectHash, seen });
      }, flow.userId);
      if (outcome !== undefined) return outcome;
      // The user was deleted in the meantime, with the flow.
      await revokeOrphan(deps, granted.tokens, granted.profile.subject);
      return EXPIRED;
    } catch (error) {
      if (error instanceof SubjectBusy) {
        await deps.clock.sleep(BUSY_WAIT_MS);
        continue;
      }
      if (error instanceof NoRefreshToken) return reject(deps, flow, 'no_refresh_token', granted.tokens, granted.profile.subject);
      if (!(error instanceof SubjectRevoked)) throw error;
      if (!(await isValid(deps, granted.tokens.accessToken))) break;
      seen = error.at;
    }
  }
  return reject(deps, flow, 'provider_error', granted.tokens, granted.profile.subject);
}

/**
 * Records why a grant is not stored, and revokes it.
 *
 * @param subject the account's; undefined: requested from the provider first
 */
export async function reject(
  deps: WorkspaceDeps,
  flow: FlowName,
  code: FlowError,
  tokens: IssuedTokens,
  subject: string | undefined,
): Promise<Outcome> {
  const outcome: Outcome = { status: 'error', code };
  const sealed = subject === undefined ? undefined : await sealRevocation(deps, tokens, subject);
  const revocation = await deps.db.transaction(async (tx) => {
    await finishFlow(tx, flow, outcome);
    return sealed && deps.revocations.insert(tx, sealed);
  });
  await deps.revocations.jobs.add([revocation]);
  if (subject === undefined) await revokeOrphan(deps, tokens);
  return outcome;
}

/** Revokes tokens that are not stored. @param subject the account's; undefined: not known yet */
export function revokeOrphan(deps: WorkspaceDeps, { accessToken, refreshToken }: IssuedTokens, subject?: string): Promise<void> {
  const request = async () => (await deps.provider.profile(accessToken, deps.provider.deadline())).subject;
  return deps.orphanedTokens.add({ provider: 'workspace', subject: subject ?? request, token: refreshToken ?? accessToken });
}

/** Encrypts tokens for their revocation, before the transaction that stores it. */
export function sealRevocation(deps: Pick<WorkspaceDeps, 'revocations'>, tokens: IssuedTokens, subject: string): Promise<SealedRevocation> {
  return deps.revocations.seal({ provider: 'workspace', subject, token: tokens.refreshToken ?? tokens.accessToken });
}

async function store(
  deps: WorkspaceDeps,
  tx: Queryable,
  flow: GrantedFlow,
  { tokens, profile }: Granted,
  { hash, seen }: { hash: string; seen: Date | null },
): Promise<Outcome> {
  const subject = await lockSubject(tx, 'workspace', hash);
  if (subject.revoking) throw new SubjectBusy();
  if (subject.revokedAt !== null && seen !== null && subject.revokedAt > seen) throw new SubjectRevoked(subject.revokedAt);
  const refreshToken = tokens.refreshToken ?? (await deps.grants.storedRefreshToken(tx, flow.userId, 'workspace', profile.subject));
  if (refreshToken === undefined) throw new NoRefreshToken();
  const grant = await deps.grants.store(tx, {
    userId: flow.userId,
    provider: 'workspace',
    subject: profile.subject,
    tokens: { accessToken: tokens.accessToken, refreshToken },
    scopes: tokens.scopes,
    expiresAt: tokens.expiresAt,
  });
  const { email, name, picture } = profile;
  const accountId = await upsertAccount(tx, { id: randomUUID(), grantId: grant.id, userId: flow.userId, email, name, picture });
  const about = { account: accountId, provider: 'workspace' };
  await deps.emit(tx, flow.userId, 'account.connected', about);
  if (grant.revived) await deps.emit(tx, flow.userId, 'account.status', { ...about, status: 'active' });
  return finishFlow(tx, flow, { status: 'connected', account_id: accountId, missing_scopes: missingScopes(tokens.scopes) });
}

/** Caches the keys that the transaction needs, so that it does not wait for a key service. A deleted user has none. */
async function warm({ db, userKeys, grants }: WorkspaceDeps, userId: string, subject: string): Promise<void> {
  if ((await selectUserLabel(db, userId)) === undefined) return;
  await userKeys.forUser(db, userId);
  await grants.storedRefreshToken(db, userId, 'workspace', subject);
}

async function isValid(deps: WorkspaceDeps, accessToken: string): Promise<boolean> {
  try {
    await deps.provider.profile(accessToken, deps.provider.deadline());
    return true;
  } catch {
    return false;
  }
}
