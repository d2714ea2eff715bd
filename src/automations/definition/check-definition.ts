import { AppError } from '../../errors.ts';
import { covers } from '../../executor/call/client-grant.ts';
import { parseArguments } from '../../executor/checks/parse-arguments.ts';
import type { Catalog, ConfiguredAction } from '../../integrations/catalog.ts';
import { didYouMean } from '../../validation/nearest-name.ts';
import type { Definition, Does } from './definition.ts';
import { PROVIDER_OF_EVENT, type Trigger } from './trigger.ts';

type FixedCall = Extract<Does, { type: 'action' }>;

/** A connected account, as far as a definition is about it. */
export interface OwnAccount {
  id: string;
  provider: string;
  /** Of a connection to a source: its name. */
  source: string | null;
}

const ACCOUNT_OF: Readonly<Record<string, string>> = { workspace: 'a workspace account', bank: 'a bank' };

/**
 * Checks what a definition says of actions, and the arguments of a fixed call.
 *
 * @throws AppError `invalid_request`
 */
export async function checkActions(catalog: Catalog, { actions, does }: Pick<Definition, 'actions' | 'does'>): Promise<void> {
  for (const pattern of actions) assertCallable(catalog, pattern, 'actions');
  if (does.type !== 'action') return;
  assertCallable(catalog, does.action, 'does.action');
  if (!actions.some((pattern) => covers(pattern, does.action))) throw invalid('does.action', `actions does not have ${does.action}.`);
  await checkInput(catalog.actions.get(does.action) as ConfiguredAction, catalog, does);
}

/**
 * Checks that the accounts that a definition names are the user's, and those of its provider.
 *
 * @param own the user's accounts
 * @throws AppError `invalid_request`
 */
export function checkAccounts(catalog: Catalog, { trigger, accounts, does }: Definition, own: readonly OwnAccount[]): void {
  checkTrigger(trigger, own);
  for (const id of accounts ?? []) accountOf(own, id, 'accounts');
  if (does.type === 'action') checkAccountOf(does, catalog, accounts, own);
}

/** The ids of the accounts that a definition names, each once. */
export function namedAccounts({ trigger, accounts, does }: Definition): string[] {
  const named = [trigger.type === 'event' ? trigger.account : null, ...(accounts ?? []), does.type === 'action' ? does.account : null];
  return [...new Set(named.filter((id) => id !== null))];
}

function checkTrigger(trigger: Trigger, own: readonly OwnAccount[]): void {
  if (trigger.type === 'schedule' || trigger.account === null) return;
  const { provider } = accountOf(own, trigger.account, 'trigger.account');
  const wanted = PROVIDER_OF_EVENT[trigger.event];
  if (wanted !== undefined && provider !== wanted) throw invalid('trigger.account', `must be ${ACCOUNT_OF[wanted]}.`);
}

function checkAccountOf(
  { action, account }: FixedCall,
  catalog: Catalog,
  accounts: Definition['accounts'],
  own: readonly OwnAccount[],
): void {
  const agent = catalog.agents.get(catalog.actions.get(action)?.agent ?? '');
  const usable = own.filter(
    ({ id, provider, source }) => provider === agent?.provider && source === (agent.source ?? null) && (accounts?.includes(id) ?? true),
  );
  if (account === null) {
    if (usable.length === 0) throw invalid('does.action', `no account is connected that ${action} may use.`);
    return;
  }
  accountOf(own, account, 'does.account');
  if (!usable.some(({ id }) => id === account)) throw invalid('does.account', `must be an account that ${action} may use.`);
}

function accountOf(own: readonly OwnAccount[], id: string, field: string): OwnAccount {
  const account = own.find((one) => one.id === id);
  if (account === undefined) throw invalid(field, 'no such account is connected.');
  return account;
}

/** @param pattern also the name of one action */
function assertCallable({ actions }: Catalog, pattern: string, field: string): void {
  const covered = [...actions.values()].filter(({ name }) => covers(pattern, name));
  if (covered.length === 0) throw invalid(field, `no action is called ${pattern}${didYouMean(pattern, actions.keys()) || '.'}`);
  if (!covered.some(({ policy }) => policy.enabled)) throw invalid(field, `the operator has switched ${pattern} off.`);
}

/** Not of a source's tool, whose definition may have changed by the time of the call. */
async function checkInput({ agent, action }: ConfiguredAction, { agents }: Catalog, { input }: FixedCall): Promise<void> {
  if (agents.get(agent)?.source !== undefined) return;
  const [loaded, { input: jsonSchema }] = await Promise.all([action.load(), action.schemas()]);
  try {
    parseArguments(loaded.input, jsonSchema, input);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') throw invalid('does.input', error.message);
    throw error;
  }
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid_request', `${field}: ${message}`);
}
