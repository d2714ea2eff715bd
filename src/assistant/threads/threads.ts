import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UIMessage } from 'ai';
import { WorkTurns } from '../../concurrency/work-turns.ts';
import { type AssociatedData, type DataKey, open, seal } from '../../crypto/envelope.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { lockExistingUser } from '../../database/user-lock.ts';
import { AppError } from '../../errors.ts';
import type { ApprovalExpiry } from '../../executor/approvals/approval-expiry.ts';
import { contextOf } from '../../executor/call/context-name.ts';
import { mayHaveGrant } from '../../executor/call/thread-grants-repository.ts';
import { deleteContext } from '../../executor/taint/taint-repository.ts';
import { ignoreDecryptionFailure } from '../../vault/keys/ignore-decryption-failure.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';
import { requestStop } from '../runs/runs-repository.ts';
import { CHOSEN_ID } from './chat-request.ts';
import { deleteMessagesAfter, insertMessage, selectMessages, selectThreadSize, updateMessage } from './messages-repository.ts';
import { openMessage, type StoredMessage, sealMessage, toStored } from './stored-message.ts';
import { asTitle, defaultTitle } from './thread-title.ts';
import {
  CURSOR,
  countThreads,
  deleteThread,
  insertThread,
  type RunRow,
  selectLastRun,
  selectSummary,
  selectThread,
  selectThreads,
  type ThreadRow,
  touchThread,
  updateSummary,
  updateTitle,
} from './threads-repository.ts';

export type { StoredMessage };

export interface ThreadsDeps {
  db: Database;
  userKeys: UserKeys;
  approvalExpiry: Pick<ApprovalExpiry, 'threadDeleted'>;
}

/** A thread as its user sees it. */
export interface Thread extends Pick<ThreadRow, 'id' | 'createdAt' | 'updatedAt' | 'status'> {
  /** One line of text that the user or a model wrote; '' if it can't be decrypted. */
  title: string;
}

/** What a model is told in place of the messages up to a position. */
export interface Summary {
  text: string;
  position: number;
}

/** A thread that is begun. */
export interface NewThread {
  /** The first message, of which the thread's title is made. */
  title: string;
  /** Whose run it is; left out: the user began it. */
  automationId?: string;
}

export interface ThreadQuery {
  /** Part of the title, in any case. */
  search?: string | undefined;
  limit: number;
  /** `next` of the page before. */
  before?: string | undefined;
}

const MAX_THREADS = 1_000;
const MAX_MESSAGES = 1_000;
/** Of the sealed contents of a thread's messages, which are read at once. */
const MAX_THREAD_BYTES = 16_000_000;
/** Titles decrypted in one turn of the event loop. */
const SEARCHED_AT_ONCE = 100;

/**
 * Conversations with the assistant. Titles, summaries and contents are encrypted with the user's key, so a search decrypts
 * the titles, whose number is limited.
 */
export class Threads {
  readonly #db: Database;
  readonly #userKeys: UserKeys;
  readonly #approvalExpiry: ThreadsDeps['approvalExpiry'];

  constructor({ db, userKeys, approvalExpiry }: ThreadsDeps) {
    this.#db = db;
    this.#userKeys = userKeys;
    this.#approvalExpiry = approvalExpiry;
  }

