import { beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { Admission } from '../../../src/rate-limit/admission.ts';

const SAMPLE_MS = 10;
/** Work that is under way all the time, and more of it than may be too little to refuse anything. */
const UNDER_WAY = 500;

let now: number;
let refusals: number;
let admission: Admission;
/** Of a linear congruential generator (Numerical Recipes): the same numbers in each run. */
let state: number;

beforeEach(() => {
  now = 1_000;
  refusals = 0;
  state = 1;
  admission = new Admission({
    now: () => now,
    random: () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    },
    onRefusal: () => {
      refusals += 1;
    },
  });
});

/** Lets time pass. @param each done after every sample of the load */
function pass(milliseconds: number, load: number, each = () => {}): void {
  for (const end = now + milliseconds; now < end; ) {
    now += SAMPLE_MS;
    admission.sample(load);
    each();
  }
}

function isAdmitted(client: string): boolean {
  try {
    admission.begin(client)();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'unavailable', status: 503, retryAfter: expect.any(Number) });
    expect([1, 2, 3]).toContain((error as AppError).retryAfter);
    return false;
  }
}

/** Begins what does not end. */
function occupy(): void {
  for (let index = 0; index < UNDER_WAY; index += 1) admission.begin(`busy-${index}`);
}

/** What each of the clients gets in a second, of which each asks so many times in every 10 ms. */
function second(load: number, asks: Record<string, number>): Record<string, number> {
  const admitted = Object.fromEntries(Object.keys(asks).map((client) => [client, 0]));
  pass(1_000, load, () => {
    for (const [client, times] of Object.entries(asks)) {
      for (let ask = 0; ask < times; ask += 1) if (isAdmitted(client)) admitted[client] = (admitted[client] ?? 0) + 1;
    }
  });
  return admitted;
}

describe('a process that is not saturated', () => {
  it('takes on everything, however much is under way', () => {
    occupy();
    expect(second(0.9, { ana: 30 })).toEqual({ ana: 3_000 });
    expect(admission.isSaturated).toBe(false);
  });

  it('is not so after a single stall, nor in the bursts between which it is idle', () => {
    occupy();
    pass(500, 0);
    admission.sample(80);
    pass(500, 0);
    for (let burst = 0; burst < 50; burst += 1) {
      pass(80, 5);
      pass(20, 0);
    }
    expect(admission.isSaturated).toBe(false);
    expect(isAdmitted('ana')).toBe(true);
  });
});

describe('a saturated process', () => {
  it('refuses at once, with the time after which to try again, and counts it', () => {
    occupy();
    second(0, { ana: 10 });
    expect(admission.isSaturated).toBe(false);
    const { ana = 0 } = second(3, { ana: 10 });
    expect(admission.isSaturated).toBe(true);
    expect(ana).toBeGreaterThan(0);
    expect(ana).toBeLessThan(900);
    expect(refusals).toBe(1_000 - ana);
  });

  it('refuses nothing while little is under way: less would not make it faster', () => {
    expect(second(3, { ana: 10 })).toEqual({ ana: 1_000 });
    expect(admission.isSaturated).toBe(true);
  });

  it('refuses nothing because of streams that have been open for long, which are nothing to do', () => {
    const ends = Array.from({ length: UNDER_WAY }, (_, index) => admission.begin(`reader-${index}`));
    pass(120_000, 0);
    expect(second(3, { ana: 10 })).toEqual({ ana: 1_000 });
    pass(2_000, 0);
    occupy();
    // Their ends free nothing that others have taken since.
    for (const end of ends) end();
    expect(second(3, { ana: 10 }).ana).toBeLessThan(1_000);
  });

  it('takes on less and less while the delay stays too long, but never nothing', () => {
    occupy();
    second(0, { ana: 10 });
    const seconds = [1, 2, 3, 4, 5].map(() => second(3, { ana: 10 }).ana ?? 0);
    expect(seconds[4]).toBeLessThan(seconds[2] ?? 0);
    expect(seconds[2]).toBeLessThan(seconds[0] ?? 0);
    expect(seconds.at(-1)).toBeGreaterThanOrEqual(10);
    expect(seconds.at(-1)).toBeLessThan(100);
  });

  it('refuses those who ask for most: a flood of one user costs the others nothing', () => {
    occupy();
    second(0, { ben: 1, cid: 1, dan: 1 });
    second(3, { flood: 60, ben: 1, cid: 1, dan: 1 });
    const { flood = 0, ...others } = second(0.5, { flood: 60, ben: 1, cid: 1, dan: 1 });
    expect(flood).toBeLessThan(1_200);
    for (const [client, count] of Object.entries(others)) expect(count, client).toBeGreaterThan(90);
  });

  it('gives equal shares to those who ask for as much', () => {
    occupy();
    second(0, { ana: 5, ben: 5 });
    second(3, { ana: 10, ben: 10 });
    const { ana = 0, ben = 0 } = second(0.9, { ana: 10, ben: 10 });
    expect(Math.abs(ana - ben) / (ana + ben)).toBeLessThan(0.1);
  });
});

describe('after the load', () => {
  it('everything is taken on again within five seconds, also where the same clients stay', () => {
    occupy();
    second(0, { ana: 10 });
    for (let passed = 0; passed < 5; passed += 1) second(3, { ana: 12 });
    for (let passed = 0; passed < 4; passed += 1) second(0.5, { ana: 5 });
    expect(second(0.5, { ana: 5 })).toEqual({ ana: 500 });
    expect(admission.isSaturated).toBe(false);
  });

  it('and where they have left, after a second of calm', () => {
    occupy();
    second(3, { ana: 12 });
    pass(1_500, 0);
    expect(admission.isSaturated).toBe(false);
  });
});
