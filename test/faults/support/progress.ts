import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 250;

/**
 * Waits until no work is left, as long as there is progress: on a busy machine everything takes longer, and only work
 * without progress is stuck. A failed check is ignored.
 *
 * @param look the work left, and a text that changes with every progress
 * @param stillMs maximum time without progress
 * @returns whether no work is left
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
