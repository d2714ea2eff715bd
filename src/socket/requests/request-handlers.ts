import type { AgentAccountRow } from '../../executor/call/agent-accounts-repository.ts';
import type { Executor } from '../../executor/executor.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import { budgetOf, inPerson, type Principal } from '../../principal.ts';
import type { Providers } from '../../providers/open-providers.ts';
import type { Admission } from '../../rate-limit/admission.ts';
import type { RequestFrame } from '../frames/frames.ts';
import type { ResultOf } from '../frames/server-frames.ts';
import type { RequestHandler } from './in-flight-requests.ts';

export interface RequestDeps {
  admission: Admission;
  executor: Pick<Executor, 'invoke' | 'approve' | 'approvals' | 'outcome' | 'client'>;
  catalog(): Catalog;
  accounts(userId: string): Promise<readonly AgentAccountRow[]>;
  providers: Providers;
}

const SURFACE = 'socket';
/** A client must not decide on its own requests. */
const DECIDE = 'see and decide on approvals';

/** The handler of a request frame, which a saturated process may refuse. */
export function handlerOf(deps: RequestDeps, principal: Principal, frame: RequestFrame): RequestHandler {
  const handle = handlerFor(deps, principal, frame);
  // Decisions of the user, and what follows from them.
  if (frame.type === 'approve' || frame.type === 'approval_result') return handle;
  return async (signal, progress) => {
    const end = deps.admission.begin(budgetOf(principal));
    try {
      return await handle(signal, progress);
    } finally {
      end();
    }
  };
}

function handlerFor(deps: RequestDeps, principal: Principal, frame: RequestFrame): RequestHandler {
  switch (frame.type) {
    case 'list':
      return () => list(deps, principal);
    case 'call':
      return (signal, progress) => call(deps, principal, frame, signal, progress);
    case 'approvals':
      return async (): Promise<ResultOf<'approvals'>> => ({
        data: { approvals: await deps.executor.approvals(inPerson(principal, DECIDE).userId) },
      });
    case 'approval_result':
      return async (): Promise<ResultOf<'approval_result'>> => ({ data: await deps.executor.outcome(principal, frame.approvalId) });
    case 'approve': {
      const { approvalId, approved, input, rememberFor } = frame;
      const more = { ...(input !== undefined && { input }), ...(rememberFor !== undefined && { rememberFor }) };
      const decision = { surface: SURFACE, approvalId, approved, ...more };
      return (signal, progress): Promise<ResultOf<'approve'>> =>
        deps.executor.approve({ ...decision, user: inPerson(principal, DECIDE), signal, progress });
    }
  }
}

/** What the caller may use: a client, what its grant permits. */
async function list({ executor, catalog, accounts, providers }: RequestDeps, { userId, clientId }: Principal): Promise<ResultOf<'list'>> {
  const client = clientId === undefined ? undefined : await executor.client({ userId, clientId });
  const { listAgents } = await import('./agent-list.ts');
  return { data: await listAgents(catalog(), await accounts(userId), providers, client) };
}

function call(
  { executor }: RequestDeps,
  user: Principal,
  { action, account, input, idempotencyKey }: Extract<RequestFrame, { type: 'call' }>,
  signal: AbortSignal,
  progress: (message: string) => void,
): Promise<ResultOf<'call'>> {
  return executor.invoke({ user, surface: SURFACE, action, account, input, idempotencyKey, signal, progress });
}
