import { expect, it } from 'vitest';
import { z } from 'zod';
import { LargeResponses } from '../../../src/concurrency/large-responses.ts';
import { AppError } from '../../../src/errors.ts';
import { WorkspaceSession } from '../../../src/providers/workspace/workspace-session.ts';
import { TestClock } from '../../support/time/test-clock.ts';

/** Longer than a token that was read before the wait for a place is used. */
const WAIT_MS = 350;

it('a change whose session ends while its token is read again has changed nothing', async () => {
  const clock = new TestClock({ standsAt: '2026-05-04T10:00:00Z' });
  const ending = new AbortController();
  let reads = 0;
  const current = async () => {
    reads += 1;
    if (reads === 2) ending.abort(new AppError('provider_timeout', 'The time is over.'));
    return 'token';
  };
  // Nothing listens there: nothing is sent.
  const options = { apiUrl: 'http://127.0.0.1:1', timeoutMs: 1_000, clock, userId: 'user', large: new LargeResponses() };
  const inTurn = async <Result>(work: () => Promise<Result>) => {
    await clock.advance(WAIT_MS);
    return work();
  };
  const session = new WorkspaceSession(options, inTurn, { current, renewed: current }, ending.signal);
  const call = session.call('drive.files.create', { requestBody: { name: 'x' } }, z.object({}));
  await expect(call).rejects.toMatchObject({ code: 'provider_timeout' });
  expect(reads).toBe(2);
  expect(session.mayHaveChanged).toBe(false);
});
