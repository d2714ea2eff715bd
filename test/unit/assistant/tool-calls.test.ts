import { describe, expect, it } from 'vitest';
import { ToolCalls } from '../../../src/assistant/loop/tool-calls.ts';
import { STORING_MS } from '../../../src/executor/audit/storing.ts';
import { TestClock } from '../../support/time/test-clock.ts';

const CALL = { toolCallId: 'c1', toolName: 'mail_send', isComplete: true };

/** A stopped run whose change has been sent; it ends so long after the stop. @returns the chunks that tell of it */
async function settledAfter(milliseconds: number) {
  const clock = new TestClock({ standsAt: 0 });
  const result = Promise.withResolvers<object>();
  const catalog = () => ({ tools: new Map(), actions: new Map([['', { action: { effect: 'read' } }]]) });
  const deps = { clock, catalog, executor: { invoke: () => result.promise } };
  const calls = new ToolCalls(deps as never, { id: 'r1', userId: 'u1', threadId: 't1' } as never, new Set());
  void calls.call('mail_send', CALL.toolCallId, {});
  const settled = calls.settle([CALL]);
  await clock.advance(milliseconds);
  result.resolve({ data: { id: 'm1' }, meta: {} });
  return settled;
}

describe('a change that has started before its run was stopped', () => {
  it('is told as it ended, though storing what follows from it took the time that is reserved for that', async () => {
    const output = expect.objectContaining({ data: { id: 'm1' } });
    expect(await settledAfter(STORING_MS + 10_000)).toMatchObject([{ type: 'tool-output-available', toolCallId: 'c1', output }]);
  });

  it('is told as unknown after that', async () => {
    expect(await settledAfter(STORING_MS + 15_000)).toMatchObject([
      { type: 'tool-output-error', errorText: expect.stringContaining('outcome_unknown') },
    ]);
  });
});
