import type { z } from 'zod';
import { AppError } from '../../errors.ts';
import { offThread, owned, type WorkOptions } from '../../off-thread/off-thread.ts';
import { findWorkerTask, type WorkerTask, workerTask } from '../../off-thread/worker-task.ts';
import { countValues, parseJson, tidy, unreadableResponse } from './response-json.ts';

/** Larger responses are parsed off the main thread, which would be blocked for too long. */
export const LARGE_BYTES = 256 * 1024;
/** So are responses with more values than this. */
const MANY_VALUES = 10_000;
/** Most values of a large response that has only a schema, because schemas run on the main thread. */
const MAX_PLAIN_VALUES = 40_000;

interface ReaderInput<Args> {
  /** Parsed JSON, no deeper than MAX_DEPTH in response-json.ts. */
  response: unknown;
  args: Args;
}

/** Extracts what is used from a response, on any thread: see {@link workerTask}. Its result should be small. */
export interface ResponseReader<Args, Result> extends WorkerTask<ReaderInput<Args>, Result> {
  /** Whether it may be slow even for a short response. */
  isSlow?(args: Args): boolean;
}

/** How a response is read: by a reader, or, where responses are small, by a schema. */
export type ResponseFormat<Args, Result> = ResponseReader<Args, Result> | z.ZodType<Result>;

/** @param module `import.meta.url` of the module that exports it under `name` */
export function responseReader<Args, Result>(
  module: string,
  name: string,
  read: (response: unknown, args: Args) => Result | Promise<Result>,
  isSlow?: (args: Args) => boolean,
): ResponseReader<Args, Result> {
  return {
    ...workerTask<ReaderInput<Args>, Result>(module, name, ({ response, args }) => read(response, args)),
    ...(isSlow && { isSlow }),
  };
}

/** A reader that checks against a schema. It must be exported like any reader. */
export function schemaReader<S extends z.ZodType>(module: string, name: string, schema: S): ResponseReader<undefined, z.output<S>> {
  return responseReader(module, name, (response) => checked(schema, response));
}

/**
 * The part of a response that matches the schema.
 *
 * @throws AppError `provider_error`, whose cause names the first invalid fields
 */
export function checked<S extends z.ZodType>(schema: S, response: unknown): z.output<S> {
  const parsed = schema.safeParse(response);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.slice(0, 10).map(({ path }) => path.slice(0, 10).join('.'));
  throw unreadableResponse(`unexpected ${fields.filter((field) => field !== '').join(', ') || 'response'}`);
}

/**
 * Parses a response's JSON, off the main thread if it is large.
 *
 * @param bytes are transferred to the other thread, if they have a buffer of their own
 * @param nulls whether fields that are null are dropped; see {@link tidy}
 * @throws AppError `provider_error` when it is not as expected; what {@link offThread} throws
 */
export function readResponse<Args, Result>(
  bytes: Uint8Array,
  understanding: ResponseFormat<Args, Result>,
  args: Args,
  work: WorkOptions,
  nulls: 'dropped' | 'kept' = 'dropped',
): Result | Promise<Result> {
  const isSlow = 'run' in understanding && understanding.isSlow?.(args) === true;
  // Each value takes at least a byte.
  const mayBeMany = bytes.length >= MANY_VALUES;
  if (isSlow || bytes.length > LARGE_BYTES || (mayBeMany && countValues(bytes) > MANY_VALUES)) {
    return readOffThread(owned(bytes), understanding, args, work, nulls);
  }
  const response = parsed(bytes, nulls);
  return 'run' in understanding ? understanding.run({ response, args }) : checked(understanding, response);
}

async function readOffThread<Args, Result>(
  bytes: Uint8Array<ArrayBuffer>,
  understanding: ResponseFormat<Args, Result>,
  args: Args,
  work: WorkOptions,
  nulls: 'dropped' | 'kept',
): Promise<Result> {
  const reader = 'run' in understanding ? { module: understanding.module, name: understanding.name } : undefined;
  const input = { bytes, reader, args, nulls };
  const result = await offThread(digest, input, { ...work, transfer: [bytes.buffer] });
  return 'run' in understanding ? (result as Result) : checked(understanding, result);
}

function parsed(bytes: Uint8Array, nulls: 'dropped' | 'kept'): unknown {
  const response = parseJson(bytes);
  // Checked before the schema, which may accept any value: a page with status 200 is not JSON.
  if (response === undefined) throw unreadableResponse('not JSON');
  tidy(response, nulls);
  return response;
}

interface DigestInput {
  bytes: Uint8Array;
  reader: Pick<WorkerTask<unknown, unknown>, 'module' | 'name'> | undefined;
  args: unknown;
  nulls: 'dropped' | 'kept';
}

/** Runs on the other thread and returns the reader's result. */
export const digest = workerTask(import.meta.url, 'digest', async ({ bytes, reader, args, nulls }: DigestInput): Promise<unknown> => {
  const values = countValues(bytes);
  if (reader === undefined && values > MAX_PLAIN_VALUES) throw new AppError('too_large', 'The provider’s response is too large.');
  const response = parsed(bytes, nulls);
  return reader === undefined ? response : (await findWorkerTask(reader)).run({ response, args });
});
