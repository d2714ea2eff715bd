import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Reply } from './ask.ts';
import { Person } from './person.ts';
import type { Sql, World } from './world.ts';

/** What is measured: reading, a write, a call that changes something, and a call that begins with a refresh. */
export const KINDS = ['read', 'write', 'change', 'refresh'] as const;
export type Kind = (typeof KINDS)[number];

interface Attempt {
  kind: Kind;
  /** By `performance.now()`. */
  begun: number;
  ended: number;
  /** Undefined: no response. */
  reply: Reply | undefined;
  /** A refresh: the provider has rotated the token meanwhile. */
  isRefreshed: boolean;
}

const PAUSE_MS = 50;
/** An error that says when to try again, and those that say that the outcome is not known. */
const EXPECTED: Record<Kind, readonly string[]> = {
  read: ['unavailable'],
  write: ['unavailable'],
  change: ['unavailable', 'outcome_unknown'],
  // The caller stops waiting before the service does.
  refresh: ['unavailable', 'provider_timeout'],
};

/** A user who requests one thing of each kind again and again, and remembers every response. */
export class Probes {
  readonly attempts: Attempt[] = [];
  readonly #person: Person;
  readonly #world: World & { sql: Sql };
  readonly #base: string;
  readonly #email: string;
  readonly #acknowledged = { waitlist: [] as string[], changes: [] as string[], unsure: [] as string[], searches: 0 };
  readonly #running: Promise<void>[];
  #isOver = false;

  private constructor(person: Person, world: World & { sql: Sql }, base: string) {
    this.#person = person;
    this.#world = world;
    this.#base = base;
    this.#email = [...person.claims.accounts.keys()][0] ?? '';
    this.#running = KINDS.map((kind) => this.#repeat(kind));
  }

  static async start(world: World & { sql: Sql }, base: string): Promise<Probes> {
    const person = await Person.create(world);
    for (let tries = 0; (await person.do('connect', base)) !== 'answered'; tries += 1) {
      if (tries === 10) throw new Error('the probing user could not connect an account');
    }
    return new Probes(person, world, base);
  }

  /** Whether a request of each kind that began after `since` has succeeded. */
  haveSucceeded(since: number): boolean {
    return KINDS.every((kind) => this.attempts.some((each) => each.kind === kind && each.begun >= since && hasSucceeded(each)));
  }

  /** The longest time from `since` on without a success of this kind, milliseconds. */
  outage(kind: Kind, since: number): number {
    const successes = this.attempts.filter((each) => each.kind === kind && each.ended >= since && hasSucceeded(each));
    const ends = [since, ...successes.map(({ ended }) => ended), performance.now()];
    return Math.max(...ends.slice(1).map((ended, index) => ended - (ends[index] ?? 0)));
  }

