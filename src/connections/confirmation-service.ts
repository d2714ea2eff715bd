import { createHash } from 'node:crypto';
import { type AssociatedData, open, seal } from '../crypto/envelope.ts';
import { hashSecret } from '../crypto/secrets.ts';
import { lockUser } from '../database/user-lock.ts';
import { AppError } from '../errors.ts';
import { Outdated, type PreparedEnd } from '../vault/grants/grants.ts';
import type { SealedRevocation } from '../vault/grants/revocations.ts';
import { ignoreDecryptionFailure } from '../vault/keys/ignore-decryption-failure.ts';
import type { FlowDeps, Granted } from './connector.ts';
import {
  EXPIRED,
  type FlowEnd,
  type FlowRow,
  finishFlow,
  holdForConfirmation,
  lockPendingFlow,
  type Outcome,
  providerOf,
  selectExpiredConfirmations,
  selectFlow,
  selectPendingFlows,
  selectUserLabel,
} from './flows-repository.ts';
import { activate, sealRevocation } from './grant-storage.ts';

export const CONFIRMATION_SECONDS = 600;

/** Name of the cookie that identifies the browser of the callback; one for each form, so that two tabs can each be confirmed. */
export function confirmationCookie(form: string): string {
  return `steward_confirmation_${form.slice(0, 16)}`;
}

/** The content of the confirmation page, with its cookie. */
export interface Confirmation {
  /** Value of the cookie. */
  cookie: string;
  /** One-time value of the form. */
  form: string;
  /** Name of the assistant's user. */
  user: string;
  account: string;
  /** Path that the form is posted to. */
  path: string;
  /** The source that is connected; null: it is a workspace account. */
  source: string | null;
}

/** A grant that waits for its confirmation. */
export interface Pending {
  granted: Granted;
  account: string;
  /** It is another account than the requested one. */
  mismatch: boolean;
}

/** What the revocation of held grants depends on. */
type HeldGrantDeps = Pick<FlowDeps, 'db' | 'userKeys' | 'revocations' | 'logger'>;

const SWEEP_BATCH = 100;

/**
 * Holds a grant, encrypted, until its form is posted from the same browser.
 *
 * @returns undefined when the user was deleted in the meantime: nothing is held
 */
export async function holdGrant(deps: FlowDeps, flow: FlowRow, pending: Pending, code: string): Promise<Confirmation | undefined> {
  const { granted, account } = pending;
  const proof = proofOf(flow.id, code);
  const gone = (await selectUserLabel(deps.db, flow.userId)) === undefined;
  // Cached for the transaction, which must not wait for a key service.
  if (!gone) await deps.userKeys.forUser(deps.db, flow.userId);
  const held = await deps.db.transaction(async (tx) => {
    if (!(await lockUser(tx, flow.userId))) return false;
    const sealed = seal(await deps.userKeys.forUser(tx, flow.userId), associatedData(flow), JSON.stringify(pending));
    await holdForConfirmation(tx, flow, sealed, granted.profile.subject, confirmationHash(proof.cookie, proof.form));
    return true;
  }, flow.userId);
  return held ? describe(deps, flow, account, proof) : undefined;
}

/**
 * The same confirmation for a repeated callback with the same code, which only the browser of the first callback has.
 */
export async function resumeConfirmation(deps: FlowDeps, flow: FlowRow, code: string): Promise<Confirmation | undefined> {
  const proof = proofOf(flow.id, code);
  const held = await selectFlow(deps.db, 'confirmation_hash', confirmationHash(proof.cookie, proof.form));
  if (held === undefined || held.id !== flow.id || held.pending === null) return undefined;
  return describe(deps, held, (await openPending(deps, held)).account, proof);
}

/**
 * Handles the posted form, once, from the browser with the cookie; a second post receives the recorded outcome.
 *
 * @throws AppError `forbidden` from another browser
 */
export async function resolveConfirmation(deps: FlowDeps, cookie: string | undefined, form: string, confirmed: boolean): Promise<FlowEnd> {
  const hash = confirmationHash(cookie ?? '', form);
  const flow = cookie === undefined ? undefined : await selectFlow(deps.db, 'confirmation_hash', hash);
  if (flow === undefined || providerOf(flow) !== deps.connector.provider)
    throw new AppError('forbidden', 'This can only be confirmed in the browser window that asked for it.');
  const outcome = flow.outcome ?? (await settle(deps, flow, hash, confirmed));
  return { redirectUri: flow.redirectUri, source: flow.source, outcome };
}

