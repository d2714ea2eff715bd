import pg from 'pg';
import { boundedMap } from '../rate-limit/bounded-map.ts';

/** Kept texts of arrays, and the longest of them. */
const KEPT = 1_000;
const LONGEST = 1_000;
/** Object ids of text[] and uuid[] (pg_type.dat). */
const ARRAYS: readonly number[] = [1009, 2951];

const known = boundedMap<readonly string[]>(KEPT);

/** For statements of every call: equal arrays of texts or uuids are parsed once and shared, so that they must not be changed. */
export const SHARED_ARRAYS: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') => {
    const parse = pg.types.getTypeParser(oid, format);
    return ARRAYS.includes(oid) ? (text: string) => known.get(text) ?? remembered(text, parse(text)) : parse;
  }) as pg.CustomTypesConfig['getTypeParser'],
};

function remembered(text: string, parsed: string[]): readonly string[] {
  if (text.length > LONGEST) return parsed;
  const shared = Object.freeze(parsed);
  known.set(text, shared);
  return shared;
}
