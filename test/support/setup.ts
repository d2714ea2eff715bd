import { afterAll, afterEach, expect, vi } from 'vitest';
import { collectStatements, judgeStatements } from './sql/sent-statements.ts';

const COLLECTS = Symbol.for('steward.collects-statements');

// Files share a worker: what one leaves changed, by a failure too, would reach the next.
afterEach(restore);
afterAll(restore);

// Every statement that a test makes a service send names the user whose rows it is about.
if (!(COLLECTS in globalThis)) {
  Object.assign(globalThis, { [COLLECTS]: true });
  collectStatements();
}
afterAll(async () => expect(await judgeStatements()).toEqual([]));

function restore(): void {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
}
