import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judge } from './support/judge.ts';
import { type JudgedService, startJudgedService } from './support/judged-service.ts';
import { findingsIn, sectionOf } from './support/suite-results.ts';

let service: JudgedService;
let results: string;

beforeAll(async () => {
  results = mkdtempSync(join(tmpdir(), 'steward-conformance-'));
  service = await startJudgedService();
});
afterAll(async () => {
  await service?.stop();
  rmSync(results, { recursive: true, force: true });
});

describe('the conformance suite of the Model Context Protocol', () => {
  it.each(['2026-07-28', '2025-11-25'])('finds nothing in %s beside the baseline', async (revision) => {
    const baseline = join(import.meta.dirname, `baseline-${revision}.yml`);
    const folder = join(results, revision);
    const { code, output } = await judge('conformance', [
      'server',
      ...['--url', service.suiteEndpoint, '--requirements', revision, '--expected-failures', baseline, '-o', folder],
    ]);
    const [, total = ''] = /^Total: (.*)$/m.exec(output) ?? [];
    const expected = sectionOf(output, 'Expected failures (in baseline):');
    console.log(`${revision}: ${total} (tasks and other extensions included); ${expected.length} failures are in the baseline.`);
    // A scenario that the baseline doesn't name is reported as a whole.
    const unexpected = sectionOf(output, 'Unexpected failures (not in baseline):').flatMap((entry) =>
      findingsIn(folder).filter(({ name }) => name === entry || name.startsWith(`${entry}:`)),
    );
    expect({ unexpected, stale: sectionOf(output, 'remove from baseline):') }).toEqual({ unexpected: [], stale: [] });
    // Also where the suite itself broke down.
    expect(output).toContain('Baseline check passed');
    expect(code).toBe(0);
  });
});
