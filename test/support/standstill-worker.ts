import { Agent, get } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const { url, counts, most } = workerData as { url: string; counts: Int32Array; most: number };
const agent = new Agent({ keepAlive: true });
/** Parsing this is one unit: about a millisecond. */
const UNIT = JSON.stringify(Array.from({ length: 4_000 }, (_, index) => ({ id: index, name: `item ${index}` })));
const PAUSE_MS = 10;

async function ask(): Promise<void> {
  let answered = false;
  get(url, { agent }, (response) => response.resume().on('end', () => (answered = true))).on('error', () => (answered = true));
  for (let units = 1; !answered; units += 1) {
    JSON.parse(UNIT);
    await nextTurn();
    if (units > Atomics.load(counts, 0)) Atomics.store(counts, 0, units);
    if (units === most + 1) parentPort?.postMessage('stood still');
  }
}

for (;;) {
  if (Atomics.load(counts, 1) === 1) await ask();
  await sleep(PAUSE_MS);
}
