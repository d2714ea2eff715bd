import type { RunContext, Undo } from '../../actions/shared/action.ts';
import type { Taint } from '../../actions/shared/labels.ts';
import type { Shown } from '../../actions/shared/shown.ts';
import type { Clock } from '../../clock/clock.ts';
import type { Database } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import { selectPreferences } from '../../preferences/preferences-repository.ts';
import type { Providers } from '../../providers/open-providers.ts';
import type { Audience } from '../../providers/shared/audience.ts';
import type { ProviderSession } from '../../providers/shared/provider.ts';
import type { ActiveUses } from '../../vault/grants/active-uses.ts';
import type { GrantStatuses } from '../../vault/grants/grant-status.ts';
import type { AccessTokens } from '../../vault/refresh/access-tokens.ts';
import { grantAccess } from '../../vault/refresh/grant-access.ts';
import type { GrantInUse } from '../../vault/refresh/refresh-repository.ts';
import { aborted, type Call, changesSomething } from './call.ts';
import { allOf, type Items } from './call-items.ts';
import { asAccountError, isOwnAccount } from './select-account.ts';

export interface RunDeps {
  db: Database;
  clock: Clock;
  tokens: AccessTokens;
  uses: ActiveUses;
  statuses: GrantStatuses;
  providers: Providers;
}

/** A user is waiting for the approval's summary. */
const PREVIEW_MS = 5_000;
/** Created once: an abort without a reason creates an error, with its stack, for each call. */
const FINISHED = aborted();
const NOT_LOOKED_UP: Taint = { isTainted: true, isFinancial: true };

/** Who sees the effect of a call, and what was read to tell it. */
export interface Exposure {
  /** The labels of the call's context, and of what the call names. */
  taint: Taint;
  audience: Audience;
  /** The action's; undefined: it has none. */
  facts: unknown;
  /** The action's version of them. */
  version?: string | undefined;
}

/**
 * One run of an action, within its timeout. The caller's abort ends a read but not a change; disconnecting the account
 * ends both.
 */
export class ActionRun {
  readonly #deps: RunDeps;
  readonly #call: Call;
  readonly #grant: GrantInUse | undefined;
  readonly #abort = new AbortController();
  #session: ProviderSession | undefined;
  #undo: Undo | undefined;
  #used: Items = new Set();
  #wrote: Items = new Set();

  /** @param grant the account's grant, if the run begins right after it was read */
  constructor(deps: RunDeps, call: Call, grant?: GrantInUse) {
    this.#deps = deps;
    this.#call = call;
    this.#grant = grant;
  }

  /** Whether a request was sent that may have changed the account. */
  get mayHaveChanged(): boolean {
    return this.#session?.mayHaveChanged ?? false;
  }

  /** Whether the provider may have been asked for anything; one without accounts holds nothing of others. */
  get mayHaveRead(): boolean {
    return this.#session !== undefined && this.#deps.providers.hasAccounts(this.#call.configured.action.provider);
  }

  /** What the run read, as far as its action tells. */
  get used(): Items {
    return this.#used;
  }

  /** What the run wrote, as far as its action tells beside its result. */
  get wrote(): Items {
    return this.#wrote;
  }

  /** The call that reverts the run; undefined: none does. */
  get undo(): Undo | undefined {
    return this.#undo;
  }

  /**
   * The action's output, not validated yet.
   *
   * @throws AppError `provider_timeout`, `aborted`, or the action's own; anything else that it throws
   */
  output(): Promise<unknown> {
    const { configured, input } = this.#call;
    return this.#withTimeout(configured.policy.timeoutMs, (context) => configured.action.run(input, context));
  }

