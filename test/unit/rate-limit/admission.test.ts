import { beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { Admission } from '../../../src/rate-limit/admission.ts';

const SAMPLE_MS = 100;
const LATENCY_MS = 100;
/** Requests under way, at any number of which requests may be refused. */
const MANY = 128;
const TICK_MS = 10;

let now: number;
let refusals: string[];
let admission: Admission;
/** Ends of the requests that are under way, oldest first. */
let queue: (() => void)[];
/** Of a linear congruential generator (Numerical Recipes): the same numbers in each run. */
let state: number;

beforeEach(() => {
  now = 1_000;
  refusals = [];
  queue = [];
  state = 1;
  admission = new Admission({
    latencyMs: LATENCY_MS,
    clock: { monotonic: () => now },
    random: () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    },
    onRefusal: (reason) => void refusals.push(reason),
  });
});

/** Lets time pass in which nobody asks and nothing is done. */
function pass(milliseconds: number, utilisation: number, databaseLoad = 0): void {
  for (const end = now + milliseconds; now < end; ) {
    now += SAMPLE_MS;
    admission.sample(utilisation, databaseLoad);
  }
}

interface Simulated {
  seconds: number;
  /** Requests of each client, every 10 ms. */
  asks: Record<string, number>;
  /** Requests that the process can do, every 10 ms, in the order in which they came. */
  does: number;
  utilisation?: number;
  databaseLoad?: number;
}

/** A process with a queue. Returns how many requests of each client it took on, and the longest queue. */
function simulate({ seconds, asks, does, utilisation, databaseLoad = 0 }: Simulated): {
  admitted: Record<string, number>;
  longest: number;
} {
  const admitted = Object.fromEntries(Object.keys(asks).map((client) => [client, 0]));
  let longest = 0;
  for (let tick = 1; tick <= (seconds * 1_000) / TICK_MS; tick += 1) {
    now += TICK_MS;
    for (const [client, times] of Object.entries(asks)) {
      for (let ask = 0; ask < times; ask += 1) {
        const end = begun(client);
        if (end === undefined) continue;
        admitted[client] = (admitted[client] ?? 0) + 1;
        queue.push(end);
      }
    }
    longest = Math.max(longest, queue.length);
    for (const end of queue.splice(0, does)) end();
    if (tick % (SAMPLE_MS / TICK_MS) === 0) admission.sample(utilisation ?? (queue.length > 0 ? 1 : 0.5), databaseLoad);
  }
  return { admitted, longest };
}

/** Clients that each ask again when they are answered. @param stallAt seconds; for 0.3 s nothing is done */
function closedLoop(clients: number, seconds: number, does: number, stallAt?: number): void {
  for (let client = 0; client < clients; client += 1) queue.push(admission.begin(`client-${client}`));
  for (let tick = 1; tick <= (seconds * 1_000) / TICK_MS; tick += 1) {
    now += TICK_MS;
    const at = (tick * TICK_MS) / 1_000;
    const isStalled = stallAt !== undefined && at > stallAt && at <= stallAt + 0.3;
    for (const end of queue.splice(0, isStalled ? 0 : does)) {
      end();
      const next = begun(`client-${tick % clients}`);
      if (next !== undefined) queue.push(next);
    }
    if (tick % (SAMPLE_MS / TICK_MS) === 0) admission.sample(1, 0);
  }
}

function begun(client: string): (() => void) | undefined {
  try {
    return admission.begin(client);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'unavailable', status: 503, retryAfter: expect.any(Number) });
    expect([1, 2, 3]).toContain((error as AppError).retryAfter);
    return undefined;
  }
}

describe('a process that is not saturated', () => {
  it('takes on everything while its event loop has idle time, however long requests take', () => {
    expect(simulate({ seconds: 3, asks: { ana: 10 }, does: 1, utilisation: 0.8 }).admitted).toEqual({ ana: 3_000 });
    expect(admission.isSaturated).toBe(false);
  });

  it('is not so with an event loop without idle time, while requests are quick', () => {
    expect(simulate({ seconds: 3, asks: { ana: 10 }, does: 10, utilisation: 1 }).admitted).toEqual({ ana: 3_000 });
    expect(admission.isSaturated).toBe(false);
  });

  it('is not so after a stall, nor in bursts that it works off', () => {
    simulate({ seconds: 1, asks: { ana: 10 }, does: 20 });
    for (let burst = 0; burst < 20; burst += 1) {
      simulate({ seconds: 0.3, asks: { ana: 10 }, does: 0, utilisation: 1 });
      simulate({ seconds: 0.7, asks: { ana: 10 }, does: 20 });
    }
    expect(refusals).toEqual([]);
    expect(admission.isSaturated).toBe(false);
  });

  it.each([
    ['512 clients that wait for their responses', undefined],
    ['the same with a stall', 2],
  ])('refuses nothing to %s: they ask for no more than is done', (_name, stallAt) => {
    closedLoop(512, 10, 24, stallAt);
    expect(refusals).toEqual([]);
    expect(admission.isSaturated).toBe(false);
  });

  it('is not so because of streams that have been open for long, which are nothing to do', () => {
    const ends = Array.from({ length: MANY }, (_, index) => admission.begin(`reader-${index}`));
    pass(120_000, 0);
    simulate({ seconds: 1, asks: { ana: 10 }, does: 10, utilisation: 1 });
    pass(2_000, 1);
    expect(admission.isSaturated).toBe(false);
    // Their ends are nothing that was done.
    for (const end of ends) end();
    pass(2_000, 1);
    expect(simulate({ seconds: 3, asks: { ana: 10 }, does: 5, utilisation: 1 }).longest).toBeLessThan(1_000);
  });
});

