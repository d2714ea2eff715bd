import { pollUntil } from '../clock/poll-until.ts';
import { hashSecret } from '../crypto/secrets.ts';
import { AppError } from '../errors.ts';
import { describeError } from '../observability/logger.ts';
import { identifiesAccount } from '../providers/workspace/workspace-scopes.ts';
import type { IssuedTokens } from '../providers/workspace/workspace-tokens.ts';
import { addressKey } from '../validation/email-address.ts';
import { openSecrets } from './authorization-service.ts';
import { isBoundTo } from './bindings.ts';
import { type Confirmation, holdGrant, resumeConfirmation } from './confirmation-service.ts';
import { activate, type Granted, reject, revokeOrphan } from './connection-service.ts';
import type { FlowError } from './flow-errors.ts';
import { claimFlow, EXPIRED, type FlowRow, finishFlow, type Outcome, selectFlow } from './flows-repository.ts';
import type { WorkspaceDeps } from './workspace-deps.ts';

/** The provider's response as the browser brings it (RFC 6749, 4.1.2; `iss` by RFC 9207). */
export interface CallbackQuery {
  state?: string | undefined;
  code?: string | undefined;
  error?: string | undefined;
  iss?: string | undefined;
}

/** What the browser receives: a redirect with the flow's outcome, or the confirmation page. */
export type CallbackResult = { redirectUri: string; outcome: Outcome } | { confirmation: Confirmation };

const ignore = () => {};

const POLL_MS = 250;
/** The exchange may take 10 seconds. */
const POLL_LIMIT_MS = 12_000;

/**
 * Handles the provider's redirect: the first callback of a flow exchanges the code, every other one receives its outcome.
 *
 * @param binding the browser's binding secret, if its cookie has one
 */
export async function completeCallback(deps: WorkspaceDeps, query: CallbackQuery, binding: string | undefined): Promise<CallbackResult> {
  const stateHash = hashSecret(query.state ?? '');
  const flow = await claimFlow(deps.db, stateHash);
  if (flow === undefined) return replay(deps, stateHash, query.code ?? '');
  // The browser may be gone before the tokens are stored.
  const result = await deps.orphanedTokens.during(exchange(deps, flow, query, binding));
  return 'confirmation' in result ? result : { redirectUri: flow.redirectUri, outcome: result };
}

/** For a repeated, late or unknown callback: no exchange. */
async function replay(deps: WorkspaceDeps, stateHash: Buffer, code: string): Promise<CallbackResult> {
  let redirectUri = deps.redirectUris.fallback;
  const look = async (): Promise<CallbackResult | 'running' | 'unknown'> => {
    const flow = await selectFlow(deps.db, 'state_hash', stateHash);
    if (flow === undefined) return 'unknown';
    redirectUri = flow.redirectUri;
    return (await outcomeOf(deps, flow, code)) ?? 'running';
  };
  const seen = await pollUntil(deps.clock, look, (result) => result !== 'running', { everyMs: POLL_MS, limitMs: POLL_LIMIT_MS });
  return typeof seen === 'string' ? { redirectUri, outcome: EXPIRED } : seen;
}

async function outcomeOf(deps: WorkspaceDeps, flow: FlowRow, code: string): Promise<CallbackResult | undefined> {
  const { redirectUri } = flow;
  if (flow.outcome !== null) return { redirectUri, outcome: flow.outcome };
  if (flow.pending !== null) {
    const confirmation = flow.confirmationExpired ? undefined : await resumeConfirmation(deps, flow, code);
    return confirmation === undefined ? { redirectUri, outcome: EXPIRED } : { confirmation };
  }
  // A claimed flow gets its outcome even if it expires in the meantime. One without an outcome for longer than any
  // callback takes was claimed by a process that ended: the user starts again.
  const over = flow.consumedAt === null ? flow.expired : flow.abandoned;
  return over ? { redirectUri, outcome: EXPIRED } : undefined;
}