  /** Ends the requests. @returns what contradicts the responses */
  async stop(): Promise<string[]> {
    this.#isOver = true;
    await Promise.all(this.#running);
    return [...this.#unexpected(), ...(await this.#lost())];
  }

  /** For the message when it cannot go on: what the last response of each kind was, and what became of the consent. */
  describe(): string {
    const last = KINDS.map((kind) => {
      const reply = this.attempts.findLast((each) => each.kind === kind)?.reply;
      return `${kind}: ${reply?.status} ${reply?.body?.code ?? ''}`;
    });
    return [...last, ...(this.#world.workspace.familiesOf(this.#email)[0]?.history.slice(-5) ?? [])].join(', ');
  }

  /** The longest time until a response, milliseconds. */
  get longestMs(): number {
    return Math.max(...this.attempts.map(({ begun, ended }) => ended - begun));
  }

  /** Errors by kind and code. */
  get errors(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { kind, reply } of this.attempts)
      if (reply?.status !== 200 || reply.body?.status === 'error') {
        const name = `${kind}: ${reply?.body?.code ?? reply?.status ?? 'no response'}`;
        counts[name] = (counts[name] ?? 0) + 1;
      }
    return counts;
  }

  async #repeat(kind: Kind): Promise<void> {
    while (!this.#isOver) {
      const begun = performance.now();
      const before = this.#rotations;
      const reply = await this.#request(kind);
      this.attempts.push({ kind, begun, ended: performance.now(), reply, isRefreshed: this.#rotations > before });
      await sleep(PAUSE_MS);
    }
  }

  async #request(kind: Kind): Promise<Reply | undefined> {
    if (kind === 'read') return this.#person.call(this.#base, '/auth/workspace/accounts');
    if (kind === 'write') return this.#joinWaitlist();
    if (kind === 'change') return this.#draft(this.#person.newThing());
    const reply = await this.#call('search', {});
    if (reply?.status === 200) this.#acknowledged.searches += 1;
    return reply;
  }

  async #joinWaitlist(): Promise<Reply | undefined> {
    const email = `${this.#person.newThing()}@waiting.example.com`;
    const reply = await ask(this.#base, '/waitlist', { form: { email } });
    if (reply?.body?.status === 'success') this.#acknowledged.waitlist.push(email);
    return reply;
  }

  async #draft(subject: string): Promise<Reply | undefined> {
    const reply = await this.#call('draft', { to: ['someone@example.com'], subject, body: 'x' }, subject);
    this.#acknowledged[reply?.status === 200 ? 'changes' : 'unsure'].push(subject);
    return reply;
  }

  #call(action: string, json: object, idempotencyKey?: string): Promise<Reply | undefined> {
    const path = `/agents/mail.${action}?account=${encodeURIComponent(this.#email)}`;
    return ask(this.#base, path, { token: this.#person.token, json, ...(idempotencyKey !== undefined && { idempotencyKey }) });
  }

  get #rotations(): number {
    return this.#world.workspace.familiesOf(this.#email)[0]?.spent.size ?? 0;
  }

  #unexpected(): string[] {
    const wrong = new Set<string>();
    for (const { kind, reply, begun, ended } of this.attempts) {
      const code = reply?.body?.code;
      if (reply === undefined) wrong.add(`${kind}: no response after ${Math.round(ended - begun)} ms`);
      // The waitlist reports its errors with this status, too.
      else if (reply.status === 200) continue;
      else if (!EXPECTED[kind].includes(code)) wrong.add(`${kind}: ${reply.status} ${code}`);
      else if (code === 'unavailable' && reply.status === 503 && reply.headers['retry-after'] === undefined)
        wrong.add(`${kind}: 503 without Retry-After`);
    }
    return [...wrong];
  }

  async #lost(): Promise<string[]> {
    const { waitlist, changes, unsure, searches } = this.#acknowledged;
    const { sql, workspace } = this.#world;
    const lost: string[] = [];
    const stored = await sql<{ email: string }>('select email from waitlist where email = any($1)', [waitlist]);
    if (stored.length < waitlist.length) lost.push(`${waitlist.length - stored.length} of ${waitlist.length} on the waitlist`);
    const [rows] = await sql<{ searches: number; changes: number }>(
      `select count(*) filter (where action = 'mail.search' and decision = 'allowed' and outcome = 'ok')::int as searches,
              count(*) filter (where action = 'mail.draft' and decision = 'started')::int as changes
       from audit_log a join users u on u.id = a.user_id where u.subject = $1`,
      [this.#person.name],
    );
    if ((rows?.searches ?? 0) < searches) lost.push(`${searches - (rows?.searches ?? 0)} of ${searches} audit rows of reading calls`);
    if ((rows?.changes ?? 0) < changes.length)
      lost.push(`${changes.length - (rows?.changes ?? 0)} of ${changes.length} audit rows of changes`);
    // A repetition must not send a second one, whether the first one had a response or not.
    for (const subject of [...changes.slice(-REPEATED), ...unsure]) await this.#repeatChange(subject);
    for (const subject of [...changes, ...unsure]) {
      const times = workspace.kept.get(subject) ?? 0;
      if (times > 1) lost.push(`the change ${subject} was made ${times} times`);
      if (times === 0 && changes.includes(subject)) lost.push(`the change ${subject}`);
    }
    const family = workspace.familiesOf(this.#email)[0];
    if (family?.live !== true) lost.push(`the consent of the probing user: ${family?.history.slice(-5).join(', ')}`);
    return lost;
  }

  /** Like a careful client, without a list of what was acknowledged. */
  async #repeatChange(subject: string): Promise<void> {
    await this.#call('draft', { to: ['someone@example.com'], subject, body: 'x' }, subject);
  }
}

/** Acknowledged changes that are repeated: those around the fault are among the last ones of a round. */
const REPEATED = 40;

function hasSucceeded({ kind, reply, isRefreshed }: Attempt): boolean {
  // An error of the waitlist has the status 200, too.
  return reply?.status === 200 && reply.body?.status !== 'error' && (kind !== 'refresh' || isRefreshed);
}
