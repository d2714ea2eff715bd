import { percentile } from './latencies.ts';
import { latenciesOf, type Phase, runPhase, shareOf, type Target } from './phases.ts';

/** What one core carries is reached when the service uses this much of it, … */
const FULL = 0.92;
/** … or when it can't keep up: this share of the requests is refused, or their median takes this long, milliseconds. */
const REFUSED = 0.02;
const SLOW_MS = 150;
const FIRST_RATE = 300;
const STEPS_MAX = 12;
/** The next rate is at most this many times the last, because requests cost less in larger batches. */
const STEP = 1.8;
const STEP_MS = 4_000;
const WARM_UP_MS = 8_000;

/**
 * Raises the rate until one core is used up. A rate that can't be kept up with is tried twice, because something else may
 * have kept the machine busy.
 *
 * @param report called with each step
 * @returns requests that are answered in a second then
 */
export async function findCapacity(target: Target, seed: number, report: (phase: Phase) => void): Promise<number> {
  await runPhase(target, { seed, perSecond: FIRST_RATE, durationMs: WARM_UP_MS });
  let answered = 0;
  let overdone = 0;
  let perSecond = FIRST_RATE;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const phase = await runPhase(target, { seed: seed + step, perSecond, durationMs: STEP_MS });
    report(phase);
    const latencies = latenciesOf(phase, 'answered');
    // Of a schedule that took longer than it should, the rest was answered later.
    answered = Math.max(answered, (latencies.length / Math.max(phase.elapsedMs, STEP_MS)) * 1_000);
    const isOverdone = shareOf(phase, 'refused') > REFUSED || percentile(latencies, 0.5) > SLOW_MS;
    overdone = isOverdone ? overdone + 1 : 0;
    if (phase.processors >= FULL || overdone > 1) break;
    if (!isOverdone) perSecond *= Math.min(STEP, FULL / phase.processors + 0.03);
  }
  return answered;
}
