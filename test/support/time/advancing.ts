import { eventually } from './eventually.ts';
import type { TestClock } from './test-clock.ts';

const STEP_MS = 1_000;

/** Advances a clock until what waits by it has ended: polls inside a request come at once. */
export async function advancing<Result>(clock: TestClock, work: Promise<Result>): Promise<Result> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  await eventually(async () => {
    await clock.advance(STEP_MS);
    return isOver;
  });
  return work;
}
