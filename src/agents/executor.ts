import { performance } from 'node:perf_hooks';
import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { Caller } from '../http/endpoint.ts';
import type { Logger } from '../logger.ts';
import type { BankSession } from '../providers/bank-session.ts';
import type { WorkspaceApi } from '../providers/workspace-api.ts';
import type { AccessTokens } from '../vault/access-tokens.ts';
import { assertScopes, assertUsable, chooseAccount } from './account-choice.ts';
import type { Sessions } from './action.ts';
import { type AgentAccountRow, selectAgentAccounts } from './agent-accounts-repository.ts';
import type { Catalog, ConfiguredAction } from './catalog.ts';

/** What the executor works with; wired once, in the context. */
export interface ExecutorParts {
  db: Database;
  catalog(): Catalog;
  tokens: AccessTokens;
  /** undefined: the provider is not configured. */
  workspace: WorkspaceApi | undefined;
  /** Opens a session on a bank entry; undefined: the aggregator is not configured. */
  bank: ((token: () => Promise<string>, signal: AbortSignal) => BankSession) | undefined;
  logger: Logger;
}

export interface Invocation {
  user: Pick<Caller, 'userId'>;
  /** Where the call came from, for the audit: `socket`. */
  surface: string;
  /** Full name, as the catalog has it. */
  action: string;
  /** Id or label; undefined = the default. */
  account?: string;
  input: unknown;
  idempotencyKey?: string;
  /** The caller gives up: ends reads; a change that was begun runs to its end. */
  signal: AbortSignal;
  progress?(message: string): void;
}

export interface Outcome {
  data: unknown;
  meta: { account: string; accountId: string; ms: number; truncated?: true };
}

/** The one way to run an action, whoever asks: socket today, a model or MCP later. All policy is decided here. */
export class Executor {
  readonly #parts: ExecutorParts;

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
  }

  /**
   * Validates, picks the account, checks policy and scopes, runs, cuts the output.
   *
   * @throws AppError whatever stood in the way
   */
  async invoke(invocation: Invocation): Promise<Outcome> {
    const startedAt = performance.now();
    const configured = this.#find(invocation.action);
    const { action } = configured;
    const input = action.input.parse(invocation.input ?? {});
    const accounts = await selectAgentAccounts(this.#parts.db, invocation.user.userId);
    const account = chooseAccount(accounts, action.provider, invocation.account);
    assertUsable(account);
    assertScopes(account, action.scopes);
    const data = action.output.parse(await this.#run(configured, invocation, account, input));
    return { data, meta: { account: account.label, accountId: account.id, ms: Math.round(performance.now() - startedAt) } };
  }

  #find(name: string): ConfiguredAction {
    const configured = this.#parts.catalog().actions.get(name);
    if (configured === undefined) throw new AppError('not_found', 'There is no such action.');
    return configured;
  }

  async #run(configured: ConfiguredAction, invocation: Invocation, account: AgentAccountRow, input: unknown): Promise<unknown> {
    const { action, policy } = configured;
    const signal = AbortSignal.any([invocation.signal, AbortSignal.timeout(policy.timeoutMs)]);
    return action.run(input, {
      userId: invocation.user.userId,
      account,
      session: this.#session(action.provider, invocation.user.userId, account.grantId, signal),
      db: this.#parts.db,
      unmasked: policy.unmasked,
      signal,
      progress: (message) => invocation.progress?.(message),
    });
  }

  #session(provider: keyof Sessions, userId: string, grantId: string, signal: AbortSignal): Sessions[keyof Sessions] {
    const { tokens, workspace, bank } = this.#parts;
    const current = () => tokens.current(userId, grantId);
    const renewed = (rejected: string) => tokens.renewed(userId, grantId, rejected);
    const session = provider === 'workspace' ? workspace?.session(userId, { current, renewed }, signal) : bank?.(current, signal);
    if (session === undefined) throw new AppError('not_configured', `The ${provider} provider is not set up on this server.`);
    return session;
  }
}
