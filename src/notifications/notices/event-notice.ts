import { randomUUID } from 'node:crypto';
import type { EventData } from '../../events/event-data.ts';
import type { Notice } from './notice.ts';

/** What of the events is told elsewhere. */
export type ToldEvents = Pick<EventData, 'approval.requested' | 'account.status' | 'run.finished' | 'automation.paused'>;

/** How a run ends that has something to say. */
const TOLD_RUNS = new Set<ToldEvents['run.finished']['status']>(['done', 'failed']);

type Makers = { [Name in keyof ToldEvents]: (data: ToldEvents[Name], consolePath: string) => Notice | undefined };

const MAKERS: Makers = {
  'approval.requested': ({ approvalId: approval, action, account, expiresAt }) => ({
    kind: 'approval.waits',
    type: 'approval.requested',
    key: `approval.requested ${approval}`,
    path: `/approvals/${approval}`,
    data: { approval, account, action },
    until: new Date(expiresAt),
  }),
  'account.status': ({ account, status }, consolePath) =>
    status === 'active'
      ? undefined
      : {
          kind: 'needs.attention',
          type: 'account.status',
          // It is recorded once for each time.
          key: `account.status ${randomUUID()}`,
          path: `${consolePath}#accounts`,
          data: { account, state: status },
        },
  'run.finished': ({ automation, run, status, thread }, consolePath) =>
    TOLD_RUNS.has(status)
      ? {
          kind: 'run.finished',
          type: 'run.finished',
          key: `run.finished ${run}`,
          path: automationPath(consolePath, automation),
          data: { automation, run, state: status, ...(thread !== null && { thread }) },
        }
      : undefined,
  'automation.paused': ({ automation, reason }, consolePath) => ({
    kind: 'needs.attention',
    type: 'automation.paused',
    key: `automation.paused ${randomUUID()}`,
    path: automationPath(consolePath, automation),
    data: { automation, state: reason },
  }),
};

/**
 * What a user is told of an event.
 *
 * @param consolePath of the console, from `/` on; without one, that of a page that there always is
 * @returns undefined: nothing
 */
export function noticeOf(event: string, data: object, consolePath: string): Notice | undefined {
  if (!Object.hasOwn(MAKERS, event)) return undefined;
  const make = MAKERS[event as keyof ToldEvents] as (data: object, consolePath: string) => Notice | undefined;
  return make(data, consolePath);
}

function automationPath(consolePath: string, automation: string): string {
  return `${consolePath}#automations/${automation}`;
}
