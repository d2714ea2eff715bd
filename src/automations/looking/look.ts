import type { Clock } from '../../clock/clock.ts';
import type { Database } from '../../database/database.ts';
import { lockUser } from '../../database/user-lock.ts';
import { AppError } from '../../errors.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import type { Providers } from '../../providers/open-providers.ts';
import type { Sessions } from '../../providers/providers.ts';
import type { GrantStatuses } from '../../vault/grants/grant-status.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';
import type { AccessTokens } from '../../vault/refresh/access-tokens.ts';
import { grantAccess } from '../../vault/refresh/grant-access.ts';
import { insertOccurrences } from './automations-watching-repository.ts';
import { EVENTS_OF_KIND, type WatchKind } from './event-types.ts';
import type { Found, LookInput } from './look-types.ts';
import { mayBeOwn, withoutOwnWrites } from './own-writes.ts';
import { advanceWatch, type WatchRow } from './watches-repository.ts';
import { type Moment, readWatching, type Start, startsOf, toOccurrences } from './watching.ts';

export interface LookDeps {
  db: Database;
  clock: Clock;
  providers: Providers;
  tokens: AccessTokens;
  statuses: GrantStatuses;
  userKeys: UserKeys;
  catalog: () => Catalog;
}

/** How a look has ended; `stored` with the number of runs that it has added. */
export type LookResult = { kind: 'stored'; added: number } | { kind: 'outdated' | 'held' };

/** How a kind of account is read. */
interface Reader {
  /** The scope that it needs; null: none. */
  scope: string | null;
  read(session: unknown, input: LookInput): Promise<Found>;
}

const READERS: Record<WatchKind, Reader> = {
  mail: {
    scope: 'mail.modify',
    read: async (session, input) => (await import('./mail-reader.ts')).readMail(session as Sessions['workspace'], input),
  },
  calendar: {
    scope: 'calendar.events.owned',
    read: async (session, input) => (await import('./calendar-reader.ts')).readCalendar(session as Sessions['workspace'], input),
  },
  drive: {
    scope: 'drive',
    read: async (session, input) => (await import('./drive-reader.ts')).readDrive(session as Sessions['workspace'], input),
  },
  bank: {
    scope: null,
    read: async (session, input) => (await import('./bank-reader.ts')).readBank(session as Sessions['bank'], input),
  },
};

/** A reading without a token begins so long before the last look: a provider lists late what has just happened. */
const MARGIN_MS = 10 * 60_000;

/**
 * Reads what has happened in an account since its last look, and starts the automations that wait for it: their runs and the
 * position are stored together, so that a process that ends in between has done neither.
 *
 * @param lookAfter when the next look is due, milliseconds, by whether there is more to read
 * @throws AppError when the account can't be read
 */
export async function lookAt(
  deps: LookDeps,
  watch: WatchRow,
  signal: AbortSignal,
  lookAfter: (more: boolean) => number,
): Promise<LookResult> {
  const { db, clock, userKeys, catalog } = deps;
  const { userId, kind } = watch;
  const moment: Moment = { now: clock.now(), lookedAt: watch.lookedAt?.getTime() };
  const watching = once(() => readWatching(db, userKeys, watch, EVENTS_OF_KIND[kind]));
  const found = await READERS[kind].read(openSession(deps, watch, signal), {
    accountId: watch.accountId,
    subject: watch.subject,
    position: watch.position,
    events: watch.events,
    triggers: async () => (await watching()).map(({ trigger }) => trigger),
    now: moment.now,
    since: (moment.lookedAt ?? moment.now) - MARGIN_MS,
    failures: watch.failures,
  });
  signal.throwIfAborted();
  const matching = found.events.length === 0 ? [] : startsOf(await watching(), found.events, moment, catalog());
  const starts = await withoutOwnWrites(db, userId, matching, moment);
  if (mayBeOwn(starts, moment)) return { kind: 'held' };
  return store(deps, watch, starts, {
    position: found.position,
    lookedAt: new Date(moment.now),
    lookAfter: new Date(lookAfter(found.more)),
  });
}

/** @throws AppError why the account can't be read */
function openSession(deps: LookDeps, { kind, provider, status, scopes, userId, grantId }: WatchRow, signal: AbortSignal): unknown {
  const { providers } = deps;
  const { scope } = READERS[kind];
  if (status !== 'active') throw new AppError(status, 'The account can’t be used.');
  if (scope !== null && !providers.needs(provider).isGranted(scopes, scope)) {
    throw new AppError('missing_scopes', 'The account has not granted this.');
  }
  const session = providers.session(provider, grantAccess(deps, { userId, grantId }), signal);
  if (session === undefined) throw new AppError('not_configured', 'The account’s provider is not set up on this server.');
  return session;
}

async function store(
  { db, clock, userKeys }: LookDeps,
  watch: WatchRow,
  starts: readonly Start[],
  look: Parameters<typeof advanceWatch>[3],
): Promise<LookResult> {
  const { userId, revision } = watch;
  if (starts.length === 0) return (await advanceWatch(db, watch, revision, look)) ? { kind: 'stored', added: 0 } : { kind: 'outdated' };
  const rows = await toOccurrences(db, userKeys, watch, starts);
  return db.transaction(async (tx): Promise<LookResult> => {
    // Before the watch and the automations, as where these are changed.
    const isThere = (await lockUser(tx, userId)) && (await advanceWatch(tx, watch, revision, look));
    return isThere ? { kind: 'stored', added: await insertOccurrences(tx, userId, new Date(clock.now()), rows) } : { kind: 'outdated' };
  }, userId);
}

function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= read();
    return value;
  };
}
