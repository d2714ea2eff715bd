import { type Audience, union } from '../../providers/audience.ts';
import { eventAudience, readExceptionsAudience } from '../../providers/workspace/event-audience.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { findTarget, type Target } from './calendar-session.ts';

/** The object of a change, and who sees it besides the account. */
export interface SeenTarget extends Target {
  audience: Audience;
  /** Those of them who are invited to an event of a series only, by their addresses. */
  others: readonly string[];
}

/** @throws AppError `not_found`, `invalid_request` when the id doesn't match the scope */
export async function seenTarget(session: WorkspaceSession, id: string, scope: 'this' | 'series'): Promise<SeenTarget> {
  const target = await findTarget(session, id, scope);
  const ofEvents = await readExceptionsAudience(session, target.event);
  const others = ofEvents.flatMap((viewer) => (viewer.kind === 'person' ? [viewer.address] : []));
  return { ...target, audience: union(eventAudience(target.event), ofEvents), others };
}
