import type { UIMessageChunk } from 'ai';
import { WorkTurns } from '../../concurrency/work-turns.ts';
import { type AssociatedData, open, seal } from '../../crypto/envelope.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { StatementBatcher } from '../../database/statement-batcher.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';
import { type ChunkRow, insertChunks, selectChunks } from './chunks-repository.ts';

/** Smaller, because each item may have some kilobytes. */
const BATCH = { batchSize: 64 };

type RunOf = { id: string; userId: string };

/** The chunks of runs in the database, encrypted with their users' keys, for other replicas and for later. */
export class ChunkStore {
  readonly #userKeys: UserKeys;
  readonly #batcher: StatementBatcher<ChunkRow, boolean>;
  readonly #db: Database;

  constructor(db: Database, userKeys: UserKeys) {
    this.#db = db;
    this.#userKeys = userKeys;
    this.#batcher = new StatementBatcher(async (parts) => {
      const live = await insertChunks(db, parts);
      return parts.map(({ runId }) => live.has(runId));
    }, BATCH);
  }

  /** Stores a part. @returns false when the run is over, or its user was deleted */
  async store(run: RunOf, sequence: number, chunks: readonly UIMessageChunk[]): Promise<boolean> {
    return this.#batcher.add(await this.#sealed(this.#db, run, sequence, chunks));
  }

  /** The same within a transaction. */
  async storeWithin(tx: Queryable, run: RunOf, sequence: number, chunks: readonly UIMessageChunk[]): Promise<void> {
    await insertChunks(tx, [await this.#sealed(tx, run, sequence, chunks)]);
  }

  /** The chunks from a sequence on. @throws AppError `internal` when they can't be decrypted */
  async read(db: Queryable, run: RunOf, from: number): Promise<UIMessageChunk[]> {
    const keyFor = this.#userKeys.forRecords(db, run.userId);
    const read: UIMessageChunk[] = [];
    const turns = new WorkTurns();
    for (const { sequence, chunks } of await selectChunks(db, run.userId, run.id, from)) {
      const text = open(await keyFor(chunks), placeOf(run, sequence), chunks).toString('utf8');
      for (const chunk of (JSON.parse(text) as UIMessageChunk[]).slice(Math.max(0, from - sequence))) read.push(chunk);
      await turns.done(chunks.length);
    }
    return read;
  }

  async #sealed(db: Queryable, run: RunOf, sequence: number, chunks: readonly UIMessageChunk[]): Promise<ChunkRow> {
    const key = await this.#userKeys.forUser(db, run.userId);
    return { userId: run.userId, runId: run.id, sequence, chunks: seal(key, placeOf(run, sequence), JSON.stringify(chunks)) };
  }
}

function placeOf({ id, userId }: RunOf, sequence: number): AssociatedData {
  return { table: 'run_chunks', column: 'chunks', userId, rowId: `${id} ${sequence}` };
}
