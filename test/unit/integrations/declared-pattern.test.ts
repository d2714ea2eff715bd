import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../src/integrations/declared/declared-pattern.ts';
import { fc } from '../../support/runner/property.ts';

/** @throws Error the problem of a pattern that can't be used */
function compiled(source: string): { test(text: string): boolean } {
  const result = compilePattern(source);
  if ('problem' in result) throw new Error(result.problem);
  return result.pattern;
}

describe('a pattern', () => {
  const ATOMS = [
    ...['a', 'b', 'Z', '.', '^', '$', '/', ':', '-', ' ', '😀', 'é', '\u2028', '[]', '[^]'],
    ...['\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\b', '\\B', '\\n', '\\t', '\\v', '\\f', '\\r', '\\0'],
    ...['\\x41', '\\u0061', '\\u{1f600}', '\\ud83d\\ude00', '\\ud83d', '\\ude00', '\\cA', '\\/', '\\[', '\\]', '\\{', '\\.'],
    ...['\\p{L}', '\\P{L}', '\\p{Lu}', '\\p{gc=Nd}', '\\p{Script=Greek}', '\\p{sc=Greek}'],
  ];
  const CLASS_ATOMS = [
    ...['a', 'b-z', 'Z', '[', '^', '-', '.', '[:alpha:', '&&', 'a-😀', '$', '{', '\\x41-\\x5a', '\\b', '\\]', '\\-', '\\cA'],
    ...['\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\u{1f600}', '\\ud83d\\ude00', '\\ud83d', '\\p{L}', '\\P{L}', '\\p{Script=Greek}'],
  ];
  const QUANTIFIERS = ['', '', '', '*', '+', '?', '{2}', '{0}', '{01}', '{1,}', '{02,03}', '*?', '??', '{1,2}?'];
  const CHARACTERS = [
    ...['a', 'b', 'Z', '_', '-', '0', ' ', '\n', '\r', '\v', '\b', '\0', '\u0001', '\u00a0', '\u2028', '\ufeff', '\u200b'],
    ...['é', 'ſ', 'α', '٣', '😀', '\ud83d', '\ude00', ']', '[', '/', ':', '{', '^', '$', '.', '&'],
  ];

  const { pattern } = fc.letrec<{ piece: string; pattern: string }>((tie) => ({
    piece: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...ATOMS) },
      {
        weight: 3,
        arbitrary: fc
          .tuple(fc.constantFrom('[', '[^'), fc.array(fc.constantFrom(...CLASS_ATOMS), { maxLength: 5 }))
          .map(([open, atoms]) => `${open}${atoms.join('')}]`),
      },
      { weight: 2, arbitrary: fc.tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('pattern')).map(([open, inner]) => `${open}${inner})`) },
    ),
    pattern: fc
      .tuple(
        fc.constantFrom('', '|'),
        fc.array(
          fc.tuple(tie('piece'), fc.constantFrom(...QUANTIFIERS)).map((parts) => parts.join('')),
          { maxLength: 4 },
        ),
      )
      .chain(([joint, pieces]) => fc.constantFrom(pieces.join(joint), `^(?:${pieces.join(joint)})$`)),
  }));
  const text = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 6 }).map((characters) => characters.join(''));

  it('matches what it matches in ECMA-262 with the flag u', () => {
    let compared = 0;
    const property = fc.property(pattern, fc.array(text, { minLength: 5, maxLength: 10 }), (source, texts) => {
      if (!isValid(source)) return;
      const native = new RegExp(source, 'u');
      const own = compiled(source);
      for (const one of texts) expect([source, one, own.test(one)]).toEqual([source, one, native.test(one)]);
      compared += 1;
    });
    fc.assert(property, { numRuns: 3_000 });
    expect(compared).toBeGreaterThan(1_000);
  });

  it('matches every character as in ECMA-262, by class', () => {
    for (const source of ['\\s', '\\S', '[\\s]', '[\\S]', '[^\\s]', '\\w', '\\W', '\\d', '\\D', '.', '[^]', '[^a]', '\\p{Lu}', '\\P{L}']) {
      const own = compiled(`^${source}$`);
      const native = new RegExp(`^${source}$`, 'u');
      const differing: string[] = [];
      // Beyond the basic plane, only Unicode's properties have boundaries.
      for (let code = 0; code <= 0xffff; code += 1) {
        const character = String.fromCharCode(code);
        if (own.test(character) !== native.test(character)) differing.push(code.toString(16));
      }
      expect([source, differing]).toEqual([source, []]);
    }
  });

  function isValid(source: string): boolean {
    try {
      return new RegExp(source, 'u') !== undefined;
    } catch {
      return false;
    }
  }

  it.each([
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '^([a-z]+)*[a-z]+$',
    '^[a-z]*[a-y]*[a-x]*$',
    '^[a-z]{1,255}[a-z0-9]+-?[0-9a]*$',
    '[a-z]+[a-z]+!',
    '^(a|b)[a-z]*c[a-z]*c[a-z]*$',
    '(.*a){20}!',
    '(a?){30}a{30}!',
  ])('takes time linear in the text, in which a backtracking one would never end: %s', (source) => {
    const own = compiled(source);
    expect(own.test(`${'a'.repeat(1_000_000)}?`)).toBe(false);
  });

  it.each([
    ['(', 'is not a valid regular expression'],
    ['\\Qa\\E', 'is not a valid regular expression'],
    ['[[:alpha:]]', 'is not a valid regular expression'],
    ['(a)\\1', 'must not use backreferences'],
    ['(?<a>a)\\k<a>', 'must not use backreferences'],
    ['(?=a)', 'must not use lookahead or lookbehind'],
    ['(?!a)', 'must not use lookahead or lookbehind'],
    ['(?<=a)b', 'must not use lookahead or lookbehind'],
    ['(?<!a)b', 'must not use lookahead or lookbehind'],
    ['(?i:a)', 'must not set flags within a group'],
    ['(?s-i:a)', 'must not set flags within a group'],
    ['\\p{ASCII}', 'is not supported: invalid character class range: `\\p{ASCII}`'],
    ['a{1001}', 'must not repeat anything more than 1,000 times; nested repetitions are multiplied'],
    ['(a{1000}){1000}', 'must not repeat anything more than 1,000 times; nested repetitions are multiplied'],
    ['((((a{99}){99}){99}){99}){99}', 'must not repeat anything more than 1,000 times; nested repetitions are multiplied'],
    ['a{99999999999999999999}', 'must not repeat anything more than 1,000 times; nested repetitions are multiplied'],
    [`(?:${'[ab]?'.repeat(9)}){400}`, 'is too large: its repetitions and alternatives expand to more than 2500 steps'],
    ['[a-z]{1000}[0-9]{1000}.{1000}', 'is too large: its repetitions and alternatives expand to more than 2500 steps'],
    ['a'.repeat(1_001), 'must have at most 1000 characters'],
  ])('is rejected with the reason: %s', (source, problem) => {
    expect(compilePattern(source)).toEqual({ problem });
  });

  it.each([
    ['a sequence of large repetitions', 'x{1000}'.repeat(142)],
    ['a repeated sequence', `(?:${'[a-c]*'.repeat(160)}){1000}`],
    ['nested groups', '('.repeat(499) + ')'.repeat(499)],
    ['nested choices', `${'(?:'.repeat(199)}a${')?'.repeat(199)}`],
  ])('is compiled or rejected in bounded time, though it would expand without end: %s', (_, source) => {
    expect(Object.keys(compilePattern(source))).toEqual([expect.stringMatching(/^(pattern|problem)$/)]);
  });

  it.each(['\\(\\?=', '[(?=a)]', '\\(\\?<!', '[\\](?!]', '(?:a)(?<b>b)', '\\\\1', '[\\\\1]'])(
    'may contain text that only looks like a lookaround or backreference: %s',
    (source) => {
      expect(compiled(source)).toBeDefined();
    },
  );
});
