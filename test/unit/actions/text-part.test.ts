import { describe, expect, it } from 'vitest';
import { fitting, jsonBytes } from '../../../src/actions/shared/fitting.ts';
import { nextWithin, pagePart, placeOf } from '../../../src/actions/shared/page-part.ts';
import { textPart } from '../../../src/actions/shared/text-part.ts';
import { fc } from '../../support/runner/property.ts';

describe('textPart', () => {
  it('gives a text in parts of so many units and bytes of JSON, without loss', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '\u0001', 'ä', '€', '😀') });
    fc.assert(
      fc.property(texts, fc.integer({ min: 100, max: 200 }), fc.integer({ min: 2, max: 300 }), (text, bytes, units) => {
        let read = '';
        for (let start: number | undefined = 0; start !== undefined; ) {
          const part: ReturnType<typeof textPart> = textPart(text, start, { units, bytes });
          expect(part.text.length).toBeLessThanOrEqual(units);
          expect(jsonBytes(part.text) - 2).toBeLessThanOrEqual(bytes);
          expect(part.text.isWellFormed()).toBe(true);
          read += part.text;
          start = part.next_offset;
        }
        expect(read).toBe(text);
      }),
    );
  });

  it('comes to an end where a result has no room', () => {
    expect(textPart('x'.repeat(200), 0, { units: 1_000, bytes: -5 })).toMatchObject({ next_offset: 100 });
  });
});

describe('pagePart', () => {
  it('gives a page of a provider in parts that fit, without loss', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 30 }), fc.integer({ min: 20, max: 200 }), (items, bytes) => {
        const read: string[] = [];
        let page: string | undefined = 'token~!1:2';
        while (page !== undefined && page !== 'following') {
          const place = placeOf(page);
          expect(place.token).toBe('token~!1:2');
          const part: ReturnType<typeof pagePart<string>> = pagePart(items, place, 'following', bytes);
          expect(part.items.length <= 1 || jsonBytes(part.items) <= bytes).toBe(true);
          read.push(...part.items);
          page = part.next;
        }
        expect(read).toEqual(items);
      }),
    );
  });

  it('has places on the first page, too', () => {
    expect(placeOf(undefined)).toEqual({ token: undefined, skip: 0 });
    expect(placeOf(nextWithin(placeOf(undefined), 7))).toEqual({ token: undefined, skip: 7 });
    expect(pagePart([1, 2], placeOf('!9:x'), 'y', 100)).toEqual({ items: [], next: 'y' });
  });
});

describe('fitting', () => {
  it('gives one item at least', () => {
    expect(fitting(['xxxx', 'y'], 3)).toEqual(['xxxx']);
    expect(fitting([], 0)).toEqual([]);
  });
});
