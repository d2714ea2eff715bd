import pLimit from 'p-limit';
import type { Tinypool } from 'tinypool';
import { AppError } from '../errors.ts';
import type { Portable } from './portable.ts';
import { UserConcurrency } from './user-concurrency.ts';
import type { WorkOutcome } from './worker.ts';

export interface WorkOptions {
  /** For whom it is: one piece of a user's runs at a time, so that nobody's many pieces keep others waiting. */
  userId: string;
  /** Ends the work, and the thread that is at it. */
  signal?: AbortSignal;
  /** Buffers of the input that are handed over instead of copied; the caller can't use them any more. */
  transfer?: readonly ArrayBuffer[];
}

const MAX_THREADS = 2;
/** Of one user. Whoever comes beyond would wait longer than its deadline. */
const MAX_WAITING = 50;
const IDLE_MS = 20_000;
/** Honest work of the largest size takes less than a second; ten times that on a machine that has much else to do. */
const WORK_MS = 10_000;
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

const queues = new UserConcurrency(1);
/** The line in front of the threads: the pool's own forgets whoever waits when a thread is ended. */
const line = pLimit(MAX_THREADS);
let pool: Promise<Tinypool> | undefined;
let begun = 0;

/** Pieces of work that were given to a thread since this process began. */
export function workBegun(): number {
  return begun;
}

/**
 * Runs a portable function on a worker thread, so that what strangers send keeps nobody else waiting. The first call
 * starts a thread; threads without work end after a while and never keep the process alive.
 *
 * @throws AppError what the function throws; `too_large` when it takes more time or memory than it may, `unavailable`
 * when too many wait, and the signal's reason when it aborts
 */
export async function offThread<Input, Output>(work: Portable<Input, Output>, input: Input, options: WorkOptions): Promise<Output> {
  const { userId } = options;
  if (queues.waiting(userId) >= MAX_WAITING) {
    throw new AppError('unavailable', 'Too many large contents are being read for this user. Try again in a moment.', { retryAfter: 5 });
  }
  const outcome = await queues.run(userId, () => line(() => carryOut(work, input, options)));
  if ('output' in outcome) return outcome.output as Output;
  const { code, message, cause, ...facts } = outcome.refusal;
  throw new AppError(code, message, { ...facts, ...(cause !== undefined && { cause: new Error(cause) }) });
}

async function carryOut<Input, Output>(
  { module, name }: Portable<Input, Output>,
  input: Input,
  { signal, transfer = [] }: WorkOptions,
): Promise<WorkOutcome> {
  signal?.throwIfAborted();
  const ending = AbortSignal.any([AbortSignal.timeout(WORK_MS), ...(signal === undefined ? [] : [signal])]);
  begun += 1;
  try {
    return await (await openPool()).run({ module, name, input }, { signal: ending, transferList: [...transfer] });
  } catch (error) {
    signal?.throwIfAborted();
    if (ending.aborted || isOutOfMemory(error)) throw tooMuchWork(error);
    throw error;
  }
}

/** A load that failed is tried again by the next piece of work. */
function openPool(): Promise<Tinypool> {
  pool ??= createPool().catch((error: unknown) => {
    pool = undefined;
    throw error;
  });
  return pool;
}

async function createPool(): Promise<Tinypool> {
  const { Tinypool: Pool } = await import('tinypool');
  const made = new Pool({
    filename: new URL('worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: MAX_THREADS,
    idleTimeout: IDLE_MS,
    resourceLimits: MEMORY,
    // What reads strangers' words needs neither this process's secrets nor its options.
    env: {},
    execArgv: [],
  });
  // Of a thread that dies without work nobody needs to hear; unheard, it would end the process.
  made.on('error', () => {});
  return made;
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooMuchWork(error: unknown): AppError {
  const cause = new Error(`off thread: ${error instanceof Error ? error.name : 'failed'}`);
  return new AppError('too_large', 'This takes more work to read than one request may have. Ask for a smaller part of it.', { cause });
}
