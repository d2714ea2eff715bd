import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';

// Runs before each test file, whose modules are then loaded.
const reached = new Set<string>();
const startedAt = performance.now();
Object.assign(globalThis, { reached });

afterAll(() => {
  const file = relative(process.cwd(), expect.getState().testPath ?? '');
  const line = { file, seconds: (performance.now() - startedAt) / 1000, places: [...reached] };
  appendFileSync(process.env.MUTANTS_REACHED ?? '', `${JSON.stringify(line)}\n`);
});
