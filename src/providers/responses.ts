import type { z } from 'zod';
import { AppError } from '../errors.ts';
import { offThread, type WorkOptions } from '../threads/off-thread.ts';
import { findPortable, type Portable, portable } from '../threads/portable.ts';
import { countValues, notUnderstood, parseJson, tidy } from './response-json.ts';

/** Larger answers are understood off the main thread: parsing them takes too long for whoever else waits. */
export const LARGE_BYTES = 256 * 1024;
/** So are those of more values than this, however short. */
const MANY_VALUES = 10_000;
/** What a schema without a reader of its own may be given of a large answer: it is checked on the main thread. */
const MAX_PLAIN_VALUES = 40_000;

interface ReaderInput<Args> {
  /** Parsed JSON, nowhere deeper than anything that is read. */
  answer: unknown;
  args: Args;
}

/** Makes of an answer what of it is used, on whichever thread: see {@link portable}. Its result should be small. */
export interface AnswerReader<Args, Result> extends Portable<ReaderInput<Args>, Result> {
  /** Whether it may take more than its share of time even over a short answer. */
  isSlow?(args: Args): boolean;
}

/** How an answer is understood: by a reader, or where little is expected by a schema alone. */
export type Understanding<Args, Result> = AnswerReader<Args, Result> | z.ZodType<Result>;

/** @param module `import.meta.url` of the module that exports it as `name` */
export function answerReader<Args, Result>(
  module: string,
  name: string,
  read: (answer: unknown, args: Args) => Result | Promise<Result>,
  isSlow?: (args: Args) => boolean,
): AnswerReader<Args, Result> {
  return { ...portable<ReaderInput<Args>, Result>(module, name, ({ answer, args }) => read(answer, args)), ...(isSlow && { isSlow }) };
}

/** A reader that checks against a schema, which has to be exported like any reader. */
export function schemaReader<S extends z.ZodType>(module: string, name: string, schema: S): AnswerReader<undefined, z.output<S>> {
  return answerReader(module, name, (answer) => checked(schema, answer));
}

/**
 * What of an answer is used.
 *
 * @throws AppError `provider_error`, whose cause names the first fields at fault
 */
export function checked<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.slice(0, 10).map(({ path }) => path.slice(0, 10).join('.'));
  throw notUnderstood(`unexpected ${fields.filter((field) => field !== '').join(', ') || 'answer'}`);
}

/**
 * Understands an answer's JSON, off the main thread where there is much of it.
 *
 * @param bytes a buffer of its own, which may be handed to the other thread
 * @param nulls whether fields that are null are dropped; see {@link tidy}
 * @throws AppError `provider_error` when it isn't what was expected; what {@link offThread} throws
 */
export async function understand<Args, Result>(
  bytes: Uint8Array<ArrayBuffer>,
  understanding: Understanding<Args, Result>,
  args: Args,
  work: WorkOptions,
  nulls: 'dropped' | 'kept' = 'dropped',
): Promise<Result> {
  const isSlow = 'run' in understanding && understanding.isSlow?.(args) === true;
  if (!isSlow && bytes.length <= LARGE_BYTES && countValues(bytes) <= MANY_VALUES) {
    const answer = parsed(bytes, nulls);
    return 'run' in understanding ? understanding.run({ answer, args }) : checked(understanding, answer);
  }
  const reader = 'run' in understanding ? { module: understanding.module, name: understanding.name } : undefined;
  const input = { bytes, reader, args, nulls };
  const result = await offThread(digest, input, { ...work, transfer: [bytes.buffer] });
  return 'run' in understanding ? (result as Result) : checked(understanding, result);
}

function parsed(bytes: Uint8Array, nulls: 'dropped' | 'kept'): unknown {
  const answer = parseJson(bytes);
  // Told from the schema's refusals: some schemas take anything, and a page with status 200 is not anything.
  if (answer === undefined) throw notUnderstood('not JSON');
  tidy(answer, nulls);
  return answer;
}

interface DigestInput {
  bytes: Uint8Array;
  reader: Pick<Portable<unknown, unknown>, 'module' | 'name'> | undefined;
  args: unknown;
  nulls: 'dropped' | 'kept';
}

/** The other thread's part: what comes back is what the reader makes of it. */
export const digest = portable(import.meta.url, 'digest', async ({ bytes, reader, args, nulls }: DigestInput): Promise<unknown> => {
  const values = countValues(bytes);
  if (reader === undefined && values > MAX_PLAIN_VALUES) throw new AppError('too_large', 'The provider’s answer is too large.');
  const answer = parsed(bytes, nulls);
  return reader === undefined ? answer : (await findPortable(reader)).run({ answer, args });
});
