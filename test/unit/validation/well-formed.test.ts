import { describe, expect, it } from 'vitest';
import { halfOrNulProblem, halfProblem, textProblem, WellFormedPieces, wellFormed } from '../../../src/validation/well-formed.ts';
import { fc } from '../../support/runner/property.ts';

const HALF = '\ud83d';
/** Texts with halves of pairs. */
const units = fc.array(fc.constantFrom('a', '€', '\ud83d', '\ude00', '😀'), { maxLength: 8 }).map((parts) => parts.join(''));

describe('textProblem', () => {
  it.each<[string, unknown, string[], string]>([
    ['a text', `a${HALF}`, [], 'half of a character'],
    ['the second half alone', '\ude00', [], 'half of a character'],
    ['halves in the wrong order', '\ude00\ud83d', [], 'half of a character'],
    ['a member', { to: [{ name: `x${HALF}` }] }, ['to', '0', 'name'], 'half of a character'],
    ['a name', { a: { [`b${HALF}`]: 1 } }, ['a', `b${HALF}`], 'its name must not contain half of a character'],
    ['a NUL', { text: 'a\u0000b' }, ['text'], 'NUL'],
    ['a NUL in a name', { 'a\u0000': 1 }, ['a\u0000'], 'its name must not contain NUL'],
  ])('finds it in %s', (_where, value, path, problem) => {
    expect(textProblem(value, halfOrNulProblem)).toEqual({ path, problem: expect.stringContaining(problem) });
  });

  it('lets NUL pass where only halves are looked for', () => {
    expect(textProblem(['a\u0000'], halfProblem)).toBeUndefined();
    expect(textProblem([HALF], halfProblem)).toMatchObject({ path: ['0'] });
  });

  it('finds none in Unicode text, nor in what is no JSON', () => {
    for (const value of [
      '😀',
      '\ufffd\ufeff\uffff',
      { a: [1, null, true, '👩‍👩‍👧'] },
      undefined,
      new Map([[HALF, HALF]]),
      Buffer.from('x'),
    ]) {
      expect(textProblem(value, halfOrNulProblem)).toBeUndefined();
    }
  });
});

describe('wellFormed', () => {
  it('replaces halves, at any depth, and nothing else', () => {
    const given = { [`n${HALF}`]: [`x${HALF}y`, { a: '😀' }], same: ['a', null, 1] };
    expect(wellFormed(given)).toEqual({ 'n\ufffd': ['x\ufffdy', { a: '😀' }], same: ['a', null, 1] });
    expect(wellFormed(given).same).toBe(given.same);
  });

  it('gives the same value if there are none', () => {
    const value = { a: ['😀', { b: '' }], c: null };
    expect(wellFormed(value)).toBe(value);
  });
});

describe('WellFormedPieces', () => {
  it('gives the text as a whole would be, each piece well-formed', () => {
    fc.assert(
      fc.property(fc.array(units, { maxLength: 6 }), (pieces) => {
        const texts = new WellFormedPieces();
        const given = [...pieces.map((piece) => texts.next('t', piece)), texts.end('t')];
        for (const piece of given) expect(piece.isWellFormed()).toBe(true);
        expect(given.join('')).toBe(pieces.join('').toWellFormed());
      }),
    );
  });

  it('keeps texts apart', () => {
    const texts = new WellFormedPieces();
    expect([texts.next('a', '\ud83d'), texts.next('b', '\ude00'), texts.next('a', '\ude00'), texts.end('a')]).toEqual([
      '',
      '\ufffd',
      '😀',
      '',
    ]);
  });
});
