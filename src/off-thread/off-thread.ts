import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Tinypool } from 'tinypool';
import { type Clock, systemClock, timeoutSignal } from '../clock/clock.ts';
import { loadOnce } from '../concurrency/load-once.ts';
import { UserConcurrency } from '../concurrency/user-concurrency.ts';
import { AppError, unavailable } from '../errors.ts';
import { OutOfBuffers, ownThread } from './own-thread.ts';
import { threadOptions } from './thread-options.ts';
import type { WorkOutcome } from './worker.ts';
import type { WorkerTask } from './worker-task.ts';

export interface WorkOptions {
  /** Work of one user runs sequentially, so that it does not delay that of other users. */
  userId: string;
  /** Ends the work and its thread. */
  signal?: AbortSignal;
  /** On a thread of its own whose buffers are watched: for parsers of whole file formats. */
  isOwn?: boolean;
  /** Buffers of the input that are transferred and not copied; the caller can't use them afterwards. */
  transfer?: readonly ArrayBuffer[];
  /** Limits the time of the work; the machine's if unset. */
  clock?: Clock;
}

const MAX_THREADS = 2;
/** Per user. Further work would wait longer than its deadline. */
const MAX_WAITING = 50;
const IDLE_MS = 20_000;
/** Work of the largest size takes less than a second; ten times that on a loaded machine. */
const WORK_MS = 10_000;

/** The pool's own queue is not used: it loses its tasks when a thread is ended. */
const queue = new UserConcurrency(1, MAX_THREADS);
const openPool = loadOnce(createPool);
let begun = 0;

/** Tasks assigned to a thread since this process started. */
export function workBegun(): number {
  return begun;
}

/**
 * Runs a task on a worker thread, so that large external input does not block other requests. Threads start
 * on demand, end when idle, and do not keep the process alive.
 *
 * @throws AppError that the function throws; `too_large` when it exceeds its time or memory, `unavailable` when too much
 * work waits, and the signal's reason when it aborts
 */
export async function offThread<Input, Output>(work: WorkerTask<Input, Output>, input: Input, options: WorkOptions): Promise<Output> {
  const { userId } = options;
  if (queue.waiting(userId) >= MAX_WAITING) {
    throw unavailable('Too many large contents are being read for this user. Try again in a moment.');
  }
  const outcome = await queue.run(userId, () => carryOut(work, input, options));
  // Copying a large result to this thread has taken the time of one turn.
  await nextTurn();
  if ('output' in outcome) return outcome.output as Output;
  const { code, message, cause, ...facts } = outcome.refusal;
  throw new AppError(code, message, { ...facts, ...(cause !== undefined && { cause: new Error(cause) }) });
}

async function carryOut<Input, Output>(
  { module, name }: WorkerTask<Input, Output>,
  input: Input,
  { signal, isOwn = false, transfer = [], clock = systemClock }: WorkOptions,
): Promise<WorkOutcome> {
  signal?.throwIfAborted();
  const ending = AbortSignal.any([timeoutSignal(clock, WORK_MS), ...(signal === undefined ? [] : [signal])]);
  begun += 1;
  const order = { module, name, input };
  try {
    if (isOwn) return await ownThread(order, ending, transfer);
    return await (await openPool()).run(order, { signal: ending, transferList: [...transfer] });
  } catch (error) {
    signal?.throwIfAborted();
    if (ending.aborted || isOutOfMemory(error)) throw tooMuchWork(error);
    throw error;
  }
}

async function createPool(): Promise<Tinypool> {
  const { Tinypool: Pool } = await import('tinypool');
  const made = new Pool({
    ...threadOptions(),
    filename: new URL('worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: MAX_THREADS,
    idleTimeout: IDLE_MS,
  });
  // Without a listener, the error of an idle thread would end the process.
  made.on('error', () => {});
  return made;
}

function isOutOfMemory(error: unknown): boolean {
  if (error instanceof OutOfBuffers) return true;
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooMuchWork(error: unknown): AppError {
  const cause = new Error(`off thread: ${error instanceof Error ? error.name : 'failed'}`);
  return new AppError('too_large', 'This is too large to be read in one request. Ask for a smaller part of it.', { cause });
}

/** The bytes in a buffer of their own, which can be kept or transferred to another thread. */
export function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isWhole = bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
  return isWhole ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}
