import type { Clock, Timer } from '../clock/clock.ts';

const MINUTE_MS = 60_000;
/** After the minute has begun: a timer may be early by a millisecond. */
const SPARE_MS = 50;

/**
 * Calls back at the beginning of each minute of the clock, as cron does.
 *
 * @returns ends it
 */
export function eachMinute(clock: Clock, work: () => void): () => void {
  let timer: Timer;
  const wait = () => {
    timer = clock.after(MINUTE_MS - (clock.now() % MINUTE_MS) + SPARE_MS, () => {
      wait();
      work();
    });
  };
  wait();
  return () => timer.cancel();
}
