import { expect, it } from 'vitest';

/** One line of the table. */
export interface Outcome {
  /** Number of inputs, places or faults tested. */
  tried: number;
  /** Failures, one line each; without secrets. */
  failed: string[];
  /** Why nothing, or less, was tested: a missing tool or missing vectors. */
  missing?: string;
}

declare module 'vitest' {
  interface TaskMeta {
    security?: Outcome;
  }
}

const TIMEOUT_MS = 20 * 60_000;

/** One line of the suite's final table. It fails if a check failed, or if nothing was tested without a reason. */
export function check(title: string, run: () => Promise<Outcome> | Outcome): void {
  it(title, { timeout: TIMEOUT_MS }, async ({ task }) => {
    const outcome = await run();
    task.meta.security = outcome;
    expect(outcome.failed).toEqual([]);
    if (outcome.missing === undefined) expect(outcome.tried).toBeGreaterThan(0);
  });
}

/** A missing tool is a failure on CI, and reported elsewhere. */
export function notHere(what: string): Outcome {
  return { tried: 0, failed: process.env.CI === undefined ? [] : [what], missing: what };
}
