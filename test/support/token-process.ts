// A whole service in a process of its own, which returns access tokens of its vault on request.

import { createSandbox } from '../../sandbox/sandbox.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { startServer } from '../../src/server.ts';

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

const steward = await startServer(loadConfig(), { loadSandbox: createSandbox });

async function serve({ id, userId, grantId, callers }: TokenOrder): Promise<void> {
  const calls = Array.from({ length: callers }, () =>
    steward.context.tokens.current(userId, grantId).then(
      (token) => ({ token }),
      (error) => ({ code: String(error.code) }),
    ),
  );
  process.send?.({ id, results: await Promise.all(calls) } satisfies TokenReport);
}

process.on('message', (order: TokenOrder) => void serve(order));
process.on('SIGTERM', () => void steward.stop().then(() => process.exit(0)));
process.send?.(steward.url);
