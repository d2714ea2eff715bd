import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../../clock/clock.ts';
import { hashSecret } from '../../crypto/secrets.ts';
import type { Database } from '../../database/database.ts';
import { lockExistingUser } from '../../database/user-lock.ts';
import { AppError } from '../../errors.ts';
import type { Outbound } from '../../outbound/checked-fetch.ts';
import { FixedWindowLimiter } from '../../rate-limit/fixed-window.ts';
import type { SubjectHasher } from '../../vault/keys/subject-hasher.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';
import type { NoticeKind } from '../notices/notice.ts';
import { type ChannelType, type Destination, labelOf, openDestination, sealDestination, targetOf } from '../senders/destination.ts';
import type { MailSender } from '../senders/mail-sender.ts';
import type { Outcome } from '../senders/sender.ts';
import { type ChannelRow, deleteChannel, insertChannel, noteError, selectChannel, selectChannels } from './channels-repository.ts';
import { selectByLink, useLink } from './confirmations-repository.ts';
import { makeLink, sendLink } from './link-sender.ts';
import type { TestSender } from './test-sender.ts';

const MOST = 10;
const SECRET_BYTES = 24;
const TESTS_PER_MINUTE = 5;

export interface ChannelsDeps {
  db: Database;
  clock: Clock;
  userKeys: UserKeys;
  names: SubjectHasher;
  outbound: Outbound;
  publicUrl: string;
  /** undefined: mail is not configured. */
  mail: Pick<MailSender, 'write'> | undefined;
  tests: TestSender;
}

/** Where a new channel leads to; the secret of a webhook is made here. */
export type NewDestination = Exclude<Destination, { type: 'webhook' }> | { type: 'webhook'; url: string };

export interface NewChannelRequest {
  destination: NewDestination;
  kinds: NoticeKind[];
  summaries: boolean;
}

export interface Channel extends ChannelRow {
  label: string;
}

/** Where a user is told something: made, listed, tried and removed by the user in person. */
export class Channels {
  readonly #deps: ChannelsDeps;
  readonly #tests: FixedWindowLimiter;

  constructor(deps: ChannelsDeps) {
    this.#deps = deps;
    this.#tests = new FixedWindowLimiter(deps.clock);
  }

  /** Types that can be used. */
  get types(): ChannelType[] {
    return this.#deps.mail === undefined ? ['push', 'webhook'] : ['mail', 'push', 'webhook'];
  }

