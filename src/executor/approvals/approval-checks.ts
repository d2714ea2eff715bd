import { AppError } from '../../errors.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import { isWider } from '../../providers/shared/audience.ts';
import type { Exposure } from '../call/action-run.ts';
import type { Call } from '../call/call.ts';
import { isAbout, type Stored } from './approval-preview.ts';
import type { ApprovalRow } from './approvals-repository.ts';

/** @throws AppError `conflict` when the action has changed since the approval was requested, or is gone */
export function assertSameRevision({ action, revision }: Pick<ApprovalRow, 'action' | 'revision'>, { actions }: Catalog): void {
  if (actions.get(action)?.revision !== revision) throw reconfigured();
}

/** @throws AppError `conflict` when the call that would run differs from what the user was shown */
export function assertSameCall(row: ApprovalRow, stored: Stored, call: Call): void {
  if (row.revision !== call.revision) throw reconfigured();
  if (call.argumentsHash !== row.argumentsHash || !isAbout(stored, call)) throw notAsAsked();
}

/** What has changed since the user was shown a call: others see it, or its subject is another; undefined: nothing. */
export function changeSince(
  { audience, version }: Stored,
  now: Pick<Exposure, 'audience' | 'version'>,
): 'audience' | 'subject' | undefined {
  if (isWider(now.audience, audience)) return 'audience';
  return now.version === version ? undefined : 'subject';
}

/** For another user's approval, too. */
export function noSuchApproval(): AppError {
  return new AppError('not_found', 'There is no such request for approval.');
}

/** By which programs know that an approval has ended, and not why a call of it would fail. */
const OVER = { details: { reason: 'over' } };

/** An approval is decided once. */
export function alreadyDecided(): AppError {
  return new AppError('conflict', 'This request for approval was decided already, or has expired.', OVER);
}

/** Nobody decided in time. */
export function hasExpired(): AppError {
  return new AppError('conflict', 'This request for approval has expired. Ask for it again.', OVER);
}

/** Whether an approval can't be decided any more. */
export function isOver({ details }: Pick<AppError, 'details'>): boolean {
  return details?.reason === OVER.details.reason;
}

/** The error of a call that is equal to one which the user has just approved. */
export function approvedAlready(approvalId: string): AppError {
  const details = { approvalId };
  return new AppError('conflict', 'The user has approved this call, and it is running or has just run: read its result.', { details });
}

/** What the user was shown can't be read any more, or is not what would run. */
export function notAsAsked(): AppError {
  return new AppError('conflict', 'This request for approval can’t be carried out as it was asked. Ask for it again.');
}

function reconfigured(): AppError {
  return new AppError('conflict', 'The configuration has changed since. Ask for approval again.');
}