async function settle(deps: FlowDeps, flow: FlowRow, hash: Buffer, confirmed: boolean): Promise<Outcome> {
  if (flow.confirmationExpired || flow.pending === null) return EXPIRED;
  const pending = await openPending(deps, flow);
  if (!confirmed) {
    const outcome: Outcome = { status: 'error', code: pending.mismatch ? 'account_mismatch' : 'access_denied' };
    return (await release(deps, flow, outcome)) ? outcome : ((await selectFlow(deps.db, 'confirmation_hash', hash))?.outcome ?? EXPIRED);
  }
  return activate(deps, flow, pending.granted, async (tx) => {
    const locked = await selectFlow(tx, 'confirmation_hash', hash);
    if (locked?.outcome) return locked.outcome;
    return locked === undefined || locked.pending === null || locked.confirmationExpired ? EXPIRED : undefined;
  });
}

/** Revokes the grants whose confirmation has expired. */
export async function sweepConfirmations(deps: HeldGrantDeps): Promise<void> {
  for (const flow of await selectExpiredConfirmations(deps.db, SWEEP_BATCH)) await release(deps, flow, EXPIRED);
}

/** Revokes the held grant of a flow. @returns false when the flow was resolved in the meantime */
async function release(deps: HeldGrantDeps, flow: FlowRow, outcome: Outcome): Promise<boolean> {
  const sealed = await sealPending(deps, flow);
  const revocations = await deps.db.transaction(async (tx) => {
    if (!(await lockPendingFlow(tx, flow))) return undefined;
    const queued = sealed && (await deps.revocations.insert(tx, sealed));
    await finishFlow(tx, flow, outcome);
    return [queued];
  });
  await deps.revocations.jobs.add(revocations ?? []);
  return revocations !== undefined;
}

/**
 * Prepares the revocation of every grant of a user that still waits for confirmation; for the user's deletion.
 *
 * @returns to be run inside the transaction, as {@link PreparedEnd}
 */
export async function prepareConfirmationEndOf(deps: HeldGrantDeps, userId: string): Promise<PreparedEnd> {
  const sealed = new Map<string, SealedRevocation | undefined>();
  for (const flow of await selectPendingFlows(deps.db, userId)) sealed.set(nameOf(flow), await sealPending(deps, flow));
  return async (tx) => {
    const ids: string[] = [];
    for (const flow of await selectPendingFlows(tx, userId)) {
      if (!sealed.has(nameOf(flow))) throw new Outdated();
      const revocation = sealed.get(nameOf(flow));
      if (revocation !== undefined) ids.push(await deps.revocations.insert(tx, revocation));
    }
    return ids;
  };
}

function nameOf({ id, pending }: FlowRow): string {
  return `${id} ${pending?.toString('base64')}`;
}

/** A grant that can't be decrypted is logged and not revoked, so that it does not prevent the others. */
async function sealPending(deps: HeldGrantDeps, flow: FlowRow): Promise<SealedRevocation | undefined> {
  const pending = await ignoreDecryptionFailure(() => openPending(deps, flow));
  if (pending === undefined) {
    deps.logger.error({ flow: flow.id }, 'a token could not be read: it is deleted without being revoked');
    return undefined;
  }
  const { tokens, profile } = pending.granted;
  return sealRevocation(deps, providerOf(flow), tokens, profile.subject);
}

/** Both values are derived from the authorization code, so that concurrent callbacks of one browser have the same. */
function proofOf(flowId: string, code: string): { cookie: string; form: string } {
  const derive = (half: string) => createHash('sha256').update(`${half}\0${flowId}\0${code}`).digest('base64url');
  return { cookie: derive('cookie'), form: derive('form') };
}

function confirmationHash(cookie: string, form: string): Buffer {
  return hashSecret(`${cookie}\0${form}`);
}

async function describe(deps: FlowDeps, flow: FlowRow, account: string, proof: { cookie: string; form: string }): Promise<Confirmation> {
  const user = (await selectUserLabel(deps.db, flow.userId)) ?? 'this user';
  return { ...proof, user, account, path: deps.connector.confirmPath, source: flow.source };
}

async function openPending(deps: HeldGrantDeps, flow: FlowRow): Promise<Pending> {
  const pending = flow.pending ?? Buffer.alloc(0);
  const key = await deps.userKeys.toOpen(deps.db, flow.userId, pending);
  const opened = JSON.parse(open(key, associatedData(flow), pending).toString('utf8')) as Pending;
  const { tokens } = opened.granted;
  // JSON has no dates.
  tokens.expiresAt = tokens.expiresAt && new Date(tokens.expiresAt);
  return opened;
}

function associatedData(flow: FlowRow): AssociatedData {
  return { table: 'oauth_flows', column: 'pending', userId: flow.userId, rowId: flow.id };
}
