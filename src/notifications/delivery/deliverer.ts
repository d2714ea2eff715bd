import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock/clock.ts';
import type { Database } from '../../database/database.ts';
import { lockUser } from '../../database/user-lock.ts';
import { describeError, type Logger } from '../../observability/logger.ts';
import type { Telemetry } from '../../observability/telemetry.ts';
import { formatterFor, type Preferences, selectPreferences } from '../../preferences/preferences-repository.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';
import { type Claim, type ClaimEnd, endClaim } from '../channels/channels-repository.ts';
import { type Delivery, endDeliveries, failWaiting, joinMessage, selectWaiting } from '../notices/deliveries-repository.ts';
import type { Notify } from '../notices/notify.ts';
import { type Destination, openDestination } from '../senders/destination.ts';
import { type Message, messageOf, type Told } from '../senders/message-text.ts';
import { type Outcome, outcomeName, type Senders } from '../senders/sender.ts';
import { quietUntil } from './quiet-hours.ts';
import { afterFailure } from './retries.ts';

/** Between two messages to people. */
const DIGEST_MS = 15 * 60_000;
/** What could not be told for so long is of no use any more. */
const KEPT_MS = 3 * 24 * 3_600_000;
/** For how long a channel is left alone after a failure of this process. */
const FAULT_MS = 5 * 60_000;

/** What the user calls automations, by id; without those that were deleted. */
export type AutomationNames = (userId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export interface DelivererDeps {
  db: Database;
  clock: Clock;
  logger: Logger;
  telemetry: Telemetry;
  userKeys: UserKeys;
  senders: Senders;
  notify: Notify;
  automationNames: AutomationNames;
  publicUrl: string;
  /** The page where channels are, from `/` on. */
  settingsPath: string;
}

/** What is to be done with a channel: a message now, or nothing until a time. */
type Plan = { send: Delivery[]; rest: Delivery[]; restDueAt: Date } | { dueAt: Date };

/** Sends what waits on a channel. */
export class Deliverer {
  readonly #deps: DelivererDeps;

  constructor(deps: DelivererDeps) {
    this.#deps = deps;
  }

  /** Sends the next message of a channel that this process has taken. Never rejects. */
  async deliver(claim: Claim): Promise<void> {
    const { db, clock, logger } = this.#deps;
    try {
      await endClaim(db, claim, await this.#next(claim));
    } catch (error) {
      logger.warn({ err: describeError(error), channel: claim.id }, 'a notification could not be sent; it is tried again');
      const again = new Date(clock.now() + FAULT_MS);
      await endClaim(db, claim, { ...unchanged(claim), dueAt: again, heldUntil: again }).catch(() => {});
    }
  }

  async #next(claim: Claim): Promise<ClaimEnd> {
    const { db, clock } = this.#deps;
    const { userId } = claim;
    const now = clock.now();
    const waiting = await selectWaiting(db, userId, claim.id, new Date(now));
    const isOver = ({ isOutdated, happenedAt }: Delivery) => isOutdated || happenedAt.getTime() < now - KEPT_MS;
    const [over, current] = [waiting.filter(isOver), waiting.filter((one) => !isOver(one))];
    if (over.length > 0) await endDeliveries(db, userId, idsOf(over), 'outdated', new Date(now));
    if (current.length === 0 || claim.state === 'off') return unchanged(claim);
    const preferences = await selectPreferences(db, userId);
    const plan = planOf(claim, current, preferences, now);
    if ('dueAt' in plan) return { ...unchanged(claim), dueAt: plan.dueAt };
    const outcome = await this.#send(claim, plan.send, preferences);
    if (outcome !== 'sent') return this.#failed(claim, outcome, now);
    const sentAt = new Date(clock.now());
    await endDeliveries(db, userId, idsOf(plan.send), 'sent', sentAt);
    return { failures: 0, error: null, state: 'active', sentAt, ...(plan.rest.length > 0 && { dueAt: plan.restDueAt }) };
  }

  async #send(claim: Claim, deliveries: readonly Delivery[], preferences: Preferences): Promise<Outcome> {
    const { db, userKeys, telemetry } = this.#deps;
    const destination = await openDestination(db, userKeys, claim.userId, claim);
    const id = deliveries[0]?.messageId ?? randomUUID();
    await joinMessage(db, claim.userId, idsOf(deliveries), id);
    const work = () => this.#sendTo(destination, id, claim, deliveries, preferences);
    return telemetry.step({ kind: 'notification', name: claim.type }, work, outcomeName);
  }

  async #sendTo(to: Destination, id: string, claim: Claim, deliveries: readonly Delivery[], preferences: Preferences): Promise<Outcome> {
    const { mail, push, webhook } = this.#deps.senders;
    const [first] = deliveries;
    if (to.type === 'webhook') return first === undefined ? 'sent' : webhook.send(to, { ...first, id, data: idsWith(first) });
    const message = await this.#messageOf(claim, deliveries, preferences);
    if (to.type === 'push') return push.send(to, { id, message });
    return mail?.send(to, { id, message }) ?? { error: 'unreachable', isFinal: false };
  }

  async #messageOf({ userId, summaries }: Claim, deliveries: readonly Delivery[], preferences: Preferences): Promise<Message> {
    const { automationNames, publicUrl } = this.#deps;
    const automations = [...new Set(deliveries.flatMap(({ automationId }) => automationId ?? []))];
    const names = automations.length === 0 ? undefined : await automationNames(userId, automations);
    const told: Told[] = deliveries.map((one) => ({ ...one, name: names?.get(one.automationId ?? '') }));
    return messageOf(told, { summaries, formatter: formatterFor(preferences), publicUrl });
  }

  /** A channel that is off is told on the others. */
  async #failed(claim: Claim, { error, isFinal }: Exclude<Outcome, 'sent'>, now: number): Promise<ClaimEnd> {
    const { db, logger, notify, settingsPath } = this.#deps;
    const { userId, id, type } = claim;
    const failures = claim.failures + 1;
    logger.info({ channel: id, type, error, failures }, 'a notification was not taken');
    const waitMs = isFinal ? undefined : afterFailure(type, failures);
    if (waitMs !== undefined) {
      const again = new Date(now + waitMs);
      return { failures, error, state: 'active', dueAt: again, heldUntil: again };
    }
    const at = new Date(now);
    await db.transaction(async (tx) => {
      // First, as where something is told.
      if (!(await lockUser(tx, userId))) return;
      await endClaim(tx, claim, { failures, error, state: 'off' });
      await failWaiting(tx, userId, id, at);
      const data = { channel: id, state: type };
      const key = `channel.off ${id} ${at.toISOString()}`;
      await notify(tx, userId, { kind: 'needs.attention', type: 'channel.off', key, path: settingsPath, data });
    }, userId);
    return { failures, error, state: 'off' };
  }
}

