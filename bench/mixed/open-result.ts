import type { ScheduleOptions } from './schedule.ts';

/** The parent's request: `open` signs in a socket for each token. */
export type OpenOrder = { kind: 'open'; port: number; tokens: string[] } | { kind: 'run'; schedule: ScheduleOptions };

export const OUTCOMES = ['answered', 'refused', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** One entry for each request, in the order in which they ended. */
export interface OpenResult {
  /** Indexes of KINDS and of OUTCOMES. */
  kinds: Uint8Array;
  outcomes: Uint8Array;
  /** Milliseconds after the start. */
  due: Float64Array;
  /** From then to the end of the response, milliseconds. */
  latencies: Float64Array;
  /** From then until it was sent, milliseconds: the client's own delay. */
  lags: Float64Array;
  /** Refusals that do not say when to try again. */
  withoutRetryAfter: number;
  /** The first failure, as text. */
  firstError: string | undefined;
  /** Processor time of the client, milliseconds. */
  cpuMs: number;
}
