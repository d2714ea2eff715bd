import type { z } from 'zod';
import { type Audience, union } from '../../providers/shared/audience.ts';
import { hashOf } from '../../providers/shared/version-hash.ts';
import { eventAudience } from '../../providers/workspace/event-audience.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { assertUnchanged } from '../shared/as-shown.ts';
import { partOf, within } from '../shared/labels.ts';
import type { eventOutput } from './calendar-event.ts';
import { findTarget, type Target } from './calendar-session.ts';
import { readExceptions } from './series-exceptions.ts';

/** The object of a change, and who sees it besides the account. */
export interface SeenTarget extends Target {
  audience: Audience;
  /** Those of them who are invited to an event of a series only, by their addresses. */
  others: readonly string[];
  /** Of a series: its events that were changed or deleted individually. */
  exceptions: Awaited<ReturnType<typeof readExceptions>>['exceptions'];
  /** Changes with what others see of the event, or of the series and its exceptions. */
  version: string;
}

/** Ids of what a change is about: the event and its series, or the series with all its events. */
export function idsOf({ event, named }: Target): string[] {
  return [named.id, event.id, ...(event.recurringEventId === undefined ? [] : [partOf(event.recurringEventId)])];
}

/**
 * Under which names it is remembered that an event was written: the given id, and those of what was changed. A series that was
 * split off another has an id that its events' don't show.
 *
 * @param output undefined: the outcome is unknown
 */
export function writtenIn(given: string, output: Pick<z.output<typeof eventOutput>, 'id' | 'series'> | undefined): string[] {
  if (output === undefined) return [given];
  return output.series === undefined ? [given, output.id] : [given, output.id, within(output.series)];
}

/** @throws AppError `not_found`, `invalid_request` when the id doesn't match the scope */
export async function seenTarget(session: WorkspaceSession, id: string, scope: 'this' | 'series'): Promise<SeenTarget> {
  const target = await findTarget(session, id, scope);
  const { exceptions, audience: ofEvents } = await readExceptions(session, target.event);
  const others = ofEvents.flatMap((viewer) => (viewer.kind === 'person' ? [viewer.address] : []));
  const version = hashOf([target.event.version, ...exceptions.map((one) => one.version)]);
  return { ...target, audience: union(eventAudience(target.event), ofEvents), others, exceptions, version };
}

/**
 * The same for a run.
 *
 * @param version of the target that the user was shown; undefined: none
 * @throws AppError `conflict` when it is another one now
 */
export async function unchangedTarget(
  session: WorkspaceSession,
  { id, scope }: { id: string; scope: 'this' | 'series' },
  version: string | undefined,
): Promise<SeenTarget> {
  const target = await seenTarget(session, id, scope);
  assertUnchanged(version, 'id', target.version);
  return target;
}
