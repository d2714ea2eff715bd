import type { Clock } from '../clock/clock.ts';
import type { Poll } from '../clock/poll.ts';
import type { Polls } from '../clock/polls.ts';
import { loadOnce } from '../concurrency/load-once.ts';
import type { Config } from '../config/config.ts';
import type { TellEvent } from '../events/events.ts';
import { claimChannels } from './channels/channels-repository.ts';
import type { ToldEvents } from './notices/event-notice.ts';
import type { Notify } from './notices/notify.ts';
import type { OpenNotificationsOptions } from './open-notifications.ts';

const POLL_MS = 5_000;
/** Longer than a mail server may take. */
const CLAIM_MS = 2 * 60_000;
/** Channels that a process sends to at a time. */
const MOST = 20;
/** A channel with many messages does not keep the others waiting for long. */
const ROUNDS = 20;

/** Events that users may be told of. The code for that is loaded with the first one. */
const TOLD: ReadonlySet<string> = new Set<keyof ToldEvents>(['approval.requested', 'account.status', 'run.finished', 'automation.paused']);

type ConsoleSettings = Pick<Config, 'environment' | 'console'>;

/** What happened is told in its transaction; {@link createNotifications} sends it. */
export interface Notices {
  notify: Notify;
  /** What a user is told of an event. */
  tellOf: TellEvent;
  /** What to do after each commit with something to tell. */
  whenTold(wake: () => void): void;
}

export function createNotices({ clock, config }: { clock: Clock; config: ConsoleSettings }): Notices {
  let wake = () => {};
  const open = loadOnce(async () => {
    const [{ createNotify }, { noticeOf }] = await Promise.all([import('./notices/notify.ts'), import('./notices/event-notice.ts')]);
    return { notify: createNotify(clock, () => wake()), noticeOf };
  });
  const home = consolePath(config);
  return {
    notify: async (...told) => (await open()).notify(...told),
    async tellOf(tx, userId, event, data) {
      if (!TOLD.has(event)) return;
      const { notify, noticeOf } = await open();
      const notice = noticeOf(event, data, home);
      if (notice !== undefined) await notify(tx, userId, notice);
    },
    whenTold(given) {
      wake = given;
    },
  };
}

/** Of the console, if there is one: otherwise of the page that there always is. */
function consolePath({ environment, console }: ConsoleSettings): string {
  if (environment === 'development') return '/';
  return console ? '/console' : '/approvals';
}

interface NotificationsOptions extends Omit<OpenNotificationsOptions, 'notify' | 'settingsPath'> {
  polls: Polls;
  notices: Notices;
}

/** Telling users elsewhere. Its code is loaded with the first channel. */
export function createNotifications({ notices, polls, ...options }: NotificationsOptions) {
  const { config, db, clock } = options;
  const home = consolePath(config);
  const open = loadOnce(async () => {
    const { openNotifications } = await import('./open-notifications.ts');
    return openNotifications({ ...options, notify: notices.notify, settingsPath: `${home}#notifications` });
  });
  const send = async () => {
    for (let round = 0; round < ROUNDS && !sending.isStopped; round += 1) {
      const now = clock.now();
      const claims = await claimChannels(db, new Date(now), new Date(now + CLAIM_MS), MOST);
      if (claims.length === 0) return;
      const { deliverer } = await open();
      await Promise.all(claims.map((claim) => deliverer.deliver(claim)));
    }
  };
  const sending: Poll = polls.create(send, { everyMs: POLL_MS, failure: 'notifications can’t be sent; retrying' });
  notices.whenTold(() => sending.wake(0));
  return { open, home, sending };
}
