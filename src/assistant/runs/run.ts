import type { UIMessageChunk } from 'ai';
import type { Clock, Timer } from '../../clock/clock.ts';
import { AppError } from '../../errors.ts';
import { ChunkLog } from '../stream/chunk-log.ts';
import type { ChunkWriter } from '../stream/chunk-writer.ts';
import { OpenParts } from '../stream/open-parts.ts';

/** Why a run ended before its model had finished. `lost`: the database no longer lists it; nothing more is stored. */
export type StopReason = 'cancelled' | 'timeout' | 'interrupted' | 'lost';

export interface RunIdentity {
  id: string;
  userId: string;
  threadId: string;
  /** Of the assistant's message. */
  messageId: string;
}

/** One answer of the assistant on its way, on the replica that runs it. */
export class Run implements RunIdentity {
  readonly id: string;
  readonly userId: string;
  readonly threadId: string;
  readonly messageId: string;
  readonly log = new ChunkLog();
  readonly parts = new OpenParts();
  /** Chunks after the first one that rebuild what the front end that began this run has already. */
  rebuilt = 0;
  readonly #maxBytes: number;
  readonly #writer: ChunkWriter;
  readonly #stopping = new AbortController();
  readonly #timer: Timer;
  /** Calls that the model has finished, and who waits for that. */
  readonly #told = new Map<string, PromiseWithResolvers<void>>();
  #reason: StopReason | undefined;

  /** @param writer given the run, because it stops it */
  constructor(
    { id, userId, threadId, messageId }: RunIdentity,
    limits: { runMs: number; runBytes: number },
    clock: Clock,
    writer: (run: Run) => ChunkWriter,
  ) {
    this.id = id;
    this.userId = userId;
    this.threadId = threadId;
    this.messageId = messageId;
    this.#maxBytes = limits.runBytes;
    this.#writer = writer(this);
    this.#timer = clock.after(limits.runMs, () => this.stop('timeout'));
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  get stopReason(): StopReason | undefined {
    return this.#reason;
  }

  /** Nothing more is stored of it. */
  get isLost(): boolean {
    return this.#reason === 'lost';
  }

  /** Sends a chunk to all readers. */
  emit(chunk: UIMessageChunk): void {
    if (this.isLost) return;
    const before = this.log.bytes;
    this.log.append(chunk);
    this.parts.add(chunk);
    this.#writer.add(chunk, this.log.bytes - before);
    if (chunk.type === 'tool-input-available') this.#call(chunk.toolCallId).resolve();
  }

  /** @throws AppError `too_large` */
  assertRoom(): void {
    if (this.log.bytes > this.#maxBytes) throw new AppError('too_large', 'The answer, with what was read for it, is too long.');
  }

  /** Stops the model and its tools. The first reason counts, unless the run is lost. */
  stop(reason: StopReason): void {
    if (this.#reason === undefined || reason === 'lost') this.#reason = reason;
    this.abandon();
  }

  /** Ends the model's work after a failure, without a reason of its own. */
  abandon(): void {
    for (const { resolve } of this.#told.values()) resolve();
    this.#stopping.abort();
  }

  /**
   * Resolves once it is stored that a call is being made, so that a killed process leaves a trace of it.
   *
   * @throws AppError `unavailable` when it can't be stored
   */
  async recorded(toolCallId: string): Promise<void> {
    if (!this.signal.aborted) await this.#call(toolCallId).promise;
    if (!(await this.#writer.flush())) throw new AppError('unavailable', 'The call could not be recorded, so it was not made.');
  }

  /** Resolves once what was sent so far is stored, unless the database is unavailable. */
  flush(): Promise<boolean> {
    return this.#writer.flush();
  }

  /** Ends the readers. */
  end(): void {
    this.#timer.cancel();
    this.log.end();
  }

  #call(toolCallId: string): PromiseWithResolvers<void> {
    const known = this.#told.get(toolCallId) ?? Promise.withResolvers<void>();
    this.#told.set(toolCallId, known);
    return known;
  }
}
