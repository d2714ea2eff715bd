// A whole service in a process of its own, which returns access tokens of its vault on request.

import { createSandbox } from '../../../sandbox/sandbox.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { startServer } from '../../../src/server.ts';
import { TestClock } from '../time/test-clock.ts';

/** The parent's request: the clock goes forward. */
export interface ClockOrder {
  advanceMs: number;
}

/** The parent's request: a number of concurrent callers. */
export interface TokenOrder {
  id: number;
  userId: string;
  grantId: string;
  callers: number;
}

/** An access token, or the code of the error. */
export interface TokenReport {
  id: number;
  results: { token?: string; code?: string }[];
}

const clock = new TestClock();
const steward = await startServer(loadConfig(), { loadSandbox: createSandbox, clock });

async function serve({ id, userId, grantId, callers }: TokenOrder): Promise<void> {
  const calls = Array.from({ length: callers }, () =>
    steward.context.tokens.current(userId, grantId).then(
      (token) => ({ token }),
      (error) => ({ code: String(error.code) }),
    ),
  );
  process.send?.({ id, results: await Promise.all(calls) } satisfies TokenReport);
}

process.on('message', (order: TokenOrder | ClockOrder) => void ('advanceMs' in order ? clock.advance(order.advanceMs) : serve(order)));
process.on('SIGTERM', () => void steward.stop().then(() => process.disconnect()));
process.send?.(steward.url);
