import { describe, expect, it } from 'vitest';
import { asWritten } from '../../../../src/actions/mail/text-format.ts';

function read(text: string, contentType: string): string {
  return asWritten(text, contentType.split(';')[0]?.trim() ?? '', contentType);
}

const FLOWED = 'text/plain; format=flowed';
const DELSP = 'text/plain; format=flowed; delsp=yes';

describe('flowed text (RFC 3676)', () => {
  it.each([
    ['a paragraph', 'one \r\ntwo \r\nthree', 'one two three'],
    ['fixed lines', 'one\r\ntwo\r\n\r\nthree', 'one\ntwo\n\nthree'],
    ['a quoted paragraph', '> one \r\n> two\r\n> three', '> one two\n> three'],
    ['deeper quotes', '>> one \r\n>> two\r\n>>\r\n> three', '>> one two\n>>\n> three'],
    ['quotes without stuffing', '>one \r\n>two', '> one two'],
    ['a change of depth', '> one \r\ntwo \r\n>> three', '> one \ntwo \n>> three'],
    ['stuffed lines', ' From here\r\n > no quote\r\n  indented', 'From here\n> no quote\n indented'],
    ['a quote mark in a quote', '> > one', '> > one'],
    ['a signature', 'one \r\n-- \r\nAna \r\nRoe', 'one \n-- \nAna Roe'],
    ['a quoted signature', '> one \r\n> -- \r\n> Ana', '> one \n> -- \n> Ana'],
    ['a stuffed signature', 'one\r\n -- \r\nAna', 'one\n-- \nAna'],
    ['dashes', '--\r\none', '--\none'],
    ['line feeds alone', 'one \ntwo', 'one two'],
    ['a soft break at the end', 'one \r\n', 'one '],
    ['other white space at the end', 'one\u00a0\r\ntwo\t\r\nthree', 'one\u00a0\ntwo\t\nthree'],
  ])('joins soft line breaks: %s', (_what, text, expected) => {
    expect(read(text, FLOWED)).toBe(expected);
  });

  it.each([
    ['a long address', 'https://example.com/?token=0123 \r\nABCD&user=1', 'https://example.com/?token=0123ABCD&user=1'],
    ['words', 'one  \r\ntwo', 'one two'],
    ['without blanks', '日本 \r\n語', '日本語'],
    ['quotes', '> one  \r\n> two', '> one two'],
    ['a signature', 'one \r\n-- \r\nAna', 'one\n-- \nAna'],
  ])('deletes the blank of a soft line break with delsp=yes: %s', (_what, text, expected) => {
    expect(read(text, DELSP)).toBe(expected);
  });

  it.each([
    ['upper case', 'text/plain; FORMAT=Flowed; DelSp=YES', 'onetwo'],
    ['quotation marks', 'text/plain; format="flowed"; delsp="yes"', 'onetwo'],
    ['comments', 'text/plain; format=flowed (as of RFC 3676); delsp=yes (c)', 'onetwo'],
    ['blanks', 'text/plain ; format = flowed ; delsp = yes', 'onetwo'],
    ['delsp=no', 'text/plain; format=flowed; delsp=no', 'one two'],
    ['an unknown delsp', 'text/plain; format=flowed; delsp=1', 'one two'],
    ['format=fixed', 'text/plain; format=fixed', 'one \ntwo'],
    ['delsp alone', 'text/plain; delsp=yes', 'one \ntwo'],
    ['none', 'text/plain', 'one \ntwo'],
    ['inside of another value', 'text/plain; name="; format=flowed"', 'one \ntwo'],
    ['a longer value', 'text/plain; format=flowed2', 'one \ntwo'],
    ['another type', 'text/markdown; format=flowed', 'one \ntwo'],
  ])('is told by the parameters: %s', (_what, contentType, expected) => {
    expect(read('one \ntwo', contentType)).toBe(expected);
  });

  it.each(['>', ' ', '> ', 'a \n', '-- \n', '>a \n>>b \n', '\r'])('reads a megabyte of %j', (text) => {
    expect(read(text.repeat(1_000_000 / text.length), FLOWED).length).toBeGreaterThan(400_000);
  });
});

describe('enriched text (RFC 1896)', () => {
  it('loses its commands and the breaks inside of its paragraphs', () => {
    const text =
      '<bold>Now</bold> is the time for <italic>all</italic>\r\ngood men\r\n\r\n<smaller>(and <<women>)</smaller> to\r\n\r\n\r\ncome\r\n<color><param>red</param>to the aid</color>';
    expect(read(text, 'text/enriched')).toBe('Now is the time for all good men\n(and <women>) to\n\ncome to the aid');
  });
});
