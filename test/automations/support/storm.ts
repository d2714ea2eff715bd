import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../../faults/support/random.ts';
import { createPostgresDatabase, type PostgresDatabase } from '../../support/database/postgres.ts';
import { provideSandboxKeys } from '../../support/emulators/sandbox-keys.ts';
import { serviceAt } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { StormClock } from './storm-clock.ts';
import { keyOf, StormEvents } from './storm-events.ts';
import { Losses, StormBanks, StormWorkspace } from './storm-provider.ts';
import { StormReplica } from './storm-replica.ts';
import { addUser, type StormUser } from './storm-users.ts';

const REPLICAS = 2;
/** How often the service looks for what is due. */
const STEP_MS = 5_000;
const EVENTS_OF_STEP = 30;
/** Share of responses. */
const LOST = 0.05;
/** Every so many steps, on average. */
const [KILL_STEPS, END_STEPS] = [6, 3];
/** Longer than the longest pause after failures, and a lease. */
const CALM_STEPS = 300;
const LEASES_MS = 240_000;
const STORMY = 0.9;

export interface StormResult {
  events: number;
  kills: number;
  losses: number;
  /** Occurrences without a run. */
  missed: string[];
  /** Runs of nothing that has happened. */
  unknown: string[];
  /** Of one occurrence. */
  doubled: string[];
  /** Runs that have not ended. */
  stuck: string[];
  /** Drafts by subject that were written more than once. */
  writtenTwice: string[];
  /** Runs that ended well and whose draft is missing. */
  unwritten: string[];
  written: number;
  /** Milliseconds from an event to its run, the most: in the storm, and after it. */
  slowest: { storm: number; calm: number };
}

interface RunSeen {
  automation: string;
  occurrence: string;
  status: string;
  plannedAt: Date;
}

/** A service of several processes, under events, lost responses, ended positions and kills. */
export class Storm {
  readonly #random: Random;
  readonly #clock = new StormClock(Date.now());
  readonly #losses: Losses;
  readonly #workspace: StormWorkspace;
  readonly #banks: StormBanks;
  readonly #events: StormEvents;
  readonly #users: StormUser[] = [];
  readonly #replicas: StormReplica[] = [];
  /** When the storm ended. */
  #calmSince = Number.POSITIVE_INFINITY;
  readonly #folder = mkdtempSync(join(tmpdir(), 'steward-storm-'));
  #database!: PostgresDatabase;

  private constructor(seed: number) {
    this.#random = new Random(seed);
    this.#losses = new Losses(new Random(seed + 1));
    this.#workspace = new StormWorkspace(this.#losses);
    this.#workspace.clock = this.#clock;
    this.#banks = new StormBanks(this.#losses);
    this.#events = new StormEvents(this.#random, () => this.#clock.now());
  }

  static async open(seed: number, users: number): Promise<Storm> {
    const storm = new Storm(seed);
    await storm.#open(users);
    return storm;
  }

