const MINUTE_MS = 60_000;
/** After the minute has begun: a timer may be early by a millisecond. */
const SPARE_MS = 50;

/**
 * Calls back at the beginning of each minute of the clock, as cron does.
 *
 * @returns ends it
 */
export function eachMinute(work: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = () => {
    timer = setTimeout(
      () => {
        wait();
        work();
      },
      MINUTE_MS - (Date.now() % MINUTE_MS) + SPARE_MS,
    );
  };
  wait();
  return () => clearTimeout(timer);
}
