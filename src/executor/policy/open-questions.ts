import { namedIds } from '../../actions/shared/named-ids.ts';
import type { Database } from '../../database/database.ts';
import { type Call, changesSomething } from '../call/call.ts';
import { hashesOf, namesOf } from '../taint/written-items.ts';
import { selectIsAskedAbout } from './open-questions-repository.ts';

type About = Pick<Call, 'configured' | 'input'>;

/**
 * The ids of what a call is about: what it changes, or what others would see.
 *
 * @param facts of the action, if it has any
 */
export function subjectsOf({ configured: { action }, input }: About, facts: unknown): string[] {
  return (action.about?.(input, facts) ?? namedIds(input)).flatMap(namesOf);
}

/** Hashes of {@link subjectsOf}. */
export function hashesOfSubjects(call: About, facts: unknown): Buffer[] {
  return hashesOf(subjectsOf(call, facts));
}

/** Whether the user is being asked about anything that a call might change, in whatever context; of a run, also what is parked. */
export function mayBeAskedAbout({ account, threadGrant, configured }: Call): boolean {
  return (account.hasOpenQuestions || threadGrant !== undefined) && changesSomething(configured);
}

/** Whether a call's own context waits for the user's answer about something that the call would change. */
export async function isAskedAbout(db: Database, call: Call, facts: unknown): Promise<boolean> {
  if (!mayBeAskedAbout(call)) return false;
  const items = hashesOfSubjects(call, facts);
  const { userId, client, thread } = call;
  return items.length > 0 && selectIsAskedAbout(db, { userId, clientId: client?.id ?? null, threadId: thread ?? null }, items);
}
