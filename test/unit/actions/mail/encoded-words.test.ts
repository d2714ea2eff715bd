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
    ['GB 2312 that is valid UTF-8', '=?gb2312?B?zajWqg==?=', '通知'],
    ['GBK', '=?GBK?B?0LvQuw==?=', '谢谢'],
    ['Big5', '=?Big5?B?pKSk5Q==?=', '中文'],
    ['Shift_JIS', '=?Shift_JIS?B?w73E?=', 'ﾃｽﾄ'],
    ['EUC-JP', '=?EUC-JP?B?xvzL3A==?=', '日本'],
    ['EUC-KR', '=?ks_c_5601-1987?B?x9GxuQ==?=', '한국'],
    ['ISO-2022-KR', '=?iso-2022-kr?B?GyQpQw5HUTE5Dw==?=', '한국'],
    ['HZ', '=?hz-gb-2312?B?fntWUE5Efn0=?=', '中文'],
    ['windows-1251', '=?Windows-1251?B?0Lg=?=', 'Рё'],
    ['Latin-1 that is valid UTF-8', '=?iso-8859-1?B?w6k=?=', 'Ã©'],
    ['a character split between words of one charset with two labels', '=?GB2312?B?zajW?= =?gbk?B?qg==?=', '通知'],
    ['several words of unknown charsets', '=?x-unknown?Q?=CF=F0=E8=E2=E5=F2?=, =?unknown-8bit?Q?=EC=E8=F0?=', 'Привет, мир'],
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
