import { AppError } from '../../errors.ts';
import { type Catalog, type ConfiguredAction, fullName, type LoadedAction } from '../../integrations/catalog.ts';
import type { AgentNeeds, Provider } from '../../providers/shared/provider.ts';
import type { ToolBinding } from '../../sources/tool-binding.ts';
import { nearestName } from '../../validation/nearest-name.ts';
import type { AuditEntryBuilder } from '../audit/audit-log.ts';
import { notConfigured, type RunDeps } from '../call/action-run.ts';
import type { AccountsQuery, AgentAccountRow, UserAccounts } from '../call/agent-accounts-repository.ts';
import type { ArgumentHashes } from '../call/argument-hashes.ts';
import { type Call, changesSomething, type Invocation } from '../call/call.ts';
import { assertPermitted, type ClientGrant, notAClient, permittedAccounts } from '../call/client-grant.ts';
import { capOf } from '../call/result-size.ts';
import { accountsFor, assertScopes, assertUsable, assertWritable, ownAccount, selectAccount } from '../call/select-account.ts';
import { mayHaveGrant, type ThreadGrant } from '../call/thread-grants-repository.ts';
import { assertAllowed } from '../policy/allow-lists.ts';
import { isGated } from '../policy/gate.ts';
import type { BoundCall } from './bound-call.ts';
import { guardInput } from './input-guard.ts';
import { parseArguments } from './parse-arguments.ts';
import { withoutAccount } from './tool-call.ts';

export interface CheckDeps extends Pick<RunDeps, 'clock' | 'providers'> {
  catalog(): Catalog;
  accounts(query: AccountsQuery): Promise<UserAccounts>;
  /** The client's active grant. */
  client(userId: string, clientId: string, action?: string): Promise<ClientGrant | undefined>;
  /** What the assistant may do in a conversation; undefined: what the user may, who began it. @throws AppError `aborted` when it was deleted */
  threadGrant(userId: string, threadId: string): Promise<ThreadGrant | undefined>;
  hashes: ArgumentHashes;
  /** How actions that call tools of sources are bound to an account. */
  toolBinding(): Promise<ToolBinding>;
}

const NONE: ReadonlySet<string> = new Set();
const KEY = /^[\x21-\x7e]{1,200}$/;
/** Loaded actions of each catalog: an import() of a loaded module takes 8 µs, which every call would pay. */
const loaded = new WeakMap<ConfiguredAction, Loaded>();

interface Loaded {
  configured: LoadedAction;
  /** JSON Schema of its input. */
  inputSchema: object;
}

/**
 * Makes every check that needs no transaction, cheapest first.
 *
 * @throws AppError `invalid_token`, `not_found`, `forbidden`, `invalid_request`, `too_large`, `not_configured`, `missing_scopes`,
 * `reauth_required`, `relink_required`, `item_gone`, `unavailable`
 */
export async function checkCall(deps: CheckDeps, invocation: Invocation, entry: AuditEntryBuilder): Promise<Call> {
  const startedAt = deps.clock.monotonic();
  const { userId, clientId, access } = invocation.user;
  const { signal, progress, thread, named = NONE } = invocation;
  // The call keeps this version of the catalog, whatever is loaded meanwhile.
  const catalog = deps.catalog();
  const found = find(catalog, invocation.action);
  const ready = loaded.get(found) ?? (await load(found));
  const { provider } = found.action;
  // Both are read at the same time, which saves the call of a client, or of a run, a round trip; the first error counts.
  // Only the rule of a gated call looks at accounts of other providers, to know the user's own addresses.
  const query = { userId, provider: isGated(ready.configured) ? undefined : provider };
  const isOfRun = thread !== undefined && mayHaveGrant(thread);
  const connected = clientId === undefined && !isOfRun ? undefined : deps.accounts(query);
  connected?.catch(() => {});
  const client = clientId === undefined ? undefined : await activeClient(deps, { userId, clientId, access }, found.name);
  const threadGrant = isOfRun ? await deps.threadGrant(userId, thread) : undefined;
  const callerGrant = client ?? threadGrant;
  assertPermitted(callerGrant, found);
  guardInput(invocation.input ?? {});
  const parsed = found.action.pinned === undefined ? parsedCall(ready, invocation) : undefined;
  if (changesSomething(ready.configured)) checkKey(invocation.idempotencyKey);
  if (!deps.providers.isConfigured(provider)) throw notConfigured(provider);
  const { accounts, addresses, grants } = await (connected ?? deps.accounts(query));
  const permitted = permittedAccounts(callerGrant, accounts);
  const checked = parsed ?? (await bound(deps, catalog, found, invocation, permitted));
  const { configured, rawInput, input } = checked;
  const { action } = configured;
  // What the server says of its tool may have made the action stricter.
  if (parsed === undefined) assertPermitted(callerGrant, configured);
  const idempotencyKey = changesSomething(configured) ? checkKey(invocation.idempotencyKey) : undefined;
  const account = 'account' in checked ? checked.account : accountOf(deps, userId, provider, permitted, checked.wanted);
  const argumentsHash = await deps.hashes.of(userId, configured.name, account.id, rawInput);
  entry.setSubject(account.id, argumentsHash);
  if (changesSomething(configured)) assertWritable(account, clientId);
  assertUsable(account);
  assertScopes(account, action.scopes, deps.providers.needs(action.provider));
  assertAlsoNeeded(catalog, configured, account, input, deps.providers.needs(action.provider));
  assertAllowed(configured, input);
  return {
    userId,
    configured,
    revision: configured.revision,
    account,
    client,
    thread,
    threadGrant,
    named,
    ownAddresses: addresses,
    grant: grants.find(({ id }) => id === account.grantId),
    rawInput,
    input,
    argumentsHash,
    idempotencyKey,
    capBytes: capOf(configured, invocation.surface),
    signal,
    progress,
    startedAt,
  };
}

