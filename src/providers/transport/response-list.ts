import { z } from 'zod';
import { isObject } from '../../validation/is-object.ts';

/**
 * A list in a response. Unlike zod's own, the check ends at the first invalid item: collecting every issue of a large
 * invalid response takes minutes and gigabytes.
 *
 * @param max items it may contain
 */
export function list<S extends z.ZodType>(item: S, max = Number.POSITIVE_INFINITY) {
  return z
    .custom<unknown[]>((value) => Array.isArray(value) && value.length <= max, 'must be a list of no more items than documented')
    .transform((items, context): z.output<S>[] => {
      const read = new Array<z.output<S>>(items.length);
      for (let index = 0; index < items.length; index += 1) {
        const parsed = item.safeParse(items[index]);
        if (!parsed.success) {
          const path = [index, ...(parsed.error.issues[0]?.path ?? [])];
          context.issues.push({ code: 'custom', input: items[index], path, message: 'is not what the provider documents' });
          return z.NEVER;
        }
        read[index] = parsed.data;
      }
      return read;
    });
}

/** The rows of a list that could be read. */
export interface ReadableRows<Row> {
  rows: Row[];
  /** Number of the others, which are left out. */
  unreadable: number;
}

/**
 * A list in which a row that is not as documented doesn't make the response invalid: it is left out and counted.
 *
 * @param max rows it may contain
 */
export function readableRows<S extends z.ZodType>(row: S, max = Number.POSITIVE_INFINITY) {
  return list(z.unknown(), max).transform((items): ReadableRows<z.output<S>> => {
    const rows: z.output<S>[] = [];
    for (const item of items) {
      const parsed = row.safeParse(item);
      if (parsed.success) rows.push(parsed.data);
    }
    return { rows, unreadable: items.length - rows.length };
  });
}

/** The same for a list that may be null or missing, which means that it is empty. */
export function optionalRows<S extends z.ZodType>(row: S, max?: number) {
  return readableRows(row, max)
    .nullish()
    .transform((read): ReadableRows<z.output<S>> => read ?? { rows: [], unreadable: 0 });
}

/** A list whose items are checked when they are used. */
export const unchecked = z.custom<readonly unknown[]>((value) => Array.isArray(value), 'must be a list');

/** An object with keys of the provider's choice; checked like a {@link list}. */
export function record<S extends z.ZodType>(item: S) {
  return z.custom<object>(isObject, 'must be an object').transform((given, context): Record<string, z.output<S>> => {
    const read = new Map<string, z.output<S>>();
    for (const [name, one] of Object.entries(given)) {
      const parsed = item.safeParse(one);
      if (!parsed.success) {
        context.issues.push({ code: 'custom', input: one, path: [], message: 'is not what the provider documents' });
        return z.NEVER;
      }
      read.set(name, parsed.data);
    }
    return Object.fromEntries(read);
  });
}
