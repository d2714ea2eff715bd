import { percentile } from './latencies.ts';
import type { OpenLoad } from './open-load.ts';
import { type OpenResult, OUTCOMES, type Outcome } from './open-result.ts';
import type { LoopDelay, Probed } from './probed.ts';
import { waitedMs } from './processor-time.ts';
import { KINDS, type Kind, type ScheduleOptions } from './schedule.ts';

/** A server under the open loop, with its own client. */
export interface Target {
  probed: Probed;
  load: OpenLoad;
}

/** One stretch of traffic at one rate. */
export interface Phase {
  perSecond: number;
  elapsedMs: number;
  result: OpenResult;
  /** Of the server. */
  delay: LoopDelay;
  /** Of the server, in processors. */
  processors: number;
  /** Of the server's main thread: share of the time in which it waited for a processor. */
  waited: number;
}

export async function runPhase({ probed, load }: Target, schedule: ScheduleOptions): Promise<Phase> {
  const { server } = probed;
  await probed.loopDelay();
  const [cpu, waited, start] = [server.cpuMs(), waitedMs(server.pid), performance.now()];
  const result = await load.run(schedule);
  const elapsedMs = performance.now() - start;
  return {
    perSecond: schedule.perSecond,
    elapsedMs,
    result,
    delay: await probed.loopDelay(),
    processors: (server.cpuMs() - cpu) / elapsedMs,
    waited: (waitedMs(server.pid) - waited) / elapsedMs,
  };
}

/** Latencies of the requests with an outcome, milliseconds. @param kind undefined: of all kinds */
export function latenciesOf({ result }: Phase, outcome: Outcome, kind?: Kind): Float64Array {
  const [wanted, ofKind] = [OUTCOMES.indexOf(outcome), kind === undefined ? undefined : KINDS.indexOf(kind)];
  return result.latencies.filter(
    (_, index) => result.outcomes[index] === wanted && (ofKind === undefined || result.kinds[index] === ofKind),
  );
}

/** Share of the requests with an outcome. */
export function shareOf(phase: Phase, outcome: Outcome): number {
  return latenciesOf(phase, outcome).length / phase.result.latencies.length;
}

/** The client's own delay at the 99th percentile, milliseconds. */
export function clientLag({ result }: Phase): number {
  return percentile(result.lags, 0.99);
}

/**
 * When a phase is served as if the one before had not been: seconds from its start to the last request that was refused or
 * took longer than `withinMs`.
 */
export function recoverySeconds({ result }: Phase, withinMs: number): number {
  const answered = OUTCOMES.indexOf('answered');
  const disturbed = result.due.filter((_, index) => result.outcomes[index] !== answered || (result.latencies[index] ?? 0) > withinMs);
  return disturbed.reduce((last, due) => Math.max(last, due), 0) / 1_000;
}
