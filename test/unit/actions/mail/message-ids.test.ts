import { describe, expect, it } from 'vitest';
import { messageIds } from '../../../../src/actions/mail/message-ids.ts';

const long = (length: number) => `${'x'.repeat(length - 4)}@a.b`;

describe('messageIds', () => {
  it.each([
    ['one', '<1@example.com>', ['<1@example.com>']],
    ['several', '<1@example.com> <2@example.com>', ['<1@example.com>', '<2@example.com>']],
    ['several without a blank', '<1@example.com><2@example.com>', ['<1@example.com>', '<2@example.com>']],
    [
      'on several lines',
      '<1@example.com>\r\n\t<2@example.com>\n <3@example.com>',
      ['<1@example.com>', '<2@example.com>', '<3@example.com>'],
    ],
    ['without brackets', 'no-brackets@example.com', ['<no-brackets@example.com>']],
    [
      'several without brackets',
      ' 1@example.com  2@example.com,\r\n 3@example.com',
      ['<1@example.com>', '<2@example.com>', '<3@example.com>'],
    ],
    ['without brackets and @', '20260504.17', ['<20260504.17>']],
    ['with one bracket', '<1@example.com', ['<1@example.com>']],
    ['in quotation marks', '"1@example.com"', ['<1@example.com>']],
    ['in double brackets', '<<1@example.com>>', ['<1@example.com>']],
    ['without @ in brackets', '<20260504.17>', ['<20260504.17>']],
    ['with blanks in the brackets', '< 1@example.com >', ['<1@example.com>']],
    ['folded inside', '<1234567890\r\n 1234567890@example\t.com>', ['<12345678901234567890@example.com>']],
    ['with a domain literal', '<1@[192.0.2.1]>', ['<1@[192.0.2.1]>']],
    ['like an encoded word', '<=?utf-8?Q?=31?=@example.com>', ['<=?utf-8?Q?=31?=@example.com>']],
    ['with parentheses', '<1(2)@example.com>', ['<1(2)@example.com>']],
    ['after a comment', '(of (Ana\\) <0@example.com>)) <1@example.com> (end)', ['<1@example.com>']],
    ['before a comment, without brackets', '1@example.com (Ana Roe)', ['<1@example.com>']],
    ['after a comment that does not end', '(Ana <1@example.com>', ['<1@example.com>']],
    ['after a phrase (RFC 822)', 'Your message of "Mon, 4 May" <1@example.com>', ['<1@example.com>']],
    ['of 250 characters', `<${long(251)}>`, [`<${long(251)}>`]],
    ['of the longest line', `<${long(995)}>`, [`<${long(995)}>`]],
    ['longer than a line', `<${long(996)}> <1@example.com>`, ['<1@example.com>']],
    ['as an encoded word', '=?utf-8?q?=3Ca=40b=3E?=', ['<a@b>']],
    ['folded as encoded words', '=?utf-8?q?=3C1234567890?=\r\n =?utf-8?q?1234567890=40b=3E?=', ['<12345678901234567890@b>']],
    ['several in encoded words', '=?us-ascii?B?PGFAYj4gPGNAZD4=?=', ['<a@b>', '<c@d>']],
    ['with a blank in quotation marks', '<"a b"@c>', ['<"a b"@c>']],
    ['with blanks around quotation marks', '< "a b" @ c >', ['<"a b"@c>']],
    ['with a blank and no quotation marks', '<a b>', []],
    ['an encoded line break', '=?utf-8?q?a=40b=0D=0ABcc=3Aeve=40c?=', []],
    ['words', 'your message of Monday', []],
    ['an address among words', 'Message from ana@example.com of Monday', []],
    ['a line break inside', '<1@example.com\r\nBcc: eve@example.net>', []],
    ['a line break behind', 'a@example.com\r\nBcc:eve@example.net', []],
    ['a control character', '<1\u0000@example.com>', []],
    ['other scripts', '<grüße@example.com>', []],
    ['nothing', '', []],
    ['empty brackets', '<> < >', []],
  ])('reads identifiers: %s', (_what, value, expected) => {
    expect(messageIds(value)).toEqual(expected);
  });

  it('reads the first and the last of a field of any length', () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => `<${index}@example.com>`);
    const read = messageIds(ids.join(' '));
    expect(read.length).toBeGreaterThan(1000);
    expect([read[0], read.at(-1)]).toEqual([ids[0], ids.at(-1)]);
    expect(read.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it.each(['(', '<', '<(', '<a@b>(', '\\', ')', 'a@b '])('reads a megabyte of %s', (text) => {
    expect(messageIds(text.repeat(1_000_000 / text.length)).every((id) => id === '<a@b>')).toBe(true);
  });
});
