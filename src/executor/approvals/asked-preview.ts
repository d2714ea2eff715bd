import { AppError } from '../../errors.ts';
import type { Call, Invocation } from '../call/call.ts';
import type { LinkedPreview } from './approval-preview.ts';

/** What a client receives about its call that waits for the user: nothing that it didn't say itself, but how to go on. */
export type AskedPreview = Pick<LinkedPreview, 'approvalId' | 'url' | 'summary' | 'expiresAt'>;

/**
 * What the caller that asked may know of a question, on every surface. A question is for the user: it tells whom the user has
 * written to, who else sees a file, names and texts of others that were read to show it. A client has not read them, and may
 * not be permitted to. The assistant's question goes to the user, in the conversation; its model receives none of it.
 *
 * @param call undefined: the user asks, who decides
 * @param now milliseconds since 1970
 */
export function shownToAsker(preview: LinkedPreview, call: Call | undefined, now: number): LinkedPreview | AskedPreview {
  if (call?.client === undefined) return preview;
  const { approvalId, url, expiresAt } = preview;
  return { approvalId, url, expiresAt, summary: call.configured.action.summary(call.input, now) };
}

/**
 * An error as the caller that asked receives it. Of a tool that has changed, clients and the assistant are told in which fields, and
 * the user in person what they say: what a server says of its tool reaches models only once the user has approved it.
 */
export function errorForAsker(thrown: unknown, { user, thread }: Pick<Invocation, 'user' | 'thread'>): unknown {
  const isInPerson = user.clientId === undefined && thread === undefined;
  if (isInPerson || !(thrown instanceof AppError) || thrown.details?.reason !== 'tool_held') return thrown;
  const { changes, ...details } = thrown.details as { changes?: readonly { field: string }[] };
  if (changes === undefined) return thrown;
  const fields = changes.map(({ field }) => ({ field }));
  return new AppError(thrown.code, thrown.message, { details: { ...details, changes: fields }, cause: thrown });
}
