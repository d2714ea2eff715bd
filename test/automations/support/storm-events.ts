import type { Random } from '../../faults/support/random.ts';
import { type StormUser, WRITERS, writerSubject } from './storm-users.ts';

/** What has to have a run. */
export interface Expected {
  automation: string;
  occurrence: string;
  user: StormUser;
  kind: 'mail' | 'calendar' | 'drive' | 'bank';
  /** By the clock. */
  happenedAt: number;
}

/** Lets events happen, and keeps what each has to start. */
export class StormEvents {
  readonly #random: Random;
  readonly #now: () => number;
  /** By the automation and the occurrence. */
  readonly expected = new Map<string, Expected>();
  /** Versions that were replaced, maybe before anybody could see them. */
  readonly replaced = new Set<string>();
  readonly #writes = new Map<string, number>();
  readonly #latest = new Map<string, string[]>();
  readonly #pending = new Map<string, string[]>();
  /** The newest occurrence of each event of a calendar and each file. */
  readonly #version = new Map<string, string>();
  count = 0;

  constructor(random: Random, now: () => number) {
    this.#random = random;
    this.#now = now;
  }

  happen(user: StormUser): void {
    this.count += 1;
    const id = `e${this.count}x${this.#random.between(0, 1e9).toString(36)}`;
    const draw = this.#random.next();
    if (draw < 0.55) this.#mail(user, id);
    else if (draw < 0.7) this.#calendar(user, id);
    else if (draw < 0.85) this.#drive(user, id);
    else this.#bank(user, id);
  }

  #mail(user: StormUser, id: string): void {
    const { mail, prompt, writers } = user.automations;
    const occurrence = `mail:${user.account}:${id}`;
    this.#expect(user, 'mail', mail, occurrence);
    const written = this.#writes.get(user.userId) ?? 0;
    const draw = this.#random.next();
    if (draw < 0.15 && written < WRITERS) {
      this.#writes.set(user.userId, written + 1);
      this.#expect(user, 'mail', writers[written] ?? '', occurrence);
      user.mailbox.receive(id, writerSubject(written));
    } else if (draw < 0.2) {
      this.#expect(user, 'mail', prompt, occurrence);
      user.mailbox.receive(id, 'A question');
    } else user.mailbox.receive(id, 'News');
  }

  #calendar(user: StormUser, fresh: string): void {
    const id = this.#again(user, 'calendar', fresh);
    const before = this.#version.get(id);
    const occurrence = `calendar:${user.account}:${id}:${user.mailbox.change(id)}`;
    this.#replace(user.automations.calendar, before);
    this.#version.set(id, occurrence);
    this.#expect(user, 'calendar', user.automations.calendar, occurrence);
  }

  #drive(user: StormUser, fresh: string): void {
    const id = this.#again(user, 'drive', fresh);
    const before = this.#version.get(id);
    const occurrence = `drive:${user.account}:${id}:${new Date(user.mailbox.edit(id)).toISOString()}`;
    if (occurrence !== before) this.#replace(user.automations.drive, before);
    this.#version.set(id, occurrence);
    this.#expect(user, 'drive', user.automations.drive, occurrence);
  }

  #bank(user: StormUser, id: string): void {
    const pending = this.#pending.get(user.item) ?? [];
    this.#pending.set(user.item, pending);
    const posts = pending.length > 0 && this.#random.next() < 0.4 ? pending.shift() : undefined;
    // The same payment: it has no other run.
    if (posts !== undefined) {
      user.bank.pay(id, posts, false);
      return;
    }
    const isPending = this.#random.next() < 0.5;
    if (isPending) pending.push(id);
    user.bank.pay(id, null, isPending);
    this.#expect(user, 'bank', user.automations.bank, `bank:${user.bankAccount}:${id}`);
  }

  /** A fifth are changes of what there is. */
  #again(user: StormUser, kind: string, fresh: string): string {
    const latest = this.#latest.get(`${kind} ${user.userId}`) ?? [];
    this.#latest.set(`${kind} ${user.userId}`, latest);
    if (latest.length > 0 && this.#random.next() < 0.2) return this.#random.pick(latest);
    latest.push(fresh);
    return fresh;
  }

  #replace(automation: string, occurrence: string | undefined): void {
    if (occurrence === undefined) return;
    this.expected.delete(keyOf(automation, occurrence));
    this.replaced.add(keyOf(automation, occurrence));
  }

  #expect(user: StormUser, kind: Expected['kind'], automation: string, occurrence: string): void {
    this.expected.set(keyOf(automation, occurrence), { automation, occurrence, user, kind, happenedAt: this.#now() });
  }
}

export function keyOf(automation: string, occurrence: string): string {
  return `${automation} ${occurrence}`;
}
