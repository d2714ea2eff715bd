import { systemClock } from '../../../src/clock/clock.ts';
import { freeConnections, reasonOf, stopRun } from './find-postgres.ts';
import { accepts, createClient } from './pg-client.ts';

const LOOK_MS = 1_000;
/** Looks in a row that find it full: services try again when it is full for a moment. */
const FULL = 2;

/**
 * Ends the run with one line when its Postgres stops, or has no connection left: tests would fail one by one.
 *
 * @returns ends the watch
 */
export async function watchPostgres(url: string): Promise<() => Promise<void>> {
  const client = createClient(url);
  let isOver = false;
  let isLooking = false;
  let full = 0;
  const stop = (error: unknown) => {
    if (!isOver) stopRun(url, `it ended the connection of this run (${reasonOf(error)}). Start it again.`);
  };
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    const isFull = (await freeConnections(client)) <= 0 && !(await accepts(url));
    full = isFull ? full + 1 : 0;
    if (full >= FULL && !isOver) {
      stopRun(url, 'its connections are used up: close others, or raise max_connections.');
    }
    isLooking = false;
  };
  client.once('error', stop);
  client.once('end', () => stop('closed'));
  await client.connect();
  const timer = systemClock.every(LOOK_MS, () => void look().catch(stop)).unref();
  return async () => {
    isOver = true;
    timer.cancel();
    await client.end();
  };
}