  async list(userId: string): Promise<Channel[]> {
    const rows = await selectChannels(this.#deps.db, userId);
    return Promise.all(rows.map(async (row) => this.#shown(row, await this.#open(userId, row))));
  }

  /**
   * Adds a channel. A mail address is sent a link first, and nothing else until its user has confirmed it.
   *
   * @returns with the secret of a webhook, which is not shown again
   * @throws AppError `not_configured`, `conflict`, `forbidden` for an address that may not be used, `rate_limited`
   */
  async add(userId: string, { destination: given, kinds, summaries }: NewChannelRequest): Promise<{ channel: Channel; secret?: string }> {
    const { db, userKeys, names, clock } = this.#deps;
    this.#assertUsable(given);
    const destination = given.type === 'webhook' ? { ...given, secret: `whsec_${randomBytes(SECRET_BYTES).toString('base64')}` } : given;
    const id = randomUUID();
    const known = await this.#targets(userId);
    const sealed = await sealDestination(db, userKeys, userId, id, destination);
    const now = clock.now();
    const made = await db.transaction(async (tx) => {
      await lockExistingUser(tx, userId);
      const rows = await selectChannels(tx, userId);
      if (rows.length >= MOST) throw new AppError('conflict', `There may be ${MOST} channels. Remove one first.`);
      if (known.has(targetOf(destination))) throw new AppError('conflict', 'There is such a channel already.');
      const confirmedAt = destination.type === 'mail' ? null : new Date(now);
      const row = await insertChannel(tx, { userId, id, type: destination.type, destination: sealed, kinds, summaries, confirmedAt });
      if (destination.type !== 'mail') return { row };
      return { row, link: await makeLink(tx, names, { userId, channelId: id, address: destination.address, now }) };
    }, userId);
    const { row, link } = made;
    if (link !== undefined) row.error = await this.#sendLink(userId, row.id, destination, link);
    const channel = this.#shown(row, destination);
    return destination.type === 'webhook' ? { channel, secret: destination.secret } : { channel };
  }

  /** Nothing is sent there from now on. @throws AppError `not_found` */
  async remove(userId: string, id: string): Promise<void> {
    // Locked before the channel, as where something is told.
    const isGone = await this.#deps.db.transaction(async (tx) => {
      await lockExistingUser(tx, userId);
      return deleteChannel(tx, userId, id);
    }, userId);
    if (!isGone) throw noChannel();
  }

  /**
   * Sends a test; to an address that is not confirmed, a new link.
   *
   * @returns the channel, with the error if it was not taken
   * @throws AppError `not_found`, `rate_limited`, `not_configured`
   */
  async test(userId: string, id: string): Promise<Channel> {
    const { db, tests } = this.#deps;
    this.#tests.take(userId, TESTS_PER_MINUTE);
    const row = await selectChannel(db, userId, id);
    if (row === undefined) throw noChannel();
    const destination = await this.#open(userId, row);
    this.#assertUsable(destination);
    if (row.confirmedAt === null && destination.type === 'mail') {
      const link = await this.#newLink(userId, id, destination.address);
      row.error = await this.#sendLink(userId, id, destination, link);
    } else {
      row.error = errorOf(await tests.send(id, destination));
      await noteError(db, userId, id, row.error);
    }
    return this.#shown(row, destination);
  }

  /** The address that a link is for. @returns undefined for one that was used, has expired, or is another user's */
  async addressOf(userId: string, secret: string): Promise<string | undefined> {
    const { db, clock } = this.#deps;
    const row = await selectByLink(db, userId, hashSecret(secret), new Date(clock.now()));
    return row && labelOf(await this.#open(userId, row));
  }

  /** Confirms the address of a link. @returns it, or undefined as {@link addressOf} */
  async confirm(userId: string, secret: string): Promise<string | undefined> {
    const { db, clock } = this.#deps;
    const row = await useLink(db, userId, hashSecret(secret), new Date(clock.now()));
    return row && labelOf(await this.#open(userId, row));
  }

  #assertUsable(destination: NewDestination): void {
    const { mail, outbound } = this.#deps;
    if (destination.type === 'mail') {
      if (mail === undefined) throw new AppError('not_configured', 'Mail is not set up on this server.');
      return;
    }
    outbound.check(new URL(destination.type === 'push' ? destination.subscription.endpoint : destination.url));
  }

  async #newLink(userId: string, channelId: string, address: string): Promise<string> {
    const { db, names, clock } = this.#deps;
    return db.transaction(async (tx) => {
      await lockExistingUser(tx, userId);
      return makeLink(tx, names, { userId, channelId, address, now: clock.now() });
    }, userId);
  }

  /** @returns the error */
  async #sendLink(userId: string, id: string, destination: Destination, link: string): Promise<string | null> {
    const { db, mail, publicUrl } = this.#deps;
    if (mail === undefined || destination.type !== 'mail') return null;
    const error = errorOf(await sendLink(mail, publicUrl, destination.address, link));
    await noteError(db, userId, id, error);
    return error;
  }

  async #targets(userId: string): Promise<Set<string>> {
    const rows = await selectChannels(this.#deps.db, userId);
    return new Set(await Promise.all(rows.map(async (row) => targetOf(await this.#open(userId, row)))));
  }

  #open(userId: string, row: Pick<ChannelRow, 'id' | 'destination'>): Promise<Destination> {
    return openDestination(this.#deps.db, this.#deps.userKeys, userId, row);
  }

  #shown(row: ChannelRow, destination: Destination): Channel {
    return { ...row, label: labelOf(destination) };
  }
}

function errorOf(outcome: Outcome): string | null {
  return outcome === 'sent' ? null : outcome.error;
}

function noChannel(): AppError {
  return new AppError('not_found', 'There is no such channel.');
}
