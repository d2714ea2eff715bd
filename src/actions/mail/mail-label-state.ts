import { z } from 'zod';
import { identifier } from '../../providers/shared/provider-text.ts';
import { list } from '../../providers/transport/response-list.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';

export const labelIds = list(z.string().max(255), 500).default([]);
const message = z.object({ id: identifier, labelIds });

/** A message with the ids of its labels. */
export interface Labelled {
  id: string;
  labels: readonly string[];
}

/** What a change of labels reverts. */
export interface LabelChange {
  ids: string[];
  /** Ids of labels. */
  add: string[];
  remove: string[];
}

/** @throws AppError like the session, also for an unknown message */
export function labelsOfMessages(session: WorkspaceSession, ids: readonly string[]): Promise<Labelled[]> {
  return Promise.all(
    ids.map(async (id) => {
      const params = { userId: 'me', id, format: 'minimal', fields: 'id,labelIds' };
      return { id, labels: (await session.call('gmail.users.messages.get', params, message)).labelIds };
    }),
  );
}

/** Adds labels to the messages, and removes others, by the labels' ids. */
export async function changeLabels(
  session: WorkspaceSession,
  ids: readonly string[],
  addLabelIds: readonly string[],
  removeLabelIds: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await session.call('gmail.users.messages.batchModify', { userId: 'me', requestBody: { ids, addLabelIds, removeLabelIds } }, z.unknown());
}

/**
 * The change that reverts one, for the messages that it changes.
 *
 * @param before labels of the messages before
 * @returns undefined: nothing is changed, or not all messages alike, so that no single change reverts it
 */
export function oppositeChange(before: readonly Labelled[], added: readonly string[], removed: readonly string[]): LabelChange | undefined {
  const changes = before.map(({ id, labels }) => ({
    id,
    add: removed.filter((label) => labels.includes(label)),
    remove: added.filter((label) => !labels.includes(label)),
  }));
  const effective = changes.filter(({ add, remove }) => add.length + remove.length > 0);
  const [first] = effective;
  if (first === undefined || effective.some(({ add, remove }) => `${add}|${remove}` !== `${first.add}|${first.remove}`)) return undefined;
  return { ids: effective.map(({ id }) => id), add: first.add, remove: first.remove };
}
