import { validate as validateSchema } from '@cfworker/json-schema';
import { INVISIBLE } from '../actions/shared/display-text.ts';
import { type Clock, timeoutSignal } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import { offThread } from '../off-thread/off-thread.ts';
import { workerTask } from '../off-thread/worker-task.ts';
import { cutText } from '../validation/cut-text.ts';
import type { PlainSchema } from './plain-schema.ts';

/** Subschemas × values that are checked on the main thread: some milliseconds. */
const MAIN_THREAD_COST = 20_000;
/** Everything larger is checked on another thread, for no longer than this. */
const CHECK_MS = 2_000;
const MAX_MESSAGE = 300;

/** Keywords whose errors only say that there is one inside. */
const CONTAINERS = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'items', 'prefixItems', 'contains', 'allOf'],
  ...['dependentSchemas', 'then', 'else', 'if'],
]);

interface CheckInput {
  schema: PlainSchema['schema'];
  value: unknown;
}

/** {@link problemOf} on another thread. */
export const checkedOffThread = workerTask(import.meta.url, 'checkedOffThread', ({ schema, value }: CheckInput) =>
  problemOf(schema, value),
);

/**
 * Checks a value against a schema that a server of others wrote. Neither can occupy the main thread: what may take long is checked
 * on another one, within a time limit.
 *
 * @returns what is wrong, beginning with the path of the value; undefined: nothing is
 * @throws AppError `too_large` when it takes too long, `unavailable`
 */
export async function problemIn(
  { schema, size, hasPatterns }: PlainSchema,
  value: unknown,
  { userId, clock }: { userId: string; clock: Clock },
): Promise<string | undefined> {
  if (!hasPatterns && size * valuesIn(value) <= MAIN_THREAD_COST) return problemOf(schema, value);
  const signal = timeoutSignal(clock, CHECK_MS);
  try {
    return await offThread(checkedOffThread, { schema, value }, { userId, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new AppError('too_large', 'Checking this against the schema of the tool takes too long.', { cause: error });
  }
}

function problemOf(schema: PlainSchema['schema'], value: unknown): string | undefined {
  const result = checked(schema, value);
  if (result === undefined || result.valid) return undefined;
  const found = result.errors.find(({ keyword }) => !CONTAINERS.has(keyword));
  const path = (found?.instanceLocation ?? '#').split('/').slice(1).join('.');
  const message = found === undefined ? 'is not valid' : found.keyword === 'false' ? 'is not an argument of this tool' : found.error;
  // It may repeat texts of the schema and of the value.
  return cutText(`${path === '' ? '' : `${path}: `}${message}`, MAX_MESSAGE).replace(INVISIBLE, ' ');
}

/** @returns undefined: the schema itself is not valid, so that it says nothing; the server checks what it receives */
function checked(schema: PlainSchema['schema'], value: unknown): ReturnType<typeof validateSchema> | undefined {
  try {
    return validateSchema(value, schema, '2020-12', {});
  } catch {
    return undefined;
  }
}

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, one) => sum + valuesIn(one), 1);
}
