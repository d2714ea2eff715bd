import { AppError } from '../errors.ts';
import type { Catalog, ConfiguredAction, LoadedAction } from '../integrations/catalog.ts';
import { nearestName } from '../validation/nearest-name.ts';
import { notConfigured, type RunDeps } from './action-run.ts';
import type { UserAccounts } from './agent-accounts-repository.ts';
import { assertAllowed } from './allow-lists.ts';
import type { ArgumentHashes } from './argument-hashes.ts';
import type { AuditEntryBuilder } from './audit-log.ts';
import { type Call, changesSomething, type Invocation } from './call.ts';
import { guardInput } from './input-guard.ts';
import { assertScopes, assertUsable, selectAccount } from './select-account.ts';

export interface CheckDeps extends Pick<RunDeps, 'providers'> {
  catalog(): Catalog;
  accounts(userId: string): Promise<UserAccounts>;
  hashes: ArgumentHashes;
}

const KEY = /^[\x21-\x7e]{1,200}$/;
/** Loaded actions of each catalog: an import() of a loaded module takes 8 µs, which every call would pay. */
const loaded = new WeakMap<ConfiguredAction, LoadedAction>();

/**
 * Makes every check that needs no transaction, cheapest first.
 *
 * @throws AppError `not_found`, `forbidden`, `invalid_request`, `too_large`, `not_configured`, `missing_scopes`,
 * `reauth_required`, `relink_required`, `item_gone`, `unavailable`
 */
export async function checkCall(deps: CheckDeps, invocation: Invocation, entry: AuditEntryBuilder): Promise<Call> {
  const startedAt = performance.now();
  const { userId } = invocation.user;
  // The call keeps this version of the catalog, whatever is loaded meanwhile.
  const catalog = deps.catalog();
  const found = find(catalog, invocation.action);
  const configured = loaded.get(found) ?? (await load(found));
  const { action } = configured;
  const given = invocation.input ?? {};
  guardInput(given);
  const input = action.input.parse(given);
  const idempotencyKey = changesSomething(configured) ? checkKey(invocation.idempotencyKey) : undefined;
  if (!deps.providers.isConfigured(action.provider)) throw notConfigured(action.provider);
  const { accounts, grants } = await deps.accounts(userId);
  const account = selectAccount(accounts, action.provider, invocation.account);
  const hash = deps.hashes.of(userId, configured.name, account.id, given);
  const argumentsHash = typeof hash === 'string' ? hash : await hash;
  entry.setSubject(account.id, argumentsHash);
  assertUsable(account);
  assertScopes(account, action.scopes, deps.providers.needs(action.provider));
  assertAllowed(configured, input);
  const { signal, progress } = invocation;
  return {
    userId,
    configured,
    revision: catalog.revision,
    account,
    grant: grants.find(({ id }) => id === account.grantId),
    given,
    input,
    argumentsHash,
    idempotencyKey,
    signal,
    progress,
    startedAt,
  };
}

function find(catalog: Catalog, name: string): ConfiguredAction {
  const configured = catalog.actions.get(name);
  if (configured === undefined) throw unknownAction(catalog, name);
  const error = withdrawn(catalog, name);
  if (error !== undefined) throw error;
  return configured;
}

/** Why an action that was callable before can't be called any more; undefined: it can. */
export function withdrawn({ actions }: Catalog, name: string): AppError | undefined {
  const configured = actions.get(name);
  if (configured === undefined) return new AppError('not_found', 'There is no such action any more.');
  return configured.policy.enabled ? undefined : new AppError('forbidden', 'The operator has switched this action off.');
}

async function load(configured: ConfiguredAction): Promise<LoadedAction> {
  const withCode = { ...configured, action: await configured.action.load() };
  loaded.set(configured, withCode);
  return withCode;
}

function unknownAction({ actions }: Catalog, name: string): AppError {
  const callable = [...actions.values()].filter(({ policy }) => policy.enabled).map((action) => action.name);
  const nearest = nearestName(name, callable);
  return new AppError('not_found', `There is no such action.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`);
}

function checkKey(key: string | undefined): string | undefined {
  if (key === undefined || KEY.test(key)) return key;
  throw new AppError('invalid_request', 'idempotencyKey: must be 1 to 200 visible ASCII characters.');
}
