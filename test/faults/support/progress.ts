import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 250;

/**
 * Waits until nothing is left, for as long as anything moves: on a busy machine everything takes longer, and only what
 * stands still is stuck. A look that fails says nothing.
 *
 * @param look what is left, and a text that changes with every bit of progress
 * @param stillMs longest that nothing may move
 * @returns whether nothing is left
 */
export async function untilNothingIsLeft(look: () => Promise<{ left: number; state: string }>, stillMs: number): Promise<boolean> {
  let state: string | undefined;
  let movedAt = performance.now();
  while (performance.now() - movedAt < stillMs) {
    const now = await look().catch(() => undefined);
    if (now?.left === 0) return true;
    if (now !== undefined && now.state !== state) {
      state = now.state;
      movedAt = performance.now();
    }
    await sleep(LOOK_MS);
  }
  return false;
}
