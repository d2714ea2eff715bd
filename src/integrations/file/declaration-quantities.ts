const PER_MS = { sec: 1_000, min: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
const BYTES = { kB: 1_000, MB: 1_000_000 } as const;

/** `30s`: whole seconds, from 1 to 60. */
export const DURATION = /^([1-9]|[1-5][0-9]|60)s$/;
/** `60/min`: calls a second, minute, hour or day. */
export const RATE = /^([1-9][0-9]{0,4})\/(sec|min|hour|day)$/;
/** `20kB`: thousands or millions of bytes. */
export const SIZE = /^([1-9][0-9]{0,3})(kB|MB)$/;

/** @returns milliseconds of a text that {@link DURATION} matches */
export function durationMs(text: string): number {
  return Number(text.slice(0, -1)) * 1_000;
}

/** Of a text that {@link RATE} matches. */
export function rateOf(text: string): { calls: number; perMs: number } {
  const [, calls, unit] = RATE.exec(text) ?? [];
  return { calls: Number(calls), perMs: PER_MS[unit as keyof typeof PER_MS] };
}

/** @returns bytes of a text that {@link SIZE} matches */
export function bytesOf(text: string): number {
  const [, count, unit] = SIZE.exec(text) ?? [];
  return Number(count) * BYTES[unit as keyof typeof BYTES];
}