describe('a saturated process', () => {
  it('refuses as much as it can’t do, so that what it takes on is done soon, and counts it', () => {
    simulate({ seconds: 1, asks: { ana: 10 }, does: 20 });
    const { longest } = simulate({ seconds: 2, asks: { ana: 24 }, does: 20 });
    expect(longest).toBeLessThan(0.25 * 2_000);
    expect(admission.isSaturated).toBe(true);
    const { admitted, longest: later } = simulate({ seconds: 5, asks: { ana: 24 }, does: 20 });
    expect(admitted.ana).toBeGreaterThan(9_500);
    expect(admitted.ana).toBeLessThan(10_500);
    expect(later).toBeLessThan(0.15 * 2_000);
    expect(new Set(refusals)).toEqual(new Set(['event_loop']));
  });

  it('is so with a queue that is far too long, growing or not', () => {
    closedLoop(2_000, 3, 20);
    expect(refusals.length).toBeGreaterThan(500);
  });

  it('is so when a wait that did not grow becomes far too long', () => {
    closedLoop(512, 2, 24);
    expect(admission.isSaturated).toBe(false);
    pass(3_000, 1);
    expect(admission.isSaturated).toBe(true);
  });

  it('is so while requests wait for a database connection', () => {
    simulate({ seconds: 1, asks: { ana: 20 }, does: 10, utilisation: 0.2, databaseLoad: 3 });
    expect(admission.isSaturated).toBe(true);
    expect(new Set(refusals)).toEqual(new Set(['database']));
  });

  it('refuses nothing while little is under way: that is not what makes it slow', () => {
    expect(simulate({ seconds: 3, asks: { ana: 10 }, does: 10, databaseLoad: 3 }).admitted).toEqual({ ana: 3_000 });
    expect(admission.isSaturated).toBe(true);
  });

  it('always takes on something', () => {
    for (let count = 0; count < MANY; count += 1) admission.begin('busy');
    pass(10_000, 1);
    const { admitted } = simulate({ seconds: 1, asks: { ana: 10 }, does: 0, utilisation: 1 });
    expect(admitted.ana).toBeGreaterThanOrEqual(10);
    expect(admitted.ana).toBeLessThan(100);
  });

  it('refuses those who ask for most: a flood of one user costs the others nothing', () => {
    const asks = { flood: 60, ben: 1, cid: 1, dan: 1 };
    simulate({ seconds: 2, asks, does: 20 });
    const { flood = 0, ...others } = simulate({ seconds: 1, asks, does: 20 }).admitted;
    expect(flood).toBeLessThan(2_000);
    for (const [client, count] of Object.entries(others)) expect(count, client).toBeGreaterThan(90);
  });

  it('has no more under way than it does in the acceptable time, also of users who ask once', () => {
    const does = 40;
    let users = 0;
    for (let tick = 1; tick <= 400; tick += 1) {
      now += TICK_MS;
      const asked = Array.from({ length: 48 }, () => begun(`user-${users++}`));
      queue.push(...asked.filter((end) => end !== undefined));
      if (tick > 300) expect(queue.length).toBeLessThan(does * (LATENCY_MS / TICK_MS) * 1.1);
      for (const end of queue.splice(0, does)) end();
      if (tick % (SAMPLE_MS / TICK_MS) === 0) admission.sample(1, 0);
    }
    expect(refusals.length).toBeGreaterThan(400);
  });

  it('gives equal shares to those who ask for as much', () => {
    simulate({ seconds: 2, asks: { ana: 15, ben: 15 }, does: 20 });
    const { ana = 0, ben = 0 } = simulate({ seconds: 1, asks: { ana: 15, ben: 15 }, does: 20 }).admitted;
    expect(Math.abs(ana - ben) / (ana + ben)).toBeLessThan(0.1);
  });
});

describe('after the load', () => {
  it('everything is taken on again within five seconds, also where the same clients stay', () => {
    simulate({ seconds: 5, asks: { ana: 24 }, does: 20 });
    simulate({ seconds: 4, asks: { ana: 10 }, does: 20 });
    expect(simulate({ seconds: 1, asks: { ana: 10 }, does: 20 }).admitted).toEqual({ ana: 1_000 });
    expect(admission.isSaturated).toBe(false);
  });

  it('and where they have left, after a second of calm', () => {
    simulate({ seconds: 5, asks: { ana: 24 }, does: 20 });
    pass(1_500, 0);
    expect(admission.isSaturated).toBe(false);
  });
});
