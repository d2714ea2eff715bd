/** What is judged is a tenth of a second: a single stall or burst is no overload. */
const EVERY_MS = 100;

/**
 * Measures how much of its time the event loop is not idle.
 *
 * @param onSample called with a share from 0 to 1, of the time since the last call
 * @returns stops it
 */
export function watchLoopUtilisation(onSample: (utilisation: number) => void): () => void {
  let last = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    onSample(performance.eventLoopUtilization(now, last).utilization);
    last = now;
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