  /**
   * A page of a user's threads, the latest first.
   *
   * @returns `next`: where the next page begins; null: this is the last one
   * @throws AppError `invalid_request` for an invalid cursor
   */
  async list(userId: string, { search = '', limit, before }: ThreadQuery): Promise<{ threads: Thread[]; next: string | null }> {
    if (before !== undefined && !CURSOR.test(before)) throw new AppError('invalid_request', 'before: must be the "next" of a page.');
    const wanted = folded(search);
    const step = wanted === '' ? limit + 1 : SEARCHED_AT_ONCE;
    const found: { thread: Thread; cursor: string }[] = [];
    const titleOf = this.#titles(userId);
    for (let cursor = before; found.length <= limit; await nextTurn()) {
      const rows: ThreadRow[] = await selectThreads(this.#db, userId, cursor, step);
      for (const row of rows) {
        const thread = threadOf(row, await titleOf(row));
        if (folded(thread.title).includes(wanted)) found.push({ thread, cursor: row.cursor });
      }
      if (rows.length < step) break;
      cursor = rows.at(-1)?.cursor;
    }
    const page = found.slice(0, limit);
    return { threads: page.map(({ thread }) => thread), next: found.length > limit ? (page.at(-1)?.cursor ?? null) : null };
  }

  /** A thread with its messages, oldest first, and its last run. @throws AppError `not_found` */
  async read(userId: string, id: string): Promise<{ thread: Thread; messages: UIMessage[]; run: RunRow | null }> {
    const row = CHOSEN_ID.test(id) ? await selectThread(this.#db, userId, id) : undefined;
    if (row === undefined) throw noSuchThread();
    const [title, messages, run] = await Promise.all([
      this.#titles(userId)(row),
      this.messages(this.#db, userId, id),
      selectLastRun(this.#db, userId, id),
    ]);
    return { thread: threadOf(row, title), messages: messages.map(({ message }) => message), run: run ?? null };
  }

  /** @throws AppError `not_found`; `invalid_request` for a title that has no visible character */
  async rename(userId: string, id: string, given: string): Promise<void> {
    const title = asTitle(given);
    if (title === '') throw new AppError('invalid_request', 'title: must not be empty.');
    await this.write(userId, async (tx) => {
      const key = await this.#userKeys.forUser(tx, userId);
      if (!(await updateTitle(tx, userId, id, seal(key, titlePlace(userId, id), title)))) throw noSuchThread();
    });
  }

  /** Deletes a thread with all that was said in it, cancels its run and ends its pending approvals. @throws AppError `not_found` */
  async delete(userId: string, id: string): Promise<void> {
    await this.write(userId, async (tx) => {
      if (!(await this.remove(tx, userId, id))) throw noSuchThread();
    });
  }

  /** The same within {@link write}. @returns false when the user has no such thread */
  async remove(tx: Queryable, userId: string, id: string): Promise<boolean> {
    if (!CHOSEN_ID.test(id) || !(await deleteThread(tx, userId, id))) return false;
    await requestStop(tx, userId, id);
    await this.#approvalExpiry.threadDeleted(tx, userId, id);
    // After the thread: a read that taints its context locks it, and writes nothing once it is gone.
    await deleteContext(tx, userId, contextOf({ thread: id }));
    return true;
  }

  /**
   * A transaction that has locked the user, as every change to a thread requires. The user's key isn't replaced meanwhile.
   *
   * @throws AppError `invalid_token` when the user was deleted; what `work` throws
   */
  async write<Result>(userId: string, work: (tx: Queryable) => Promise<Result>): Promise<Result> {
    // Outside the transaction, because the key service may be slow.
    await this.#userKeys.forUser(this.#db, userId);
    return this.#db.transaction(async (tx) => {
      await lockExistingUser(tx, userId);
      return work(tx);
    }, userId);
  }

  /**
   * Inserts a thread, unless the user has it already, within {@link write}.
   *
   * @returns whether it is new
   * @throws AppError `invalid_request` for an id that can't be one; `conflict` when the user has too many threads
   */
  async begin(tx: Queryable, userId: string, id: string, { title, automationId }: NewThread): Promise<boolean> {
    if (!CHOSEN_ID.test(id)) throw new AppError('invalid_request', 'id: must have 1 to 64 letters, digits, "_" and "-".');
    const isOfRun = automationId !== undefined;
    const key = await this.#userKeys.forUser(tx, userId);
    const isNew = await insertThread(tx, userId, id, seal(key, titlePlace(userId, id), defaultTitle(title)), automationId ?? null);
    // A run's conversation may be gone: another one of its name would have no grant, and may do anything.
    if (isNew && !isOfRun && mayHaveGrant(id)) throw new AppError('invalid_request', 'id: such ids are of runs of automations.');
    if (isNew && !isOfRun && (await countThreads(tx, userId)) > MAX_THREADS) {
      throw new AppError('conflict', `There are ${MAX_THREADS} conversations. Delete some of them first.`);
    }
    return isNew;
  }

  /**
   * Adds a message to the end of a thread, within {@link write}.
   *
   * @returns its position
   * @throws AppError `not_found` when the thread was deleted; `conflict` when it has a message with this id, or is full;
   * `too_large`, `invalid_request`
   */
  async append(tx: Queryable, userId: string, threadId: string, message: UIMessage): Promise<number> {
    const sealed = sealMessage(await this.#userKeys.forUser(tx, userId), { userId, threadId }, message);
    if (!(await touchThread(tx, userId, threadId))) throw noSuchThread();
    const { messages, bytes } = await selectThreadSize(tx, userId, threadId);
    // An answer always has room: its run has been made, and has to end.
    if (message.role === 'user' && (messages >= MAX_MESSAGES || bytes + sealed.content.length > MAX_THREAD_BYTES)) {
      throw new AppError('conflict', 'This conversation is too long to be continued. Begin another one.');
    }
    const position = await insertMessage(tx, userId, threadId, sealed);
    if (position === undefined) throw new AppError('conflict', 'This conversation has a message with this id already.');
    return position;
  }

  /**
   * Replaces the content of a message, within {@link write}.
   *
   * @throws AppError `not_found` when there is no such message of this role; `too_large`, `invalid_request`
   */
  async replace(tx: Queryable, userId: string, threadId: string, message: UIMessage): Promise<void> {
    const sealed = sealMessage(await this.#userKeys.forUser(tx, userId), { userId, threadId }, message);
    if (!(await updateMessage(tx, userId, threadId, sealed))) throw noSuchThread();
    await touchThread(tx, userId, threadId);
  }

  /** The messages of a thread, oldest first, without those that can't be decrypted. */
  async messages(db: Queryable, userId: string, threadId: string): Promise<StoredMessage[]> {
    const keyFor = this.#userKeys.forRecords(db, userId);
    const rows = await selectMessages(db, userId, threadId);
    const opened: StoredMessage[] = [];
    const turns = new WorkTurns();
    for (const row of rows) {
      const message = await ignoreDecryptionFailure(async () => openMessage(await keyFor(row.content), { userId, threadId }, row));
      if (message !== undefined) opened.push(toStored(row, message));
      await turns.done(row.content.length);
    }
    return opened;
  }

  /**
   * Deletes the messages after one, and a summary of them, within {@link write}.
   *
   * @throws AppError `not_found` when there is no such message
   */
  async dropAfter(tx: Queryable, userId: string, threadId: string, messageId: string): Promise<void> {
    const position = await deleteMessagesAfter(tx, userId, threadId, messageId);
    if (position === undefined) throw noSuchThread();
    const summary = await this.summary(tx, userId, threadId);
    if (summary !== undefined && summary.position > position) await updateSummary(tx, userId, threadId, null);
  }

  /** What stands for the first messages; undefined: there is none, or it can't be decrypted. */
  async summary(db: Queryable, userId: string, threadId: string): Promise<Summary | undefined> {
    const sealed = await selectSummary(db, userId, threadId);
    if (sealed === null) return undefined;
    return ignoreDecryptionFailure(async () => {
      const key = await this.#userKeys.toOpen(db, userId, sealed);
      return JSON.parse(open(key, summaryPlace(userId, threadId), sealed).toString('utf8')) as Summary;
    });
  }

  /** Within {@link write}. */
  async setSummary(tx: Queryable, userId: string, threadId: string, summary: Summary): Promise<void> {
    const key = await this.#userKeys.forUser(tx, userId);
    await updateSummary(tx, userId, threadId, seal(key, summaryPlace(userId, threadId), JSON.stringify(summary)));
  }

  /** Decrypts titles of a user; those that can't be decrypted are empty. */
  #titles(userId: string): (row: Pick<ThreadRow, 'id' | 'title'>) => Promise<string> {
    const keyFor = this.#userKeys.forRecords(this.#db, userId);
    return async ({ id, title }) => {
      if (title === null) return '';
      return (await ignoreDecryptionFailure(async () => openTitle(await keyFor(title), userId, id, title))) ?? '';
    };
  }
}

/** @throws AppError `internal` when it can't be decrypted */
function openTitle(key: DataKey, userId: string, id: string, title: Buffer): string {
  return open(key, titlePlace(userId, id), title).toString('utf8');
}

function threadOf({ id, createdAt, updatedAt, status }: ThreadRow, title: string): Thread {
  return { id, title, createdAt, updatedAt, status };
}

/** As a search compares texts. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim();
}

function titlePlace(userId: string, rowId: string): AssociatedData {
  return { table: 'threads', column: 'title', userId, rowId };
}

function summaryPlace(userId: string, rowId: string): AssociatedData {
  return { table: 'threads', column: 'summary', userId, rowId };
}

/** For another user's thread, too. */
function noSuchThread(): AppError {
  return new AppError('not_found', 'There is no such conversation.');
}
