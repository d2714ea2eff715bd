import { describe, expect, it } from 'vitest';
import { isAddress, parseAddressList } from '../../../src/validation/address-list.ts';

const EVIL = 'mallory@evil.example';
const ANA = 'ana@example.org';
const read = (field: string) => parseAddressList(field).entries.map(({ name, address }) => [name, address]);

describe('an address list', () => {
  it.each<[string, string, string[][]]>([
    ['an address', ANA, [['', ANA]]],
    ['a name', `Ana Lima <${ANA}>`, [['Ana Lima', ANA]]],
    [
      'a quoted name',
      `"Lima, Ana" <${ANA}>, bob@example.org`,
      [
        ['Lima, Ana', ANA],
        ['', 'bob@example.org'],
      ],
    ],
    ['an address in a quoted name', `"${EVIL}" <${ANA}>`, [[EVIL, ANA]]],
    ['an address with its brackets in a quoted name', `"Boss <${EVIL}>, " <${ANA}>`, [[`Boss <${EVIL}>, `.trim(), ANA]]],
    ['an escaped quote in a name', `"a\\" <${EVIL}>, \\"" <${ANA}>`, [[`a" <${EVIL}>, "`, ANA]]],
    ['an encoded comma and bracket', `=?utf-8?q?<${EVIL}>?= <${ANA}>`, []],
    ['a comment', `Ana (${EVIL}) <${ANA}> (<${EVIL}>)`, [['Ana', ANA]]],
    ['a nested comment with an escape', `(a (b \\) <${EVIL}>) ,) ${ANA}`, [['', ANA]]],
    ['a comment inside of an address', `ana(x)@(y)example(z).org`, [['', ANA]]],
    [
      'folding',
      `Ana\r\n Lima\r\n\t<${ANA}>,\r\n bob@example.org`,
      [
        ['Ana Lima', ANA],
        ['', 'bob@example.org'],
      ],
    ],
    [
      'a group',
      `friends: ${ANA}, Bob <bob@example.org>;, c@example.org`,
      [
        ['', ANA],
        ['Bob', 'bob@example.org'],
        ['', 'c@example.org'],
      ],
    ],
    ['an empty group', 'undisclosed-recipients:;', []],
    ['empty entries', `, ,${ANA},,`, [['', ANA]]],
    ['dots in a name', `J. R. Lima <${ANA}>`, [['J. R. Lima', ANA]]],
    ['an address as its own name', `${ANA} <${ANA}>`, [[ANA, ANA]]],
    ['the same in single quotes', `'${ANA}' <${ANA}>`, [[`'${ANA}'`, ANA]]],
    ['white space around the @ (4.4)', 'ana @ example . org', [['', ANA]]],
    ['a quoted local part', `"ana"@example.org`, [['', ANA]]],
    ['an @ in a quoted local part', `"${EVIL}"@example.org`, [['', `"${EVIL}"@example.org`]]],
    ['a domain literal with an @', 'ana@[x@evil.example]', [['', 'ana@[x@evil.example]']]],
    ['letters of other scripts', 'Jürgen Müller <jürgen@müller.example>', [['Jürgen Müller', 'jürgen@müller.example']]],
  ])('has %s', (_what, field, expected) => {
    const { isComplete } = parseAddressList(field);
    if (expected.length > 0 || field.endsWith(':;')) expect([read(field), isComplete]).toEqual([expected, true]);
    // Brackets must be encoded in an encoded word (RFC 2047, 5): two programs read this differently.
    else expect(isComplete).toBe(false);
  });

  it.each<[string, string]>([
    ['a quotation that isn’t closed', `"x <${EVIL}>, ${ANA}`],
    ['a comment that isn’t closed', `(x <${EVIL}>, ${ANA}`],
    ['a literal that isn’t closed', `x@[${EVIL}, ${ANA}`],
    ['a bracket that isn’t closed', `x <${EVIL}, ${ANA}`],
    ['two brackets', `x <${EVIL}> <${ANA}>`],
    ['nested brackets', `x <<${EVIL}>>`],
    ['text behind the address', `<${ANA}> ${EVIL}`],
    ['an address as another’s name', `${EVIL} <${ANA}>`],
    ['a route', `<@${EVIL}:${ANA}>`],
    ['two @', 'ana@evil.example@example.org'],
    ['a group that isn’t closed', `friends: ${ANA}`],
    ['semicolons', `${ANA}; ${EVIL}`],
    ['a name without an address', 'Lima, Ana'],
    ['an invisible character', 'ana\u200b@example.org'],
    ['a space of another script', 'ana\u00a0@example.org'],
    ['a control character', `${ANA}\u0000`],
    ['half a surrogate pair', 'ana\ud83d@example.org'],
    ['an address that is too long', `${'a'.repeat(250)}@example.org`],
  ])('is incomplete with %s', (_what, field) => {
    expect(parseAddressList(field).isComplete).toBe(false);
  });

  it('has no address that is quoted, commented or unreadable', () => {
    const fields = [`"x <${EVIL}>, ${ANA}`, `(x <${EVIL}>, ${ANA}`, `x@[${EVIL}, ${ANA}`, `<@${EVIL}:${ANA}>`, `x <<${EVIL}>>`];
    for (const field of fields) expect(read(field).filter(([, address]) => address === EVIL)).toEqual([]);
  });

  it('has no entry that may be cut, where it is too long', () => {
    const one = 'ana@example.org.example.org,';
    const { entries, isComplete, isCut } = parseAddressList(one.repeat(3_000));
    expect(new Set(entries.map(({ address }) => address))).toEqual(new Set([one.slice(0, -1)]));
    expect({ isComplete, isCut }).toEqual({ isComplete: false, isCut: true });
  });

  it.each(['"', '(', '[', '<', '(()', '"a" ', ',', '@', ':', 'a:;', '\\', 'a@b.c,', '=?', '. '])(
    'of %j over and over is read in time',
    (piece) => {
      const { entries } = parseAddressList(piece.repeat(2_000_000 / piece.length));
      expect(entries.length).toBeLessThanOrEqual(60_000);
    },
  );
});

describe('an address', () => {
  it.each([ANA, 'a.b+c@sub.example.org', '"a b"@example.org'])('is %j', (text) => {
    expect(isAddress(text)).toBe(true);
  });

  it.each(['', 'ana', `<${ANA}>`, `${ANA}, x@y.z`, `${ANA} `, '"ana"@example.org', `Ana <${ANA}>`])('isn’t %j', (text) => {
    expect(isAddress(text)).toBe(false);
  });
});
