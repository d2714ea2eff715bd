import { describe, expect, it } from 'vitest';
import { decodeWords } from '../../../../src/actions/mail/mail-text.ts';

const base64 = (bytes: Buffer) => bytes.toString('base64');
const umlaut = Buffer.from('ü');

describe('encoded words (RFC 2047)', () => {
  it.each([
    ['plain text', 'Lunch = ?', 'Lunch = ?'],
    ['quoted-printable, with _ for a space', '=?utf-8?Q?Gr=C3=BC=c3=9fe_aus?= K', 'Grüße aus K'],
    ['base64', `Re: =?UTF-8?b?${base64(Buffer.from('日本語'))}?=`, 'Re: 日本語'],
    ['neighbours without the white space between them', '=?utf-8?q?a?= \r\n =?utf-8?q?b?= c =?utf-8?q?d?=', 'ab c d'],
    ['neighbours of two charsets', '=?UTF-8?B?R3LDvMOfZQ==?= =?ISO-8859-1?Q?_aus_K=F6ln?=', 'Grüße aus Köln'],
    ['a character that is split', `=?utf-8?B?${base64(umlaut.subarray(0, 1))}?= =?utf-8?Q?=BC?=`, 'ü'],
    ['a charset with a language', '=?iso-8859-1*de?Q?K=F6ln?=', 'Köln'],
    ['ISO-2022-JP', '=?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=', '日本'],
    ['an unknown charset', '=?x-unknown?Q?ma=F1ana?=', 'mañana'],
    ['text that is not an encoded word', '=?utf-8?x?a?= =?utf-8?q?a =?', '=?utf-8?x?a?= =?utf-8?q?a =?'],
  ])('decodes %s', (_what, value, text) => {
    expect(decodeWords(value)).toBe(text);
  });

  it.each(['=?a?q?', '=?utf-8?q?a?= ', '=?'])('reads no more than the first 100,000 characters, of many repetitions of %j', (piece) => {
    const read = piece.repeat(1_000_000).slice(0, 100_000);
    expect(decodeWords(piece.repeat(1_000_000)) === decodeWords(read)).toBe(true);
    expect(decodeWords(read).length).toBeLessThanOrEqual(100_000);
  });
});
