import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../src/errors.ts';
import { RunAbort } from '../../../src/executor/run-abort.ts';
import { WorkspaceSession } from '../../../src/providers/workspace/workspace-session.ts';
import { LargeResponses } from '../../../src/threads/large-responses.ts';

/** Longer than a token that was read before the wait for a place is used. */
const WAIT_MS = 350;

it('a change whose session ends while its token is read again has changed nothing', async () => {
  const ending = new RunAbort();
  let reads = 0;
  const current = async () => {
    reads += 1;
    if (reads === 2) ending.abort(new AppError('provider_timeout', 'The time is over.'));
    return 'token';
  };
  // Nothing listens there: nothing is sent.
  const options = { apiUrl: 'http://127.0.0.1:1', timeoutMs: 1_000, userId: 'user', large: new LargeResponses() };
  const inTurn = async <Result>(work: () => Promise<Result>) => {
    await sleep(WAIT_MS);
    return work();
  };
  const session = new WorkspaceSession(options, inTurn, { current, renewed: current }, ending);
  const call = session.call('drive.files.create', { requestBody: { name: 'x' } }, z.object({}));
  await expect(call).rejects.toMatchObject({ code: 'provider_timeout' });
  expect(reads).toBe(2);
  expect(session.mayHaveChanged).toBe(false);
});
