import { ApiFault } from '../api-fault.ts';
import type { ApiRequest } from './api-method.ts';
import type { CalendarState, StoredEvent } from './calendar-events.ts';

type Request = ApiRequest<CalendarState>;

/** What a sync token stands for. */
interface Position {
  /** The newest change that its holder knows. */
  change: number;
  single: boolean;
  /** The range of the first list. */
  timeMin: string | null;
  timeMax: string | null;
}

/** Parameters that can't be combined with a sync token (events.list, syncToken). */
const NOT_WITH_TOKEN = ['iCalUID', 'orderBy', 'privateExtendedProperty', 'q', 'sharedExtendedProperty', 'timeMin', 'timeMax', 'updatedMin'];
/** Those of them that may limit the first list (Synchronize resources efficiently, Full sync). */
const RANGE = ['timeMin', 'timeMax'];

/** Notes what a change did: see {@link positionOf}. */
export function watchCalendar(state: CalendarState): (now: number) => void {
  const before = new Map(state.events.map((event) => [event.id, JSON.stringify(event)]));
  return (now) => {
    const changed = state.events.filter((event) => before.get(event.id) !== JSON.stringify(event)).map(({ id }) => id);
    const kept = new Set(state.events.map(({ id }) => id));
    const gone = [...before].filter(([id]) => !kept.has(id)).map(([, text]) => JSON.parse(text) as StoredEvent);
    if (changed.length + gone.length === 0) return;
    const { newest, of } = state.changed ?? { newest: 0, of: {} };
    const number = newest + 1;
    const numbers = [...changed, ...gone.map(({ id }) => id)].map((id) => [id, number] as const);
    state.changed = { newest: number, of: { ...of, ...Object.fromEntries(numbers) } };
    const updated = new Date(now).toISOString();
    state.gone = [
      ...(state.gone ?? []).filter(({ id }) => !kept.has(id)),
      ...gone.map((event) => ({ ...event, status: 'cancelled' as const, updated })),
    ];
  };
}

/** The sync tokens that were given end. */
export function endSyncTokens(state: CalendarState): void {
  const { newest, of } = state.changed ?? { newest: 0, of: {} };
  state.changed = { newest: newest + 1, of };
  state.syncFrom = newest + 1;
}

/**
 * The position of a request's sync token.
 *
 * @throws ApiFault 400 for a token that isn't one, or one with parameters that it can't be combined with; 410 for one that has ended
 */
export function positionOf({ query, state }: Request): Position | undefined {
  const token = query.get('syncToken');
  if (token === null) return undefined;
  const refused = NOT_WITH_TOKEN.find((name) => query.has(name));
  if (refused !== undefined) throw new ApiFault(400, 'badRequest', `Sync token cannot be used with ${refused}.`);
  if (query.get('showDeleted') === 'false') throw new ApiFault(400, 'badRequest', 'Sync token cannot be used with showDeleted=false.');
  const position = parse(token);
  if (position.single !== isSingle(query)) throw new ApiFault(400, 'badRequest', 'Sync token is of a list with another singleEvents.');
  if (position.change < (state.syncFrom ?? 0)) {
    throw new ApiFault(410, 'fullSyncRequired', 'Sync token is no longer valid, a full sync is required.');
  }
  return position;
}

/**
 * Members of a list's last page: its sync token, unless the list was limited or ordered.
 *
 * @param position that of the request
 * @param change the newest change that the list shows
 */
export function syncTokenOf({ query }: Request, position: Position | undefined, change: number): { nextSyncToken?: string } {
  if (NOT_WITH_TOKEN.some((name) => query.has(name) && !RANGE.includes(name))) return {};
  const next: Position = {
    change,
    single: isSingle(query),
    timeMin: position?.timeMin ?? query.get('timeMin'),
    timeMax: position?.timeMax ?? query.get('timeMax'),
  };
  return { nextSyncToken: Buffer.from(JSON.stringify(next)).toString('base64') };
}

/** The events, series and exceptions that have changed since a position, of which some no longer exist. */
export function changedSince({ events, changed, gone = [] }: CalendarState, { change }: Position): StoredEvent[] {
  return [...events, ...gone].filter(({ id }) => (changed?.of[id] ?? 0) > change);
}

function parse(token: string): Position {
  try {
    const position = JSON.parse(Buffer.from(token, 'base64').toString()) as Position;
    if (Number.isInteger(position.change)) return position;
  } catch {
    // Not a token of the sandbox.
  }
  throw new ApiFault(400, 'invalid', 'Invalid sync token value.');
}

function isSingle(query: URLSearchParams): boolean {
  return query.get('singleEvents') === 'true';
}
