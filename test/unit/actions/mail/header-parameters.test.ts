import { describe, expect, it } from 'vitest';
import { charsetOf, parameterOf } from '../../../../src/actions/mail/header-parameters.ts';
import { readPayload } from '../../../../src/actions/mail/mail-parts.ts';

describe('a parameter of a header field (RFC 2045, RFC 2231)', () => {
  it.each([
    ['a token', 'attachment; filename=a.txt', 'a.txt'],
    ['a token with spaces, which isn’t allowed', 'attachment; filename=my file.txt ; size=3', 'my file.txt'],
    ['a quoted string', 'attachment; FileName = "a; b \\"c\\".txt"', 'a; b "c".txt'],
    ['one in the value of another', 'attachment; name="x; filename=no.txt"; filename=yes.txt', 'yes.txt'],
    ['a charset', "attachment; filename*=utf-8'de'Gr%C3%BC%c3%9fe.txt", 'Grüße.txt'],
    ['a Chinese one', "attachment; filename*=gb2312''%CD%A8%D6%AA.txt", '通知.txt'],
    ['continuations in any order', 'attachment; filename*1="b.t"; filename*0=a; filename*2=xt', 'ab.txt'],
    ['continuations of which one is encoded', "a; filename*0*=big5''%A4%A4%A4; filename*1*=%E5; filename*2=.txt", '中文.txt'],
    ['continuations with a gap', "a; filename*0*=utf-8''a; filename*2=c", 'a'],
    ['one that is written twice', "a; filename=gr.txt; filename*=utf-8''gr%C3%BC.txt", 'grü.txt'],
    ['encoded words', 'a; filename="=?shift_jis?B?k/qWe4zq?=.txt"', '日本語.txt'],
    ['an encoded word with a quotation mark', 'a; filename="=?utf-8?Q?a=22;b?=.txt"', 'a";b.txt'],
    ['a quoted string that is not closed', 'attachment; filename="unclosed.txt', 'unclosed.txt'],
    ['one of a broken line', 'attachment; filename="un closed; a.txt', 'un closed; a.txt'],
    ['nothing', 'attachment', undefined],
    ['another name', 'attachment; x-filename=a', undefined],
  ])('is read: %s', (_what, field, value) => {
    expect(parameterOf(field, 'filename')).toBe(value);
  });

  it.each([
    ['text/plain; charset=UTF-8', 'UTF-8'],
    ['text/plain; charset="iso-8859-1"; format=flowed', 'iso-8859-1'],
    ["text/plain; charset='utf-8'", 'utf-8'],
    ['text/plain; charset=us-ascii (Plain text)', 'us-ascii'],
    ["text/plain; charset*=us-ascii'en'gb2312", 'gb2312'],
    ['text/plain; name="a; charset=koi8-r"; charset = big5', 'big5'],
    ['text/plain', undefined],
  ])('is the charset of %s', (field, charset) => {
    expect(charsetOf(field)).toBe(charset);
  });
});

describe('the name of a part', () => {
  it.each([
    ['attachment; filename="a.txt"', 'text/plain; name="b.txt"', 'a.txt'],
    ['attachment; filename=""', 'text/plain; name="b.txt"', 'b.txt'],
    ['attachment', 'text/plain; name="b.txt"', 'b.txt'],
    ['attachment; filename=', 'text/plain', ''],
  ])('of %s and %s', (disposition, type, name) => {
    const headers = [
      { name: 'Content-Disposition', value: disposition },
      { name: 'Content-Type', value: type },
    ];
    expect(readPayload({ mimeType: 'text/plain', filename: '', headers, body: { size: 1 } }).fileName).toBe(name);
  });
});
