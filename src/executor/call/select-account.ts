import { AppError, type ErrorCode } from '../../errors.ts';
import type { AgentNeeds, Provider } from '../../providers/shared/provider.ts';
import { cutList } from '../../validation/cut-text.ts';
import { addressKey } from '../../validation/email-address.ts';
import { asciiLowerCase, nameKey } from '../../validation/lower-case.ts';
import type { GrantStatus } from '../../vault/grants/grants-repository.ts';
import type { AgentAccountRow } from './agent-accounts-repository.ts';

/** Characters of the names in a message; all of them are in its details. */
const MAX_NAMES = 1_000;

/** The accounts that an action, or an agent, may use: those of its provider; of a source's, those to that source. */
export function accountsFor(
  accounts: readonly AgentAccountRow[],
  { provider, source }: { provider: Provider; source: string | undefined },
): readonly AgentAccountRow[] {
  return accounts.filter((account) => account.provider === provider && (source === undefined || account.source === source));
}

/**
 * Selects an account by id or label, or the default.
 *
 * @param candidates see {@link accountsFor}
 * @param provider how people call what the account is of
 * @param wanted undefined: the default, or the only one
 * @throws AppError `invalid_request` with `details.choices` when it is unknown or ambiguous, `not_found` when no account is connected
 */
export function selectAccount(candidates: readonly AgentAccountRow[], provider: string, wanted: string | undefined): AgentAccountRow {
  if (candidates.length === 0) throw new AppError('not_found', `No ${provider} account is connected.`, { details: { choices: [] } });
  if (wanted === undefined) {
    const preferred = candidates.length === 1 ? candidates[0] : candidates.find((account) => account.isDefault);
    if (preferred !== undefined) return preferred;
    throw ambiguous('Several accounts are connected: say which one.', candidates);
  }
  const byId = candidates.find((account) => account.id === asciiLowerCase(wanted));
  if (byId !== undefined) return byId;
  const [match, ...others] = candidates.filter(({ label }) => labelKey(label) === labelKey(wanted));
  if (match === undefined) throw ambiguous('No such account is connected.', candidates);
  if (others.length > 0) throw ambiguous('Several accounts go by this name: say which one by its id.', candidates);
  return match;
}

/** What tells whether two labels are the same: mail addresses, or names of banks. */
export function labelKey(label: string): string {
  return label.includes('@') ? addressKey(label) : nameKey(label);
}

/** @throws AppError `reauth_required`, `relink_required`, `item_gone` */
export function assertUsable(account: AgentAccountRow): void {
  if (account.status !== 'active') throw unusable(account, account.status);
}

/** Whether the user has set the account to read-only, for everything or for this client. */
export function isReadOnly({ readOnlyFor }: Pick<AgentAccountRow, 'readOnlyFor'>, clientId: string | undefined): boolean {
  return readOnlyFor.some((id) => id === null || id === clientId);
}

/** @throws AppError `forbidden` if the account is read-only */
export function assertWritable(account: AgentAccountRow, clientId: string | undefined): void {
  if (isReadOnly(account, clientId)) throw setReadOnly(account);
}

export function setReadOnly({ label }: Pick<AgentAccountRow, 'label'>): AppError {
  return new AppError('forbidden', `The user has set ${label} to read-only: nothing in it may be changed.`);
}

/** @throws AppError `missing_scopes` with `details.missingScopes` */
export function assertScopes(account: AgentAccountRow, anyOf: readonly string[], needs: AgentNeeds): void {
  if (anyOf.length > 0 && !coversAny(account, anyOf, needs)) throw uncovered(account, anyOf, needs);
}

/** Whether the account has granted one of these scopes. */
export function coversAny({ scopes }: Pick<AgentAccountRow, 'scopes'>, anyOf: readonly string[], needs: AgentNeeds): boolean {
  return anyOf.some((name) => needs.isGranted(scopes, name));
}

/** An error of a run about its account, with the message and details of the checks before a run; other errors unchanged. */
export function asAccountError(error: unknown, account: AgentAccountRow, anyOf: readonly string[], needs: AgentNeeds): unknown {
  if (!(error instanceof AppError)) return error;
  const { code } = error;
  const consent = needs.consentMissing?.(error, account.label);
  if (consent !== undefined) return accountError('relink_required', consent, account, error);
  if (code === 'reauth_required' || code === 'relink_required' || code === 'item_gone') return unusable(account, code, error);
  return code === 'missing_scopes' ? uncovered(account, anyOf, needs, error) : error;
}

function unusable(account: AgentAccountRow, status: Exclude<GrantStatus, 'active'>, cause?: AppError): AppError {
  const { label } = account;
  const messages: Record<typeof status, string> = {
    reauth_required: `Reconnect ${label}: its permission has ended.`,
    relink_required: `${label} asks for a new login.`,
    item_gone: `${label} no longer knows this connection. Link it again.`,
  };
  return accountError(status, messages[status], account, cause);
}

function accountError(code: ErrorCode, message: string, { id }: AgentAccountRow, cause: AppError | undefined): AppError {
  return new AppError(code, message, { details: { account: id, ...providerWords(cause) }, cause });
}

/** Why the provider rejected the call, in its own words. */
function providerWords(cause: AppError | undefined): { provider?: unknown } {
  return cause?.details?.provider === undefined ? {} : { provider: cause.details.provider };
}

function uncovered({ label, scopes, id }: AgentAccountRow, anyOf: readonly string[], needs: AgentNeeds, cause?: AppError): AppError {
  const missing = needs.missing(scopes).filter((name) => anyOf.includes(name));
  return new AppError('missing_scopes', `${label} has not granted this. Connect it again and tick the box.`, {
    // Where all are recorded as granted, the provider has the newer state.
    details: { account: id, missingScopes: missing.length > 0 ? missing : [...anyOf], ...providerWords(cause) },
    cause,
  });
}

function ambiguous(message: string, candidates: readonly AgentAccountRow[]): AppError {
  const named = Map.groupBy(candidates, ({ label }) => labelKey(label));
  // Callers learn digits of a bank only where nothing else tells its connections apart.
  const masksOf = ({ label, masks }: AgentAccountRow) => (named.get(labelKey(label))?.length === 1 ? [] : masks);
  const choices = candidates.map((account) => {
    const masks = masksOf(account);
    return { id: account.id, label: account.label, ...(masks.length > 0 && { masks }) };
  });
  const names = choices.map(({ label, masks }) =>
    masks === undefined ? label : `${label} (${masks.map((mask) => `…${mask}`).join(', ')})`,
  );
  return new AppError('invalid_request', `account: ${message} Choices: ${cutList(names, MAX_NAMES)}.`, { details: { choices } });
}

/**
 * In the place of an account, where a provider has none: approvals, keys and results of its calls are filed under the user’s own id.
 * It can be neither disconnected nor set to read-only, and has no name.
 *
 * @param wanted as the caller named it
 * @throws AppError `invalid_request` if the caller named an account
 */
export function ownAccount(userId: string, provider: Provider, wanted: string | undefined): AgentAccountRow {
  if (wanted !== undefined && wanted !== userId) throw new AppError('invalid_request', 'account: this action uses none.');
  return {
    id: userId,
    grantId: userId,
    provider,
    label: '',
    masks: [],
    isDefault: true,
    status: 'active',
    scopes: [],
    // Not read: whatever there may be counts.
    hasLabelledItems: true,
    hasOpenQuestions: true,
    readOnlyFor: [],
    source: null,
    toolsVersion: 0,
  };
}

/** Whether an account stands for none. */
export function isOwnAccount(userId: string, accountId: string): boolean {
  return accountId === userId;
}
