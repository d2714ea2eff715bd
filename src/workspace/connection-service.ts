import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../database/database.ts';
import type { WorkspaceProfile, WorkspaceTokens } from '../providers/workspace.ts';
import { missingScopes } from '../providers/workspace-scopes.ts';
import { lockUser } from '../vault/grants-repository.ts';
import { lockSubject } from '../vault/revocations-repository.ts';
import { upsertAccount } from './accounts-repository.ts';
import { type FlowError, finishFlow, type Outcome } from './flows-repository.ts';
import type { WorkspaceParts } from './workspace-parts.ts';

/** What the provider granted in one flow, before it counts. */
export interface Granted {
  tokens: WorkspaceTokens;
  profile: WorkspaceProfile;
}

/** The flow a grant came from. */
export interface GrantedFlow {
  id: string;
  userId: string;
  /** When its callback claimed it: a revocation of the account confirmed since then may have hit the new tokens too. */
  consumedAt: Date | null;
}

/** 11 seconds in all: a call to the provider has 10. */
const BUSY_TRIES = 36;
const BUSY_WAIT_MS = 300;

/** A revocation of the same account is talking to the provider: connects wait for it. */
class SubjectBusy extends Error {}

/** A revocation of the same account has been confirmed since the flow was claimed. */
class SubjectRevoked extends Error {
  readonly at: Date;

  constructor(at: Date) {
    super();
    this.at = at;
  }
}

/**
 * Stores the grant, shows its account and records the flow's outcome, all in
 * one transaction and in step with revocations of the same account.
 *
 * @param guard runs inside the transaction before anything is written; an outcome from it ends the matter and nothing is stored
 */
export async function activate(
  parts: WorkspaceParts,
  flow: GrantedFlow,
  granted: Granted,
  guard?: (tx: Queryable) => Promise<Outcome | undefined>,
): Promise<Outcome> {
  let seen = flow.consumedAt;
  for (let attempt = 1; attempt <= BUSY_TRIES; attempt += 1) {
    try {
      return await parts.db.transaction(async (tx) => {
        // The user before the flow, as a deletion of the user takes them: the other order could lock up.
        const exists = await lockUser(tx, flow.userId);
        const settled = await guard?.(tx);
        return settled ?? (exists ? store(parts, tx, flow, granted, seen) : giveBack(parts, tx, granted));
      });
    } catch (error) {
      if (error instanceof SubjectBusy) {
        await sleep(BUSY_WAIT_MS);
        continue;
      }
      if (!(error instanceof SubjectRevoked)) throw error;
      if (!(await stillOpens(parts, granted.tokens.accessToken))) break;
      seen = error.at;
    }
  }
  return reject(parts, flow.id, 'provider_error', granted.tokens, granted.profile.subject);
}

/**
 * Sends back what was granted and records why.
 *
 * @param subject whose account it is; unknown = nobody can tell whom a revocation would hit, so none is made
 */
export async function reject(
  parts: WorkspaceParts,
  flowId: string,
  code: FlowError,
  tokens: WorkspaceTokens,
  subject: string | undefined,
): Promise<Outcome> {
  const outcome: Outcome = { status: 'error', code };
  const revocation = await parts.db.transaction(async (tx) => {
    await finishFlow(tx, flowId, outcome);
    return subject === undefined ? undefined : queueRevocation(parts, tx, tokens, subject);
  });
  await parts.revocations.enqueue([revocation]);
  return outcome;
}

/** Seals granted but unwanted tokens for revocation; the caller enqueues the id after its commit. */
export function queueRevocation(
  parts: Pick<WorkspaceParts, 'revocations'>,
  tx: Queryable,
  tokens: WorkspaceTokens,
  subject: string,
): Promise<string> {
  return parts.revocations.queue(tx, { provider: 'workspace', subject, token: tokens.refreshToken ?? tokens.accessToken });
}

async function store(
  parts: WorkspaceParts,
  tx: Queryable,
  flow: GrantedFlow,
  { tokens, profile }: Granted,
  seen: Date | null,
): Promise<Outcome> {
  const subject = await lockSubject(tx, 'workspace', profile.subject);
  if (subject.revoking) throw new SubjectBusy();
  if (subject.revokedAt !== null && seen !== null && subject.revokedAt > seen) throw new SubjectRevoked(subject.revokedAt);
  const refreshToken = tokens.refreshToken ?? (await parts.grants.storedRefreshToken(tx, flow.userId, 'workspace', profile.subject));
  if (refreshToken === undefined) return record(tx, flow.id, { status: 'error', code: 'no_refresh_token' });
  const grant = await parts.grants.store(tx, {
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
  await parts.emit(tx, flow.userId, 'account.connected', about);
  if (grant.revived) await parts.emit(tx, flow.userId, 'account.status', { ...about, status: 'active' });
  return record(tx, flow.id, { status: 'connected', account_id: accountId, missing_scopes: missingScopes(tokens.scopes) });
}

/** The user was deleted meanwhile, the flow with it; the sweep enqueues what it finds. */
async function giveBack(parts: WorkspaceParts, tx: Queryable, { tokens, profile }: Granted): Promise<Outcome> {
  await queueRevocation(parts, tx, tokens, profile.subject);
  return { status: 'error', code: 'expired' };
}

async function record(tx: Queryable, flowId: string, outcome: Outcome): Promise<Outcome> {
  await finishFlow(tx, flowId, outcome);
  return outcome;
}

async function stillOpens(parts: WorkspaceParts, accessToken: string): Promise<boolean> {
  try {
    await parts.provider.profile(accessToken, parts.provider.deadline());
    return true;
  } catch {
    return false;
  }
}
