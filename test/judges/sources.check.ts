import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judge } from './support/judge.ts';
import { openDesk, SourceDesk } from './support/source-desk.ts';
import { findingsIn, sectionOf } from './support/suite-results.ts';

/** Of the client that a scenario registers beforehand. */
const SECRET = 'pre-registered-secret';

let desk: SourceDesk;
let open: Awaited<ReturnType<typeof openDesk>>;
let results: string;

beforeAll(async () => {
  results = mkdtempSync(join(tmpdir(), 'steward-conformance-client-'));
  desk = await SourceDesk.start(SECRET);
  open = await openDesk(desk);
});
afterAll(async () => {
  await open?.close();
  await desk?.stop();
  rmSync(results, { recursive: true, force: true });
});

describe('the client half of the conformance suite', () => {
  it.each(['2026-07-28', '2025-11-25'])('finds nothing in %s beside the baseline', async (revision) => {
    const program = join(import.meta.dirname, 'support/source-client.ts');
    const baseline = join(import.meta.dirname, `client-baseline-${revision}.yml`);
    const folder = join(results, revision);
    const command = `${process.execPath} ${program} ${open.url}`;
    const { code, output } = await judge('conformance', [
      'client',
      ...['--command', command, '--requirements', revision, '--expected-failures', baseline, '-o', folder, '--timeout', '60000'],
    ]);
    const [, total = ''] = /^Total: (.*)$/m.exec(output) ?? [];
    const expected = sectionOf(output, 'Expected failures (in baseline):');
    console.log(`${revision}, client: ${total}; ${expected.length} failures are in the baseline.`);
    const unexpected = sectionOf(output, 'Unexpected failures (not in baseline):').flatMap((entry) =>
      findingsIn(folder).filter(({ name }) => name === entry || name.startsWith(`${entry}:`)),
    );
    expect({ unexpected, stale: sectionOf(output, 'remove from baseline):') }).toEqual({ unexpected: [], stale: [] });
    expect(output).toContain('Baseline check passed');
    expect(code).toBe(0);
  });
});
