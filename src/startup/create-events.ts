import { wakeRun } from '../automations/runs/runs-repository.ts';
import type { Queryable } from '../database/database.ts';
import type { EventData } from '../events/event-data.ts';
import { EventFeed } from '../events/event-feed.ts';
import { Events, type RecordEvent } from '../events/events.ts';
import { ApprovalExpiry } from '../executor/approvals/approval-expiry.ts';
import { mayHaveGrant } from '../executor/call/thread-grants-repository.ts';
import { createNotices } from '../notifications/notifications.ts';
import { describeError } from '../observability/logger.ts';
import type { Core } from './core.ts';

/** Events for front ends, and the approvals that end with them. */
export function createEvents(core: Core) {
  const { db, clock, polls, logger, integrations } = core;
  const notices = createNotices(core);
  const feed = new EventFeed(db, polls);
  const events = new Events(db, () => feed.wake(), notices.tellOf);
  const emit: RecordEvent = async (tx, userId, event, data, clientId) => {
    await events.record(tx, userId, event, data, clientId);
    // A run that waits for the user goes on.
    if ('thread' in data && typeof data.thread === 'string' && mayHaveGrant(data.thread) && event.startsWith('approval.')) {
      await wakeRun(tx, userId, data.thread, new Date(clock.now()));
    }
    // What its automations wait for may be read again.
    if (event === 'account.connected') {
      const { lookAgain } = await import('../automations/looking/ensure-watches.ts');
      await lookAgain(tx, userId, (data as EventData['account.connected']).account, clock);
    }
    if (event === 'account.disconnected') await disconnected(tx, userId, (data as EventData['account.disconnected']).account);
  };
  // What needs an account ends with it.
  const disconnected = async (tx: Queryable, userId: string, account: string) => {
    await approvalExpiry.disconnected(tx, userId, account);
    const { pauseForAccount } = await import('../automations/account-disconnected.ts');
    await pauseForAccount(tx, userId, account, { clock, emit });
  };
  const approvalExpiry = new ApprovalExpiry(db, emit);
  integrations.onChange(({ revision }) => {
    events.recordForAll(feed.userIds(), 'integrations.updated', { revision }).catch((error: unknown) => {
      logger.warn({ err: describeError(error) }, 'the event integrations.updated could not be recorded');
    });
  });
  return { feed, events, emit, approvalExpiry, notices };
}
