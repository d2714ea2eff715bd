import { expect, it } from 'vitest';

/** What one line of the table says. */
export interface Outcome {
  /** How many inputs, places or faults were tried. */
  tried: number;
  /** What didn't hold, one line each; without secrets. */
  failed: string[];
  /** Why nothing, or less, was tried: a tool or vectors that are not here. */
  missing?: string;
}

declare module 'vitest' {
  interface TaskMeta {
    security?: Outcome;
  }
}

const TIMEOUT_MS = 20 * 60_000;

/** One line of the table that the suite ends with. It fails where anything didn't hold, or nothing was tried without a reason. */
export function check(title: string, run: () => Promise<Outcome> | Outcome): void {
  it(title, { timeout: TIMEOUT_MS }, async ({ task }) => {
    const outcome = await run();
    task.meta.security = outcome;
    expect(outcome.failed).toEqual([]);
    if (outcome.missing === undefined) expect(outcome.tried).toBeGreaterThan(0);
  });
}

/** A missing tool fails where everything must be there (CI), and is told of elsewhere. */
export function notHere(what: string): Outcome {
  return { tried: 0, failed: process.env.CI === undefined ? [] : [what], missing: what };
}
