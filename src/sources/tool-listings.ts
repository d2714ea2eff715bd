import { type Clock, timeoutSignal } from '../clock/clock.ts';
import type { Database } from '../database/database.ts';
import { lockUser } from '../database/user-lock.ts';
import { asAppError } from '../errors.ts';
import type { RecordEvent } from '../events/events.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import type { SourceSession } from '../providers/mcp/source-session.ts';
import type { SourceSettings } from '../providers/mcp/source-settings.ts';
import type { GrantAccess, ProviderSession } from '../providers/shared/provider.ts';
import { keepWantedScopes, type LeasedAccount, leaseAccount, leaseDueAccounts, noteListFailed } from './accounts-repository.ts';
import type { SourceTools } from './source-tools.ts';

export interface ToolListingsDeps {
  db: Database;
  clock: Clock;
  logger: Logger;
  tools: SourceTools;
  emit: RecordEvent;
  /** Sources of the integrations file, by name, as it is now. */
  sources(): ReadonlyMap<string, SourceSettings>;
  /** Opens a session of a provider; undefined: it is not configured. */
  session(provider: string, grant: GrantAccess, signal: AbortSignal): ProviderSession | undefined;
  /** A grant, as its session uses it. */
  access(grant: { userId: string; grantId: string }): GrantAccess;
}

/** Concurrent readings of a source. */
const BATCH = 10;
/** All pages of a list; shorter than an account's lease. */
const READ_MS = 60_000;

/**
 * Reads what the servers of connections list: when they are connected and from then on in the background, never in a user's
 * request. Replicas lease what they read.
 */
export class ToolListings {
  readonly #deps: ToolListingsDeps;
  readonly #running = new Set<Promise<void>>();

  constructor(deps: ToolListingsDeps) {
    this.#deps = deps;
  }

  /** Reads the tools of an account that was just connected. Never rejects; what fails is due again later. */
  readNew(userId: string, accountId: string): void {
    const running = leaseAccount(this.#deps.db, userId, accountId)
      .then((account) => account && this.#read(account))
      .catch((error: unknown) =>
        this.#deps.logger.warn({ err: describeError(error) }, 'tools of a source could not be read; retrying later'),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Reads what is due. */
  async readDue(): Promise<void> {
    // Each by itself: connections to a server that is slow must not delay those to others.
    await Promise.all([...this.#deps.sources().keys()].map((source) => this.#readDueOf(source)));
  }

  async #readDueOf(source: string): Promise<void> {
    for (;;) {
      const due = await leaseDueAccounts(this.#deps.db, source, BATCH);
      await Promise.all(due.map((account) => this.#read(account)));
      if (due.length < BATCH) return;
    }
  }

  /** Waits for readings that {@link readNew} has begun. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #read(account: LeasedAccount): Promise<void> {
    const { db, clock, logger, tools, sources, session, access, emit } = this.#deps;
    const { id, userId, grantId, source } = account;
    const settings = sources().get(source);
    const opened = settings && session('mcp', access({ userId, grantId }), timeoutSignal(clock, READ_MS));
    if (settings === undefined || opened === undefined) return;
    try {
      const listed = await (opened as SourceSession).listTools(settings).catch((error) => keepWantedScopes(db, { userId, id }, error));
      if (listed.unusable.length > 0) logger.info({ source, tools: listed.unusable.length }, 'a source lists tools that can’t be used');
      await tools.store(account, listed.tools, listed.ttlMs, listed.unusable);
    } catch (error) {
      const { code } = asAppError(error);
      await db.transaction(async (tx) => {
        await lockUser(tx, userId);
        if (await noteListFailed(tx, userId, id, code)) await emit(tx, userId, 'source.tools_changed', { account: id, source, tools: [] });
      }, userId);
      logger.info({ source, code, account: id }, 'tools of a source could not be read; retrying later');
    }
  }
}