  /**
   * Who sees the effect.
   *
   * @param taintBy the labels of the call, once the facts are read
   * @throws AppError with which the call itself would fail; `provider_timeout` and the like where the facts can't be read
   */
  async exposure(taintBy: (facts: unknown) => Promise<Taint>): Promise<Exposure> {
    const { input, configured } = this.#call;
    const { facts: read, exposes, version } = configured.action;
    const facts = read && (await this.#beforeTheQuestion((context) => read(input, context)));
    const taint = await taintBy(facts);
    return { taint, audience: exposes?.(input, facts, taint) ?? [], facts, version: version?.(facts) };
  }

  /** The summary that the user approves; with ids in place of names if reading these fails or takes too long. */
  async summary({ facts }: Exposure): Promise<string> {
    const { input, configured } = this.#call;
    const { action } = configured;
    const { preview } = action;
    const withIds = () => action.summary(input, this.#deps.clock.now());
    if (preview === undefined) return withIds();
    return this.#beforeTheQuestion((context) => preview(input, context, facts)).catch(withIds);
  }

  /** What the question shows besides the arguments; undefined also if reading it fails or takes too long. */
  async shown({ facts }: Exposure): Promise<Shown | undefined> {
    const { input, configured } = this.#call;
    const { shown } = configured.action;
    if (shown === undefined) return undefined;
    return this.#beforeTheQuestion(async (context) => shown(input, facts, context)).catch(() => undefined);
  }

  /** Which of the addresses the account has written to, as far as they are looked up; undefined: that can't be read, or not in time. */
  async writtenTo(addresses: readonly string[]): Promise<ReadonlyMap<string, boolean> | undefined> {
    const { provider } = this.#call.configured.action;
    const read = ({ session }: RunContext) => this.#deps.providers.writtenTo(provider, session as ProviderSession, addresses);
    return this.#beforeTheQuestion(read).catch(() => undefined);
  }

  #beforeTheQuestion<Result>(read: (context: RunContext) => Promise<Result>): Promise<Result> {
    return this.#withTimeout(Math.min(PREVIEW_MS, this.#call.configured.policy.timeoutMs), read);
  }

  /** The action may ignore its signal; what it returns after the run is ignored. */
  async #withTimeout<Result>(ms: number, work: (context: RunContext) => Promise<Result>): Promise<Result> {
    const { userId, account, configured, signal } = this.#call;
    const { clock, uses, providers } = this.#deps;
    const stopped = Promise.withResolvers<never>();
    const stop = (reason: AppError) => {
      // Before the abort, so that this error wins over what the aborted action throws.
      stopped.reject(reason);
      this.#abort.abort(reason);
    };
    const onAbort = () => stop(aborted());
    // A declared action may throw synchronously.
    const begun = async () => work(this.#context());
    const timer = clock.after(ms, () => stop(new AppError('provider_timeout', 'The action exceeded its time limit.')));
    const grantId = isOwnAccount(userId, account.id) ? undefined : account.grantId;
    const end = uses.begin({ userId, grantId, action: configured.name, stop });
    if (!changesSomething(configured)) {
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
    }
    try {
      return await Promise.race([stopped.promise, begun()]);
    } catch (error) {
      throw asAccountError(error, account, configured.action.scopes, providers.needs(configured.action.provider));
    } finally {
      end();
      timer.cancel();
      signal.removeEventListener('abort', onAbort);
      // Ends work that the action left running.
      this.#abort.abort(FINISHED);
    }
  }

  /** Its session is opened when it is first used. */
  #context(): RunContext {
    const { userId, account, configured, capBytes, version, taint = NOT_LOOKED_UP, threadGrant, progress } = this.#call;
    const { policy } = configured;
    const { db, clock } = this.#deps;
    const { signal } = this.#abort;
    const session = () => {
      this.#session ??= this.#open();
      return this.#session;
    };
    return {
      userId,
      account,
      db,
      clock,
      timeZone: async () => (await selectPreferences(db, userId)).timeZone ?? undefined,
      unmasked: policy.unmasked,
      capBytes,
      version,
      taint,
      isUnattended: threadGrant !== undefined,
      signal,
      get session() {
        return session();
      },
      progress: (message) => {
        if (!signal.aborted) progress?.(message);
      },
      undoneBy: (undo) => {
        this.#undo = undo;
      },
      uses: (ids) => {
        this.#used = allOf(this.#used, ids && new Set(ids));
      },
      wrote: (ids) => {
        this.#wrote = allOf(this.#wrote, ids && new Set(ids));
      },
    };
  }

  #open(): ProviderSession {
    if (this.#session !== undefined) return this.#session;
    const { userId, account, configured } = this.#call;
    const { provider } = configured.action;
    const grant = grantAccess(this.#deps, { userId, grantId: account.grantId }, this.#grant);
    const session = this.#deps.providers.session(provider, grant, this.#abort.signal);
    if (session === undefined) throw notConfigured(provider);
    return session;
  }
}

export function notConfigured(provider: string): AppError {
  return new AppError('not_configured', `The ${provider} provider is not set up on this server.`);
}