async function exchange(
  deps: WorkspaceDeps,
  flow: FlowRow,
  query: CallbackQuery,
  binding: string | undefined,
): Promise<Outcome | { confirmation: Confirmation }> {
  const refusal = refusalIn(deps, query);
  if (refusal !== undefined || query.code === undefined) return finish(deps, flow, refusal ?? 'provider_error');
  const { verifier, nonce } = await openSecrets(deps, flow);
  const deadline = deps.provider.deadline();
  let issued: IssuedTokens | undefined;
  let isLate = false;
  let subject: string | undefined;
  try {
    const tokens = await deps.provider.exchange(query.code, verifier, nonce, deadline, {
      issued(came) {
        issued = came;
        if (isLate) void revokeOrphan(deps, came);
      },
      // A response that comes after the deadline may bring tokens.
      sent: (response) => void deps.orphanedTokens.during(response.then(ignore, ignore)),
    });
    if (!identifiesAccount(tokens.scopes)) return await reject(deps, flow, 'missing_scopes', tokens, tokens.subject);
    subject = tokens.subject;
    const profile = await deps.provider.profile(tokens.accessToken, deadline);
    subject ??= profile.subject;
    if (tokens.subject !== undefined && tokens.subject !== profile.subject) {
      // The two responses must be about one account (OpenID Connect Core, 5.3.2).
      throw new AppError('provider_error', 'The provider’s responses contradict each other.');
    }
    return await accept(deps, flow, { tokens, profile }, query.code, binding);
  } catch (error) {
    isLate = issued === undefined;
    const atProvider = error instanceof AppError && error.code.startsWith('provider_');
    if (!atProvider && issued === undefined) throw error;
    deps.logger[atProvider ? 'warn' : 'error']({ err: describeError(error), flow: flow.id }, 'connecting a workspace account failed');
    // Issued tokens that are not stored must be revoked.
    return issued === undefined ? finish(deps, flow, 'provider_error') : rejectAndRevoke(deps, flow, issued, subject);
  }
}

/** As {@link reject}; while the database is unavailable, the token is revoked later. */
async function rejectAndRevoke(deps: WorkspaceDeps, flow: FlowRow, tokens: IssuedTokens, subject: string | undefined): Promise<Outcome> {
  try {
    return await reject(deps, flow, 'provider_error', tokens, subject);
  } catch (error) {
    await revokeOrphan(deps, tokens, subject);
    throw error;
  }
}

async function accept(
  deps: WorkspaceDeps,
  flow: FlowRow,
  granted: Granted,
  code: string,
  binding: string | undefined,
): Promise<Outcome | { confirmation: Confirmation }> {
  const { tokens, profile } = granted;
  const stored = tokens.refreshToken ?? (await deps.grants.storedRefreshToken(deps.db, flow.userId, 'workspace', profile.subject));
  if (stored === undefined) return reject(deps, flow, 'no_refresh_token', tokens, profile.subject);
  const mismatch = flow.email !== null && !(profile.emailVerified && sameAddress(flow.email, profile.email));
  const bound = await isBoundTo(deps.db, binding, flow.userId);
  if (bound && !mismatch) return activate(deps, flow, granted);
  const confirmation = await holdGrant(deps, flow, granted, code, mismatch);
  return confirmation === undefined ? reject(deps, flow, 'expired', tokens, profile.subject) : { confirmation };
}

function refusalIn(deps: WorkspaceDeps, query: CallbackQuery): FlowError | undefined {
  // Mix-up: a response of another issuer's must never reach our token endpoint (RFC 9207).
  if (query.iss !== undefined && query.iss !== deps.provider.issuer) return 'provider_error';
  if (query.error === undefined) return undefined;
  return query.error === 'access_denied' ? 'access_denied' : 'provider_error';
}

function finish(deps: WorkspaceDeps, flow: FlowRow, code: FlowError): Promise<Outcome> {
  return finishFlow(deps.db, flow, { status: 'error', code });
}

function sameAddress(asked: string, verified: string): boolean {
  return addressKey(asked.trim()) === addressKey(verified.trim());
}
