import { expect, it } from 'vitest';
import { SHARED_ARRAYS } from '../../../src/database/shared-arrays.ts';

const TEXTS = 1009;

it('equal arrays are parsed once, and nobody can change them for others', () => {
  const parse = SHARED_ARRAYS.getTypeParser(TEXTS as never, 'text') as (text: string) => string[];
  const shared = parse('{a,"b,c",NULL}');
  expect(shared).toEqual(['a', 'b,c', null]);
  expect(parse('{a,"b,c",NULL}')).toBe(shared);
  expect(() => shared.push('d')).toThrow(TypeError);
});

it('long arrays are not kept, and of others a bounded number', () => {
  const parse = SHARED_ARRAYS.getTypeParser(TEXTS as never, 'text') as (text: string) => string[];
  const long = `{${'a'.repeat(2_000)}}`;
  expect(parse(long)).not.toBe(parse(long));
  const first = parse('{first}');
  for (let index = 0; index < 1_000; index += 1) parse(`{${index}}`);
  expect(parse('{first}')).not.toBe(first);
  expect(parse('{first}')).toEqual(['first']);
});
