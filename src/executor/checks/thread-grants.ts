import type { Database } from '../../database/database.ts';
import { CONCURRENT_BATCHES, StatementBatcher } from '../../database/statement-batcher.ts';
import { type AskedThread, type FoundThread, selectThreadGrants, type ThreadGrant } from '../call/thread-grants-repository.ts';
import { threadDeleted } from '../taint/taint.ts';

/** What the assistant may do in conversations that users didn't begin. Concurrent calls share a statement. */
export class ThreadGrants {
  readonly #threads: StatementBatcher<AskedThread, FoundThread>;

  constructor(db: Database) {
    this.#threads = new StatementBatcher((asked) => selectThreadGrants(db, asked), CONCURRENT_BATCHES);
  }

  /** @throws AppError `aborted` when the conversation was deleted */
  async of(userId: string, threadId: string): Promise<ThreadGrant | undefined> {
    const { isKept, grant } = await this.#threads.add({ userId, threadId });
    if (!isKept) throw threadDeleted();
    return grant;
  }
}