function accountOf(
  { providers }: CheckDeps,
  userId: string,
  provider: Provider,
  permitted: readonly AgentAccountRow[],
  wanted: string | undefined,
): AgentAccountRow {
  if (!providers.hasAccounts(provider)) return ownAccount(userId, provider, wanted);
  return selectAccount(accountsFor(permitted, { provider, source: undefined }), provider, wanted);
}

/** The action of a call, and its arguments, before its account is known. */
interface ParsedCall {
  configured: LoadedAction;
  rawInput: unknown;
  input: unknown;
  /** As the caller named it; undefined: the default. */
  wanted: string | undefined;
}

/** Of a source's tool, whose code is not loaded before the first call of one. */
async function bound(
  deps: CheckDeps,
  catalog: Catalog,
  found: ConfiguredAction,
  invocation: Invocation,
  permitted: readonly AgentAccountRow[],
): Promise<BoundCall> {
  const [{ boundCall }, binding] = await Promise.all([import('./bound-call.ts'), deps.toolBinding()]);
  return boundCall(binding, catalog, found, invocation, permitted);
}

function parsedCall({ configured, inputSchema }: Loaded, invocation: Invocation): ParsedCall {
  const { account, input } = invocation.action === configured.tool ? withoutAccount(invocation, inputSchema) : invocation;
  const rawInput = input ?? {};
  return { configured, rawInput, input: parseArguments(configured.action.input, inputSchema, rawInput), wanted: account };
}

/** @throws AppError `forbidden` for a scope that the operator hasn't given to the agent, `missing_scopes` */
function assertAlsoNeeded(
  { agents }: Catalog,
  { action, agent }: LoadedAction,
  account: AgentAccountRow,
  input: unknown,
  needs: AgentNeeds,
): void {
  for (const scope of action.alsoNeeds?.(input) ?? []) {
    const permitted = agents.get(agent)?.needs.includes(scope);
    if (permitted !== true)
      throw new AppError('forbidden', `This needs ${scope} in the agent’s ${needs.key}, which the operator hasn’t given.`);
    assertScopes(account, [scope], needs);
  }
}

/** A client, and what its credential is narrowed to. */
export interface ClientCredential {
  userId: string;
  clientId: string;
  access?: 'read' | undefined;
}

/**
 * What the client may do with its credential. Read for each call, so that a revocation counts at once on every replica.
 *
 * @throws AppError `invalid_token`
 */
export async function activeClient(
  deps: Pick<CheckDeps, 'client'>,
  { userId, clientId, access }: ClientCredential,
  action?: string,
): Promise<ClientGrant> {
  const client = await deps.client(userId, clientId, action);
  if (client === undefined) throw notAClient();
  return access === undefined ? client : { ...client, access };
}

function find(catalog: Catalog, given: string): ConfiguredAction {
  const name = fullName(catalog, given);
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

async function load(configured: ConfiguredAction): Promise<Loaded> {
  const [action, { input: inputSchema }] = await Promise.all([configured.action.load(), configured.action.schemas()]);
  const ready = { configured: { ...configured, action }, inputSchema };
  loaded.set(configured, ready);
  return ready;
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