  async #open(users: number): Promise<void> {
    await this.#workspace.start();
    await this.#banks.start();
    this.#database = await createPostgresDatabase();
    const shared = {
      ...this.#workspace.env,
      ...this.#banks.env,
      DATABASE_URL: this.#database.url,
      MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      // Responses that hang.
      LIMIT_PROVIDER_TIMEOUT_MS: '1000',
    };
    for (let number = 0; number < REPLICAS; number += 1) {
      const DATA_DIR = join(this.#folder, String(number));
      provideSandboxKeys(join(DATA_DIR, 'sandbox'));
      const replica = await StormReplica.open({ ...shared, DATA_DIR });
      this.#replicas.push(replica);
      await replica.start(this.#clock.now());
    }
    const service = serviceAt(this.#replicas[0]?.url ?? '');
    const providers = { workspace: this.#workspace, banks: this.#banks, random: this.#random, now: () => this.#clock.now() };
    const names = Array.from({ length: users }, (_, number) => `storm${number}`);
    this.#users.push(...(await Promise.all(names.map((name) => addUser(service, this.#database.sql, providers, name)))));
    // The first looks only take positions.
    await this.#moveBy(STEP_MS);
  }

  /** Lets so many events happen, a tenth of them after the storm, and waits until what follows from them should have been done. */
  async run(events: number): Promise<StormResult> {
    this.#losses.share = LOST;
    await this.#until(Math.floor(events * STORMY), true);
    this.#losses.share = 0;
    for (const replica of this.#replicas) await replica.calm();
    await this.#settle();
    this.#calmSince = this.#clock.now();
    await this.#until(events, false);
    await this.#settle();
    // What a kill has interrupted ends by leases and a sweep that go by the machine's clock. The result says what has not.
    await eventually(() => this.#isDone(), LEASES_MS).catch(() => {});
    return this.#result();
  }

  /** Events happen until there were so many. */
  async #until(events: number, isStormy: boolean): Promise<void> {
    while (this.#events.count < events) await this.#step(Math.min(EVENTS_OF_STEP, events - this.#events.count), isStormy);
  }

  async #settle(): Promise<void> {
    for (let steps = 0; steps < CALM_STEPS && !(await this.#isDone()); steps += 1) await this.#moveBy(STEP_MS);
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.stop()));
    await this.#workspace.stop();
    await this.#banks.stop();
    await this.#database.drop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #step(events: number, isStormy: boolean): Promise<void> {
    const before = this.#random.between(500, STEP_MS - 500);
    this.#clock.moveTo(this.#clock.now() + before);
    for (let count = 0; count < events; count += 1) this.#events.happen(this.#random.pick(this.#users));
    if (isStormy && this.#random.between(1, END_STEPS) === 1) this.#endPosition(this.#random.pick(this.#users));
    if (isStormy && this.#random.between(1, KILL_STEPS) === 1) this.#planKill();
    await this.#moveBy(STEP_MS - before);
  }

  #endPosition(user: StormUser): void {
    const kind = this.#random.pick(['mail', 'calendar', 'drive', 'bank'] as const);
    if (kind === 'bank') user.bank.end();
    else user.mailbox.end(kind);
  }

  #planKill(): void {
    // One goes on.
    if (this.#replicas.every(({ isUp }) => isUp)) {
      const replica = this.#random.pick(this.#replicas);
      for (const other of this.#replicas) if (other !== replica) void other.calm();
      replica.killAt(this.#random.between(0, 25), () => this.#clock.now());
    }
  }

  async #moveBy(milliseconds: number): Promise<void> {
    const now = this.#clock.now() + milliseconds;
    this.#clock.moveTo(now);
    await Promise.all(this.#replicas.map((replica) => replica.moveTo(now)));
  }

  #runs(): Promise<RunSeen[]> {
    return this.#database.sql<RunSeen>(
      'select automation_id as automation, occurrence, status, planned_at as "plannedAt" from automation_runs order by planned_at',
    );
  }

  async #isDone(): Promise<boolean> {
    const runs = await this.#runs();
    const keys = new Set(runs.map(({ automation, occurrence }) => keyOf(automation, occurrence)));
    return runs.every(isEnded) && [...this.#events.expected.keys()].every((key) => keys.has(key));
  }

  async #result(): Promise<StormResult> {
    const runs = await this.#runs();
    const { expected, replaced, count } = this.#events;
    const byKey = Map.groupBy(runs, ({ automation, occurrence }) => keyOf(automation, occurrence));
    const drafts = this.#users.flatMap((user) => [...user.mailbox.drafts].map(([subject, times]) => ({ user, subject, times })));
    const slowest = { storm: 0, calm: 0 };
    for (const [key, one] of expected) {
      const found = byKey.get(key)?.[0]?.plannedAt.getTime();
      if (found === undefined) continue;
      const kind = one.happenedAt < this.#calmSince ? 'storm' : 'calm';
      slowest[kind] = Math.max(slowest[kind], found - one.happenedAt);
    }
    const isWriter = ({ automation }: RunSeen) => this.#users.some(({ automations }) => automations.writers.includes(automation));
    const done = runs.filter((run) => isWriter(run) && run.status === 'done').length;
    return {
      events: count,
      kills: this.#replicas.reduce((sum, { kills }) => sum + kills, 0),
      losses: this.#losses.count,
      missed: [...expected].flatMap(([key, { happenedAt }]) => (byKey.has(key) ? [] : [`${key} of ${new Date(happenedAt).toISOString()}`])),
      unknown: [...byKey.keys()].filter((key) => !expected.has(key) && !replaced.has(key)),
      doubled: [...byKey].flatMap(([key, rows]) => (rows.length > 1 ? [key] : [])),
      stuck: runs.filter((run) => !isEnded(run)).map(({ occurrence, status }) => `${status} ${occurrence}`),
      writtenTwice: drafts.filter(({ times }) => times > 1).map(({ user, subject, times }) => `${user.email} ${subject} ${times} times`),
      unwritten: drafts.length < done ? [`${done} runs ended well, and ${drafts.length} drafts are stored`] : [],
      written: drafts.length,
      slowest,
    };
  }
}

function isEnded({ status }: RunSeen): boolean {
  return ['done', 'failed', 'skipped', 'cancelled'].includes(status);
}
