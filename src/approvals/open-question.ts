import { AppError } from '../errors.ts';
import type { Executor, LinkedPreview } from '../executor/executor.ts';
import { digestOf } from './approval-schemas.ts';

/** A question that waits. */
export async function findQuestion(executor: Pick<Executor, 'approvals'>, userId: string, id: string): Promise<LinkedPreview | undefined> {
  return (await executor.approvals(userId)).find(({ approvalId }) => approvalId === id);
}

/** @throws AppError `conflict` when a question is not the one that the user was shown */
export function assertShown(question: LinkedPreview, digest: string | undefined): void {
  if (digestOf(question) !== digest) throw new AppError('conflict', 'The question has changed since it was shown. Load it again.');
}
