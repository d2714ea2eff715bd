import type { Queryable } from '../database/database.ts';
import { lockUser } from '../database/user-lock.ts';
import type { SealedRevocation } from '../vault/grants/revocations.ts';
import { lockSubject } from '../vault/grants/revocations-repository.ts';
import { type FlowDeps, FlowRejection, type Granted, type IssuedTokens } from './connector.ts';
import type { FlowError } from './flow-errors.ts';
import { EXPIRED, type FlowName, type FlowRow, finishFlow, type Outcome, selectUserLabel } from './flows-repository.ts';

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
  deps: FlowDeps,
  flow: GrantedFlow,
  granted: Granted,
  guard?: (tx: Queryable) => Promise<Outcome | undefined>,
): Promise<Outcome> {
  const { subject } = granted.profile;
  let seen = flow.consumedAt;
  const subjectHash = await deps.revocations.subjectHash(deps.connector.provider, subject);
  await warm(deps, flow.userId, granted);
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
      await revokeOrphan(deps, flow, granted.tokens, subject);
      return EXPIRED;
    } catch (error) {
      if (error instanceof SubjectBusy) {
        await deps.clock.sleep(BUSY_WAIT_MS);
        continue;
      }
      if (error instanceof FlowRejection) return reject(deps, flow, error.code, granted.tokens, subject);
      if (!(error instanceof SubjectRevoked)) throw error;
      if (!(await isValid(deps, flow, granted.tokens))) break;
      seen = error.at;
    }
  }
  return reject(deps, flow, 'provider_error', granted.tokens, subject);
}

/**
 * Records why a grant is not stored, and revokes it.
 *
 * @param subject the account's; undefined: requested from the provider first
 */
export async function reject(
  deps: FlowDeps,
  flow: FlowName,
  code: FlowError,
  tokens: IssuedTokens,
  subject: string | undefined,
): Promise<Outcome> {
  const outcome: Outcome = { status: 'error', code };
  const { provider } = deps.connector;
  const sealed = subject === undefined ? undefined : await sealRevocation(deps, provider, tokens, subject);
  const revocation = await deps.db.transaction(async (tx) => {
    await finishFlow(tx, flow, outcome);
    return sealed && deps.revocations.insert(tx, sealed);
  });
  await deps.revocations.jobs.add([revocation]);
  if (subject === undefined) await revokeOrphan(deps, flow, tokens);
  return outcome;
}

/** Revokes tokens that are not stored. @param subject the account's; undefined: not known yet */
export function revokeOrphan(
  { connector, orphanedTokens }: FlowDeps,
  flow: FlowName,
  tokens: IssuedTokens,
  subject?: string,
): Promise<void> {
  const request = () => connector.subjectOf(flow, tokens);
  return orphanedTokens.add({
    provider: connector.provider,
    subject: subject ?? request,
    token: tokens.refreshToken ?? tokens.accessToken,
  });
}

/** Encrypts tokens for their revocation, before the transaction that stores it. */
export function sealRevocation(
  { revocations }: Pick<FlowDeps, 'revocations'>,
  provider: string,
  tokens: IssuedTokens,
  subject: string,
): Promise<SealedRevocation> {
  return revocations.seal({ provider, subject, token: tokens.refreshToken ?? tokens.accessToken });
}

async function store(
  { connector }: FlowDeps,
  tx: Queryable,
  flow: GrantedFlow,
  granted: Granted,
  { hash, seen }: { hash: string; seen: Date | null },
): Promise<Outcome> {
  const subject = await lockSubject(tx, connector.provider, hash);
  if (subject.revoking) throw new SubjectBusy();
  if (subject.revokedAt !== null && seen !== null && subject.revokedAt > seen) throw new SubjectRevoked(subject.revokedAt);
  const { id, missingScopes } = await connector.store(tx, flow, granted);
  return finishFlow(tx, flow, { status: 'connected', account_id: id, missing_scopes: missingScopes });
}

/** Caches the keys that the transaction needs, so that it does not wait for a key service. A deleted user has none. */
async function warm({ db, userKeys, connector }: FlowDeps, userId: string, { profile }: Granted): Promise<void> {
  if ((await selectUserLabel(db, userId)) === undefined) return;
  await userKeys.forUser(db, userId);
  await connector.warm(userId, profile);
}

async function isValid({ connector }: FlowDeps, flow: FlowName, tokens: IssuedTokens): Promise<boolean> {
  try {
    await connector.subjectOf(flow, tokens);
    return true;
  } catch {
    return false;
  }
}
