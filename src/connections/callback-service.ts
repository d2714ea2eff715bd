import { pollUntil } from '../clock/poll-until.ts';
import { hashSecret } from '../crypto/secrets.ts';
import { AppError } from '../errors.ts';
import { describeError } from '../observability/logger.ts';
import { isBoundTo } from './bindings.ts';
import { type Confirmation, holdGrant, resumeConfirmation } from './confirmation-service.ts';
import type { Exchanged, FlowDeps, IssuedTokens, Profile } from './connector.ts';
import type { FlowError } from './flow-errors.ts';
import { openSecrets } from './flow-start.ts';
import { claimFlow, EXPIRED, type FlowEnd, type FlowRow, finishFlow, type Outcome, providerOf, selectFlow } from './flows-repository.ts';
import { activate, reject, revokeOrphan } from './grant-storage.ts';

/** The provider's response as the browser brings it (RFC 6749, 4.1.2; `iss` by RFC 9207). */
export interface CallbackQuery {
  state?: string | undefined;
  code?: string | undefined;
  error?: string | undefined;
  iss?: string | undefined;
  /** Of the redirect URI itself, where a source has one of its own. */
  source?: string | undefined;
}

/** What the browser receives: a redirect with the flow's outcome, or the confirmation page. */
export type CallbackResult = FlowEnd | { confirmation: Confirmation };

const ignore = () => {};

const POLL_MS = 250;
/** The exchange may take 10 seconds. */
const POLL_LIMIT_MS = 12_000;

/**
 * Handles the provider's redirect: the first callback of a flow exchanges the code, every other one receives its outcome.
 *
 * @param binding the browser's binding secret, if its cookie has one
 */
export async function completeCallback(deps: FlowDeps, query: CallbackQuery, binding: string | undefined): Promise<CallbackResult> {
  const stateHash = hashSecret(query.state ?? '');
  const flow = await claimFlow(deps.db, stateHash);
  if (flow === undefined) return replay(deps, stateHash, query.code ?? '');
  // The browser may be gone before the tokens are stored.
  const result = await deps.orphanedTokens.during(exchange(deps, flow, query, binding));
  return 'confirmation' in result ? result : { redirectUri: flow.redirectUri, source: flow.source, outcome: result };
}

/** For a repeated, late or unknown callback: no exchange. */
async function replay(deps: FlowDeps, stateHash: Buffer, code: string): Promise<CallbackResult> {
  let end: FlowEnd = { redirectUri: deps.redirectUris.fallback, source: null, outcome: EXPIRED };
  const look = async (): Promise<CallbackResult | 'running' | 'unknown'> => {
    const flow = await selectFlow(deps.db, 'state_hash', stateHash);
    if (flow === undefined) return 'unknown';
    end = { ...end, redirectUri: flow.redirectUri, source: flow.source };
    return (await outcomeOf(deps, flow, code)) ?? 'running';
  };
  const seen = await pollUntil(deps.clock, look, (result) => result !== 'running', { everyMs: POLL_MS, limitMs: POLL_LIMIT_MS });
  return typeof seen === 'string' ? end : seen;
}

async function outcomeOf(deps: FlowDeps, flow: FlowRow, code: string): Promise<CallbackResult | undefined> {
  const { redirectUri, source } = flow;
  if (flow.outcome !== null) return { redirectUri, source, outcome: flow.outcome };
  if (flow.pending !== null) {
    const confirmation = flow.confirmationExpired ? undefined : await resumeConfirmation(deps, flow, code);
    return confirmation === undefined ? { redirectUri, source, outcome: EXPIRED } : { confirmation };
  }
  // A claimed flow gets its outcome even if it expires in the meantime. One without an outcome for longer than any
  // callback takes was claimed by a process that ended: the user starts again.
  const over = flow.consumedAt === null ? flow.expired : flow.abandoned;
  return over ? { redirectUri, source, outcome: EXPIRED } : undefined;
}

async function exchange(
  deps: FlowDeps,
  flow: FlowRow,
  query: CallbackQuery,
  binding: string | undefined,
): Promise<Outcome | { confirmation: Confirmation }> {
  const refusal = await refusalIn(deps, flow, query);
  if (refusal !== undefined || query.code === undefined) return finish(deps, flow, refusal ?? 'provider_error');
  const secrets = await openSecrets(deps, flow);
  const { connector } = deps;
  const { code, iss } = query;
  let issued: IssuedTokens | undefined;
  let isLate = false;
  let subject: string | undefined;
  try {
    const exchanged = await connector.exchange(flow, secrets, { code, iss }, connector.deadline(), {
      issued(came) {
        issued = came;
        if (isLate) void revokeOrphan(deps, flow, came);
      },
      // A response that comes after the deadline may bring tokens.
      sent: (response) => void deps.orphanedTokens.during(response.then(ignore, ignore)),
      identified(found) {
        subject = found;
      },
    });
    return await accept(deps, flow, exchanged, code, binding);
  } catch (error) {
    isLate = issued === undefined;
    const atProvider = error instanceof AppError && error.code.startsWith('provider_');
    if (!atProvider && issued === undefined) throw error;
    const message = `connecting a ${flow.source ?? 'workspace'} account failed`;
    deps.logger[atProvider ? 'warn' : 'error']({ err: describeError(error), flow: flow.id }, message);
    // Issued tokens that are not stored must be revoked.
    return issued === undefined ? finish(deps, flow, 'provider_error') : rejectAndRevoke(deps, flow, issued, subject);
  }
}

/** As {@link reject}; while the database is unavailable, the token is revoked later. */
async function rejectAndRevoke(deps: FlowDeps, flow: FlowRow, tokens: IssuedTokens, subject: string | undefined): Promise<Outcome> {
  try {
    return await reject(deps, flow, 'provider_error', tokens, subject);
  } catch (error) {
    await revokeOrphan(deps, flow, tokens, subject);
    throw error;
  }
}

async function accept(
  deps: FlowDeps,
  flow: FlowRow,
  exchanged: Exchanged<Profile>,
  code: string,
  binding: string | undefined,
): Promise<Outcome | { confirmation: Confirmation }> {
  if ('refused' in exchanged) return reject(deps, flow, exchanged.refused, exchanged.tokens, exchanged.subject);
  const { granted, mismatch } = exchanged;
  const bound = await isBoundTo(deps.db, binding, flow.userId);
  if (bound && !mismatch) return activate(deps, flow, granted);
  const confirmation = await holdGrant(deps, flow, exchanged, code);
  return confirmation === undefined ? reject(deps, flow, 'expired', granted.tokens, granted.profile.subject) : { confirmation };
}

async function refusalIn(deps: FlowDeps, flow: FlowRow, query: CallbackQuery): Promise<FlowError | undefined> {
  if (providerOf(flow) !== deps.connector.provider) return 'provider_error';
  // Mix-up: a response of another issuer's must never reach our token endpoint (RFC 9207).
  if (!(await deps.connector.isOfFlow(query, () => openSecrets(deps, flow)))) return 'provider_error';
  if (query.error === undefined) return undefined;
  return query.error === 'access_denied' ? 'access_denied' : 'provider_error';
}

function finish(deps: FlowDeps, flow: FlowRow, code: FlowError): Promise<Outcome> {
  return finishFlow(deps.db, flow, { status: 'error', code });
}