function planOf({ type, lastSentAt }: Claim, waiting: Delivery[], { quietHours, timeZone }: Preferences, now: number): Plan {
  const quietEnd = quietHours === null ? undefined : quietUntil(quietHours, timeZone ?? 'UTC', now);
  const isPressing = ({ until }: Delivery) => quietEnd === undefined || (until !== null && until <= quietEnd);
  const tellable = waiting.filter(isPressing);
  const [first] = tellable;
  if (first === undefined) return { dueAt: quietEnd ?? new Date(now) };
  const toPeople = type !== 'webhook';
  const nextAt = (lastSentAt?.getTime() ?? Number.NEGATIVE_INFINITY) + DIGEST_MS;
  if (toPeople && nextAt > now) return { dueAt: new Date(nextAt) };
  // Repeated, a message is the same; what has come since is in the next one.
  const tried = tellable.find(({ messageId }) => messageId !== null)?.messageId;
  const together = tried === undefined ? tellable : tellable.filter(({ messageId }) => messageId === tried);
  const send = toPeople ? together : together.slice(0, 1);
  const rest = waiting.filter((one) => !send.includes(one));
  return { send, rest, restDueAt: new Date(now + (toPeople ? DIGEST_MS : 0)) };
}

/** For a webhook: the automation, also where the notice did not name it. */
function idsWith({ data, automationId, threadId }: Delivery): Delivery['data'] {
  return { ...data, ...(automationId !== null && { automation: automationId }), ...(threadId !== null && { thread: threadId }) };
}

function unchanged({ failures, error, state }: Claim): ClaimEnd {
  return { failures, error, state };
}

function idsOf(deliveries: readonly Delivery[]): string[] {
  return deliveries.map(({ id }) => id);
}
