import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/time/eventually.ts';
import { Claims } from './claims.ts';
import type { Person } from './person.ts';
import type { Operation } from './person-operations.ts';
import type { Random } from './random.ts';

/** Weight of each operation that is possible. */
const WEIGHTS: [Operation, number][] = [
  ['list', 2],
  ['search', 6],
  ['draft', 2],
  ['send', 1],
  ['makeDefault', 1],
  ['disconnect', 1],
  ['link', 1],
  ['unlink', 1],
  ['webhook', 1],
  ['waitlist', 1],
  ['connect', 2],
];
const CHOICES = WEIGHTS.flatMap(([operation, weight]) => Array<Operation>(weight).fill(operation));
const ACCOUNTS_MAX = 4;
const PAUSE_MS = 30;
/** Operations with a response, for each user, before the fault. */
const UNDER_WAY = 3;
/** A limit for what never happens. */
const UNDER_WAY_MS = 300_000;
/** Probability of an erasure per step. */
const ERASE = 0.01;

/** Operations begun, those with a successful response, and those that have ended in any way. */
export interface Tally {
  tried: number;
  answered: number;
  ended: number;
}

/** A few active users, until they are stopped. */
export class Traffic {
  readonly tally: Tally = { tried: 0, answered: 0, ended: 0 };
  readonly #random: Random;
  readonly #bases: readonly string[];
  readonly #running: Promise<void>[];
  #isOver = false;

  constructor(people: readonly Person[], bases: readonly string[], random: Random) {
    this.#random = random;
    this.#bases = bases;
    this.#running = people.map((person) => this.#work(person));
  }

  /** Waits until every user has made progress, so that there is data to lose. */
  async underWay(): Promise<void> {
    await eventually(() => this.tally.answered >= UNDER_WAY * this.#running.length, UNDER_WAY_MS);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  async #work(person: Person): Promise<void> {
    while (!this.#isOver && person.claims.deleted === 'no') {
      this.tally.tried += 1;
      if ((await person.do(this.#choose(person), this.#random.pick(this.#bases))) === 'answered') this.tally.answered += 1;
      this.tally.ended += 1;
      await sleep(PAUSE_MS);
    }
  }

  #choose({ claims }: Person): Operation {
    const connected = Claims.of(claims.accounts, 'connected').length;
    if (connected === 0) return 'connect';
    if (this.#random.next() < ERASE) return 'erase';
    const operation = this.#random.pick(CHOICES);
    if (operation === 'connect' && connected >= ACCOUNTS_MAX) return 'list';
    if (operation === 'disconnect' && connected < 2) return 'search';
    if (operation === 'unlink' && Claims.of(claims.banks, 'connected').length === 0) return 'link';
    return operation;
  }
}
