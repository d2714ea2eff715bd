import type { Position, UserEvent } from './events-repository.ts';

/** A receiver of events. */
export interface Subscriber {
  /** Number of the last event that it received, or that was not for it; updated by the feed. */
  seq: number;
  /** A client receives only the events that are for it; undefined: the user in person. */
  readonly clientId: string | undefined;
  /** @returns false when it can't receive more at the moment; it then calls `catchUp` of the feed */
  push(event: UserEvent): boolean;
}

/** A subscriber that lacks more events receives `resync`. */
export const REPLAY_MAX = 1_000;
/** Tells a subscriber that it has missed events, of which a client can't tell whether they were for it. */
const RESYNC = 'resync';

/** Sends an event to a subscriber, if it is for it. @returns false when it can't receive more */
export function deliver(subscriber: Subscriber, event: UserEvent): boolean {
  if (isFor(subscriber, event) && !subscriber.push(event)) return false;
  subscriber.seq = event.seq;
  return true;
}

function isFor({ clientId }: Subscriber, { event, clientId: of }: UserEvent): boolean {
  return clientId === undefined || clientId === of || event === RESYNC;
}

/**
 * The events after `since`; `resync` if some are no longer stored, there are too many, or `since` is not valid.
 *
 * @param now the time of `resync`, which is not stored
 */
export function missedEvents(since: number, { head, events }: Position, now: Date): UserEvent[] {
  if (since === head) return [];
  if (since < head && events.length === head - since && events.length <= REPLAY_MAX) return events;
  return [{ seq: head, event: RESYNC, data: {}, clientId: null, at: now }];
}
