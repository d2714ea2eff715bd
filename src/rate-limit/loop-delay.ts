/** As often as a delay of some 20 ms needs to be seen. */
const EVERY_MS = 10;

/**
 * Measures by how much a timer is late, which is how long everything that is ready waits for its turn.
 *
 * @param onSample called with milliseconds, every few of them
 * @returns stops it
 */
export function watchLoopDelay(onSample: (delayMs: number) => void): () => void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    onSample(Math.max(now - last - EVERY_MS, 0));
    last = now;
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
