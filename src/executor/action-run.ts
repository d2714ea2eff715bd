import type { ActionAccount, RunContext } from '../actions/action.ts';
import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { Providers } from '../providers/open-providers.ts';
import type { ProviderSession } from '../providers/provider.ts';
import type { ActiveUses } from '../vault/active-uses.ts';
import { grantAccess } from '../vault/grant-access.ts';
import type { GrantStatuses } from '../vault/grant-status.ts';
import type { AccessTokens } from '../vault/refresh/access-tokens.ts';
import { aborted, type Call, changesSomething } from './call.ts';
import { RunAbort } from './run-abort.ts';
import { asAccountError } from './select-account.ts';

export interface RunDeps {
  db: Database;
  tokens: AccessTokens;
  uses: ActiveUses;
  statuses: GrantStatuses;
  providers: Providers;
}

/** Someone waits to be asked. */
const PREVIEW_MS = 5_000;
/** Made once: an abort without a reason would make an error, with its stack, for every call. */
const OVER = aborted();

/**
 * One run of an action within its deadline. A caller who gives up ends a read; a change that was begun goes on. Both end
 * with the account's connection.
 */
export class ActionRun {
  readonly #deps: RunDeps;
  readonly #call: Call;
  readonly #abort = new RunAbort();
  #session: ProviderSession | undefined;

  constructor(deps: RunDeps, call: Call) {
    this.#deps = deps;
    this.#call = call;
  }

  /** Something was sent that may have changed the account. */
  get mayHaveChanged(): boolean {
    return this.#session?.mayHaveChanged ?? false;
  }

  /**
   * The action's output as it gives it, not checked yet.
   *
   * @throws AppError `provider_timeout`, `aborted`, or the action's own; anything else that it throws
   */
  output(): Promise<unknown> {
    const { configured, input } = this.#call;
    return this.#within(configured.policy.timeoutMs, (context) => configured.action.run(input, context));
  }

  /** What the user is asked; where the names of things can't be had soon, their ids must do. */
  async summary(): Promise<string> {
    const { input, configured } = this.#call;
    const { action, policy } = configured;
    const { preview } = action;
    if (preview === undefined) return action.summary(input);
    const ms = Math.min(PREVIEW_MS, policy.timeoutMs);
    return this.#within(ms, (context) => preview(input, context)).catch(() => action.summary(input));
  }

  async #within<Result>(ms: number, work: (context: RunContext) => Promise<Result>): Promise<Result> {
    const { signal, configured, account } = this.#call;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const stop = (error: AppError) => {
      // First, so that what the signal makes the action throw comes too late to be the reason.
      reject(error);
      this.#abort.end(error);
    };
    const onAbort = () => stop(aborted());
    const timer = setTimeout(() => stop(new AppError('provider_timeout', 'The action took longer than it may.')), ms);
    if (!changesSomething(configured)) {
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
    }
    const over = this.#deps.uses.begin({ grantId: account.grantId, action: configured.name, stop });
    try {
      this.#begin(work).then(resolve, reject);
      return await promise;
    } catch (error) {
      throw asAccountError(error, this.#call.account, configured.action.scopes, this.#deps.providers.needs(configured.action.provider));
    } finally {
      over();
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      // What an action left running must not go on in its name.
      this.#abort.end(OVER);
    }
  }

  /** It may ignore its signal and end long after everyone has left: nobody hears of that. */
  #begin<Result>(work: (context: RunContext) => Promise<Result>): Promise<Result> {
    try {
      return work(new Context(this.#deps.db, this.#call, this.#abort, () => this.#open()));
    } catch (error) {
      // A declared action's arguments may be refused at once: what ended the run before still counts.
      return Promise.reject(error);
    }
  }

  #open(): ProviderSession {
    const { userId, account, configured } = this.#call;
    const { provider } = configured.action;
    const grant = grantAccess(this.#deps, { userId, grantId: account.grantId });
    const session = this.#deps.providers.session(provider, grant, this.#abort.signal);
    if (session === undefined) throw notConfigured(provider);
    this.#session = session;
    return session;
  }
}

/** What an action is given; session and signal are made when it asks for them. */
class Context implements RunContext {
  readonly userId: string;
  readonly account: ActionAccount;
  readonly db: Database;
  readonly unmasked: boolean;
  readonly capBytes: number;
  readonly progress: (message: string) => void;
  readonly #abort: RunAbort;
  readonly #open: () => RunContext['session'];
  #session: RunContext['session'] | undefined;

  constructor(db: Database, { userId, account, configured, progress }: Call, ending: RunAbort, open: () => RunContext['session']) {
    this.userId = userId;
    this.account = account;
    this.db = db;
    this.unmasked = configured.policy.unmasked;
    this.capBytes = configured.capBytes;
    this.progress = (message) => {
      if (!ending.isOver) progress?.(message);
    };
    this.#abort = ending;
    this.#open = open;
  }

  get session(): RunContext['session'] {
    this.#session ??= this.#open();
    return this.#session;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }
}

export function notConfigured(provider: string): AppError {
  return new AppError('not_configured', `The ${provider} provider is not set up on this server.`);
}
