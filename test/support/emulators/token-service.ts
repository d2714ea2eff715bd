import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPILE_CACHE, inheritedEnvironment } from '../processes/inherited-environment.ts';
import { type Service, serviceAt } from '../steward.ts';
import type { ClockOrder, TokenOrder, TokenReport } from './token-process.ts';

export interface TokenService extends Service {
  /** The results of this number of concurrent callers in the process: tokens, or error codes. */
  current(grant: { userId: string; grantId: string }, callers?: number): Promise<TokenReport['results']>;
  /** Moves its clock forward, which otherwise goes with the machine's. */
  advance(milliseconds: number): void;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Pauses it (SIGSTOP), or resumes it (SIGCONT). */
  signal(signal: NodeJS.Signals): void;
}

let orders = 0;

/** Starts a service whose vault the test can use. Requests in progress when it is killed get no response. */
export async function startTokenService(env: Record<string, string>): Promise<TokenService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'steward-tokens-'));
  const child = fork(join(import.meta.dirname, 'token-process.ts'), {
    env: { ...inheritedEnvironment(), ...COMPILE_CACHE, PORT: '0', LOG_LEVEL: 'error', DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const [url] = (await Promise.race([once(child, 'message'), exited])) as [string | number];
  if (typeof url !== 'string') throw new Error(`the service ended with ${url} instead of getting ready`);
  const waiting = new Map<number, (results: TokenReport['results']) => void>();
  child.on('message', ({ id, results }: TokenReport) => waiting.get(id)?.(results));
  return {
    ...serviceAt(url),
    current({ userId, grantId }, callers = 1) {
      orders += 1;
      const { promise, resolve } = Promise.withResolvers<TokenReport['results']>();
      waiting.set(orders, resolve);
      child.send({ id: orders, userId, grantId, callers } satisfies TokenOrder);
      return promise;
    },
    advance: (milliseconds) => void child.send({ advanceMs: milliseconds } satisfies ClockOrder),
    signal: (signal) => void child.kill(signal),
    async kill(signal) {
      child.kill(signal);
      await exited;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
