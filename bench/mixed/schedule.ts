/** Kinds of traffic. */
export const KINDS = ['health', 'lists', 'calls', 'reloads'] as const;
export type Kind = (typeof KINDS)[number];

export interface Arrival {
  /** When it is due, milliseconds after the start. */
  at: number;
  kind: Kind;
  /** Uniform in [0, 1): chooses user and address. */
  choice: number;
}

export interface ScheduleOptions {
  seed: number;
  /** Of all kinds together, without the reloads. */
  perSecond: number;
  durationMs: number;
}

/** Shares of the rate. */
const SHARES: readonly [Kind, number][] = [
  ['calls', 0.8],
  ['lists', 0.12],
  ['health', 0.08],
];
/** An operator reloads now and then, whatever the traffic. */
const RELOADS_PER_SECOND = 0.2;
const UINT32 = 2 ** 32;

/** A seeded generator of numbers in [0, 1) (mulberry32): the same seed is the same traffic. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / UINT32;
  };
}

/**
 * When requests are due, in order: independent users make a Poisson process, so the gaps are exponential, and each
 * arrival's kind is drawn by its share. Nothing in it depends on how fast requests are answered.
 */
export function* arrivals({ seed, perSecond, durationMs }: ScheduleOptions): Generator<Arrival> {
  const random = seeded(seed);
  const total = perSecond + RELOADS_PER_SECOND;
  for (let at = 0; ; ) {
    at += (-Math.log(1 - random()) * 1_000) / total;
    if (at >= durationMs) return;
    yield { at, kind: kindOf(random() * total, perSecond), choice: random() };
  }
}

/** @param point uniform in [0, the whole rate) */
function kindOf(point: number, perSecond: number): Kind {
  let bound = 0;
  for (const [kind, share] of SHARES) {
    bound += share * perSecond;
    if (point < bound) return kind;
  }
  return 'reloads';
}
