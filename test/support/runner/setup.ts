import { afterAll, afterEach, vi } from 'vitest';

// Files share a worker: what one leaves changed, by a failure too, would reach the next.
afterEach(restore);
afterAll(restore);

function restore(): void {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
}
