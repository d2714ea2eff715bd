import { createHash } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import { emailAddress } from '../../src/validation/validate.ts';
import { calendarApi } from '../google/calendar-api.ts';
import { changedAt } from '../google/calendar-changes.ts';
import { blankEvent, type CalendarState, type StoredEvent } from '../google/calendar-events.ts';
import { formatInstant, toInstant } from '../google/calendar-times.ts';
import type { WorkspaceProvider } from '../workspace/workspace-provider.ts';
import type { Account } from '../workspace-accounts.ts';
import { accountOf, line, number } from './happening.ts';

const YEAR_MINUTES = 366 * 24 * 60;
const MINUTE_MS = 60_000;

export const eventChange = z.strictObject({
  email: emailAddress.optional(),
  change: z.enum(['create', 'move', 'cancel']).default('create'),
  /** Of the event that is moved or cancelled; default: the next one. */
  event_id: line(200).optional(),
  title: line(300).optional(),
  description: z.string().max(8_000).optional(),
  organizer: emailAddress.optional(),
  organizer_name: line(100).optional(),
  starts_in_minutes: number(-YEAR_MINUTES, YEAR_MINUTES).optional(),
  minutes: number(1, YEAR_MINUTES).default(60),
});

type EventChange = z.output<typeof eventChange>;

/** An event that somebody else creates, moves or cancels. @throws AppError `not_found` without the event */
export function changeEventOfOthers({ data, grants }: WorkspaceProvider, given: EventChange): object {
  const account = accountOf(grants, given.email);
  return data.change(calendarApi, account, (state, now) => {
    const event = given.change === 'create' ? create(state, account, given, now) : find(state, given, now);
    if (given.change === 'move') move(event, state, given);
    if (given.change === 'cancel') event.status = 'cancelled';
    if (given.change !== 'create') Object.assign(event, changedAt(event, now));
    return { success: true, email: account.email, id: event.id, start: event.start };
  });
}

function create(state: CalendarState, account: Account, given: EventChange, now: number): StoredEvent {
  const at = new Date(now).toISOString();
  const id = createHash('sha256').update(`happening:${account.sub}:${state.events.length}:${at}`).digest('hex').slice(0, 26);
  const email = given.organizer ?? 'carla@partner.example';
  const displayName = given.organizer_name ?? (given.organizer === undefined ? 'Carla Núñez' : undefined);
  const organizer = { email, ...(displayName !== undefined && { displayName }) };
  const start = now + (given.starts_in_minutes ?? 24 * 60) * MINUTE_MS;
  const event = {
    ...blankEvent(account, id, at),
    creator: organizer,
    organizer,
    summary: given.title ?? 'Project review',
    description: given.description ?? 'We go through the open points and decide on the next steps.',
    ...times(start, given.minutes * MINUTE_MS, state.timeZone),
    attendees: [
      { ...organizer, responseStatus: 'accepted' },
      { email: account.email, displayName: account.name, responseStatus: 'needsAction' },
    ],
  } as StoredEvent;
  state.events.push(event);
  return event;
}

/** By default, the next event that is no series. */
function find({ events, timeZone }: CalendarState, { event_id: id, title }: EventChange, now: number): StoredEvent {
  const start = (event: StoredEvent) => toInstant(event.start, timeZone);
  const isMeant = (event: StoredEvent) =>
    id === undefined ? (title === undefined || event.summary === title) && start(event) > now : event.id === id;
  const found = events
    .filter(
      (event) => event.status !== 'cancelled' && event.recurrence === undefined && event.start.dateTime !== undefined && isMeant(event),
    )
    .sort((one, other) => start(one) - start(other));
  if (found[0] === undefined) throw new AppError('not_found', 'There is no such event.');
  return found[0];
}

/** By default an hour later; with `starts_in_minutes`, later by that. */
function move(event: StoredEvent, { timeZone }: CalendarState, { starts_in_minutes: by = 60 }: EventChange): void {
  const start = toInstant(event.start, timeZone);
  Object.assign(event, times(start + by * MINUTE_MS, toInstant(event.end, timeZone) - start, timeZone));
}

function times(start: number, length: number, timeZone: string): Pick<StoredEvent, 'start' | 'end'> {
  const at = (instant: number) => ({ dateTime: formatInstant(instant, timeZone), timeZone });
  return { start: at(start), end: at(start + length) };
}
