import { createHash } from 'node:crypto';
import type { Account } from '../workspace-accounts.ts';
import { type Attendee, blankEvent, type StoredEvent } from './calendar-events.ts';
import { type EventTime, localAt } from './calendar-times.ts';

export type Fields = Partial<StoredEvent>;

const DAY = 24 * 3_600_000;

/** Creates the events of one account. Days count from the Monday of the week of `now`. */
export class EventMaker {
  readonly account: Account;
  readonly timeZone: string;
  /** Midnight at the beginning of the week, as a time in UTC. */
  readonly monday: number;

  constructor(account: Account, timeZone: string, now: number) {
    this.account = account;
    this.timeZone = timeZone;
    const midnight = Date.parse(localAt(now, timeZone).slice(0, 10));
    this.monday = midnight - ((new Date(midnight).getUTCDay() + 6) % 7) * DAY;
  }

  date(day: number): string {
    return new Date(this.monday + day * DAY).toISOString().slice(0, 10);
  }

  at(day: number, time: string, timeZone = this.timeZone): EventTime {
    return { dateTime: `${this.date(day)}T${time}:00`, timeZone };
  }

  self(responseStatus: Attendee['responseStatus']): Attendee {
    return { email: this.account.email, displayName: this.account.name, responseStatus };
  }

  /** @param key identifies the event within the account; its id is derived from it */
  make(key: string, summary: string, fields: Fields): StoredEvent {
    const id = createHash('sha256').update(`event:${this.account.sub}:${key}`).digest('hex').slice(0, 26);
    const at = new Date(this.monday - 30 * DAY).toISOString();
    return { ...blankEvent(this.account, id, at), ...(summary !== '' && { summary }), ...fields } as StoredEvent;
  }

  timed(key: string, summary: string, day: number, from: string, to: string, fields: Fields = {}): StoredEvent {
    return this.make(key, summary, { start: this.at(day, from), end: this.at(day, to), ...fields });
  }

  /** @param end the day after the last one */
  allDay(key: string, summary: string, from: number, end: number, fields: Fields = {}): StoredEvent {
    return this.make(key, summary, { start: { date: this.date(from) }, end: { date: this.date(end) }, ...fields });
  }
}
