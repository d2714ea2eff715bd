import type { AgentAccountRow } from '../executor/agent-accounts-repository.ts';
import type { Executor } from '../executor/executor.ts';
import type { Catalog } from '../integrations/catalog.ts';
import type { Providers } from '../providers/open-providers.ts';
import { listAgents } from './agent-list.ts';
import type { RequestFrame } from './frames.ts';
import type { RequestHandler } from './in-flight-requests.ts';

export interface RequestDeps {
  executor: Pick<Executor, 'invoke' | 'approve' | 'approvals'>;
  catalog(): Catalog;
  accounts(userId: string): Promise<readonly AgentAccountRow[]>;
  providers: Providers;
}

const SURFACE = 'socket';

/** The handler of a request frame. */
export function handlerOf(deps: RequestDeps, userId: string, frame: RequestFrame): RequestHandler {
  switch (frame.type) {
    case 'list':
      return async () => ({ data: await listAgents(deps.catalog(), await deps.accounts(userId), deps.providers) });
    case 'call':
      return (signal, progress) => call(deps, userId, frame, signal, progress);
    case 'approvals':
      return async () => ({ data: { approvals: await deps.executor.approvals(userId) } });
    case 'approve': {
      const { approvalId, approved } = frame;
      return (signal, progress) => deps.executor.approve({ user: { userId }, surface: SURFACE, approvalId, approved, signal, progress });
    }
  }
}

function call(
  { executor }: RequestDeps,
  userId: string,
  { action, account, input, idempotencyKey }: Extract<RequestFrame, { type: 'call' }>,
  signal: AbortSignal,
  progress: (message: string) => void,
) {
  return executor.invoke({
    user: { userId },
    surface: SURFACE,
    action,
    input,
    signal,
    progress,
    ...(account !== undefined && { account }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
}
