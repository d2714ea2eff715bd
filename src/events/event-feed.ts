import type { Clock } from '../clock/clock.ts';
import type { Poll } from '../clock/poll.ts';
import type { Polls } from '../clock/polls.ts';
import type { Database } from '../database/database.ts';
import { userDeleted } from '../database/database-errors.ts';
import { StatementBatcher } from '../database/statement-batcher.ts';
import { type PolledEvent, type Position, selectEventsSince, selectHeads, selectNewEvents, selectSettledId } from './events-repository.ts';
import { IdGaps } from './id-gaps.ts';
import { deliver, missedEvents, REPLAY_MAX, type Subscriber } from './subscriber.ts';

interface UserSubscribers {
  userId: string;
  /** Newest number that was dispatched. */
  top: number;
  /** Empty while the first one subscribes. */
  subscribers: Set<Subscriber>;
  entering: number;
}

const POLL_MS = 1_000;
/** Events of commits that are close together are read together. */
const POKE_MS = 10;
const PAGE = 1_000;

/** Delivers events to the sockets of this process. It polls, because other replicas record events too. */
export class EventFeed {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #poll: Poll;
  /** Batched, because thousands of sockets reconnect together after a restart. */
  readonly #heads: StatementBatcher<string, number | undefined>;
  readonly #audiences = new Map<string, UserSubscribers>();
  /** Audiences with subscribers that lack events. */
  readonly #behind = new Set<UserSubscribers>();
  #ids: IdGaps | undefined;
  #readAt: number | undefined;

  constructor(db: Database, polls: Polls) {
    this.#db = db;
    this.#clock = polls.clock;
    this.#poll = polls.create(() => this.#check(), { everyMs: POLL_MS, failure: 'events can’t be read; retrying every second' });
    this.#heads = new StatementBatcher((userIds) => selectHeads(db, userIds));
  }

  /** Seconds since events were last read; 0 without subscribers. */
  get age(): number {
    return this.#audiences.size === 0 || this.#readAt === undefined ? 0 : (this.#clock.monotonic() - this.#readAt) / 1000;
  }

  /** Users with sockets here. */
  userIds(): string[] {
    return [...this.#audiences.keys()];
  }

  /**
   * Adds a subscriber, which receives the events after `since` and then every new one, each once.
   *
   * @param since undefined: new events only
   * @param enter called when it is added, with the current number; events follow
   * @throws AppError `invalid_token` when the user was deleted
   */
  async subscribe(userId: string, subscriber: Subscriber, since: number | undefined, enter: (seq: number) => void): Promise<void> {
    const audience = this.#audience(userId);
    audience.entering += 1;
    try {
      let position = await this.#position(userId, since);
      const replay = since === undefined ? [] : missedEvents(since, position, this.#now());
      // Events that were dispatched during the read.
      while (audience.top > position.head) {
        const before = position.head;
        position = await this.#position(userId, before);
        replay.push(...missedEvents(before, position, this.#now()));
      }
      // With other subscribers it is kept: they may lack events that this one has just read.
      if (audience.subscribers.size === 0) audience.top = position.head;
      audience.subscribers.add(subscriber);
      enter(position.head);
      subscriber.seq = replay[0] === undefined ? position.head : replay[0].seq - 1;
      // After one that it could not receive, the others come by `catchUp`: a later one that isn't for it counts as received.
      if (!replay.every((event) => deliver(subscriber, event))) this.#behind.add(audience);
    } finally {
      audience.entering -= 1;
      this.#dropIfEmpty(audience);
    }
    this.#poll.start();
  }

  unsubscribe(userId: string, subscriber: Subscriber): void {
    const audience = this.#audiences.get(userId);
    audience?.subscribers.delete(subscriber);
    if (audience !== undefined) this.#dropIfEmpty(audience);
  }

  /** A subscriber that could not receive more can again. */
  catchUp(userId: string): void {
    const audience = this.#audiences.get(userId);
    if (audience === undefined) return;
    this.#behind.add(audience);
    this.wake();
  }

  /** Reads immediately, because an event was recorded. */
  wake(): void {
    if (this.#audiences.size > 0) this.#poll.wake(POKE_MS);
  }

  async #position(userId: string, since: number | undefined): Promise<Position> {
    const position = since === undefined ? await this.#head(userId) : await selectEventsSince(this.#db, userId, since, REPLAY_MAX);
    // A verified token may be cached from before the deletion.
    if (position === undefined) throw userDeleted();
    return position;
  }

  async #head(userId: string): Promise<Position | undefined> {
    const head = await this.#heads.add(userId);
    return head === undefined ? undefined : { head, events: [] };
  }

  #now(): Date {
    return new Date(this.#clock.now());
  }

  #audience(userId: string): UserSubscribers {
    const known = this.#audiences.get(userId);
    if (known !== undefined) return known;
    const audience = { userId, top: 0, subscribers: new Set<Subscriber>(), entering: 0 };
    this.#audiences.set(userId, audience);
    return audience;
  }

  #dropIfEmpty(audience: UserSubscribers): void {
    if (audience.subscribers.size + audience.entering > 0) return;
    this.#audiences.delete(audience.userId);
    this.#behind.delete(audience);
  }

  async #check(): Promise<void> {
    // The next socket begins with new events.
    if (this.#audiences.size === 0) {
      this.#ids = undefined;
      this.#readAt = undefined;
    } else await this.#read();
  }

  async #read(): Promise<void> {
    this.#ids ??= new IdGaps(await selectSettledId(this.#db));
    const ids = this.#ids;
    let rows: PolledEvent[];
    do {
      const now = this.#clock.monotonic();
      rows = await selectNewEvents(this.#db, ids.cursor, ids.open(now), PAGE);
      ids.note(
        rows.map(({ id }) => id),
        now,
      );
      for (const row of rows) this.#dispatch(row);
    } while (rows.length === PAGE);
    for (const audience of [...this.#behind]) {
      this.#behind.delete(audience);
      await this.#readAgain(audience).catch((error: unknown) => {
        this.#behind.add(audience);
        throw error;
      });
    }
    this.#readAt = this.#clock.monotonic();
  }

  #dispatch(event: PolledEvent): void {
    const { userId, seq } = event;
    const audience = this.#audiences.get(userId);
    if (audience === undefined || seq <= audience.top) return;
    audience.top = seq;
    for (const subscriber of audience.subscribers) {
      if (subscriber.seq === seq - 1) deliver(subscriber, event);
      // It lacks the event before this one, which it must receive first.
      else if (subscriber.seq < seq) this.#behind.add(audience);
    }
  }

  /** Sends missing events to the subscribers. `top` is not changed: the others receive further events by the poll. */
  async #readAgain(audience: UserSubscribers): Promise<void> {
    const lacking = [...audience.subscribers].filter(({ seq }) => seq < audience.top);
    if (lacking.length === 0) return;
    const from = Math.min(...lacking.map(({ seq }) => seq));
    const position = await selectEventsSince(this.#db, audience.userId, from, REPLAY_MAX);
    const events = position === undefined ? [] : missedEvents(from, position, this.#now());
    for (const subscriber of lacking) {
      if (!audience.subscribers.has(subscriber)) continue;
      for (const event of events) if (event.seq > subscriber.seq && !deliver(subscriber, event)) break;
    }
  }
}
