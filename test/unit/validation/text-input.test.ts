import { describe, expect, it } from 'vitest';
import { severalLines } from '../../../src/validation/text-input.ts';
import { check, text } from '../../../src/validation/validate.ts';

describe('a text of several lines', () => {
  it.each([
    ['LF', 'a\nb\n', 'a\nb\n'],
    ['CRLF', 'a\r\nb\r\n', 'a\nb\n'],
    ['CR', 'a\rb\r', 'a\nb\n'],
    ['all of them', '\r\n\r\r\n\n', '\n\n\n\n'],
    ['empty lines', 'a\r\n\r\nb', 'a\n\nb'],
    ['a tab', 'a\tb', 'a\tb'],
    ['VT and FF, as of word processors', 'a\u000bb\u000cc', 'a\nb\nc'],
    ['NEL, LS and PS', 'a\u0085b\u2028c\u2029d', 'a\u0085b\u2028c\u2029d'],
  ])('accepts %s, and has its lines end in LF', (_what, given, value) => {
    expect(check(severalLines(100), given)).toEqual({ value });
  });

  it('counts a line break once', () => {
    expect(check(severalLines(3), 'a\r\nb')).toEqual({ value: 'a\nb' });
    expect(check(severalLines(3), 'a\r\nbc')).toEqual({ problem: 'must have at most 3 characters' });
    expect(check(severalLines(3, 0), '')).toEqual({ value: '' });
    expect(check(severalLines(3), '')).toEqual({ problem: 'must not be empty' });
  });

  it.each(['\u0000', '\u0007', '\u000e', '\u001b', '\u007f'])('rejects another control character: %j', (one) => {
    expect(check(severalLines(10), `a${one}`)).toEqual({ problem: 'must not contain control characters' });
  });
});

describe('a text of one line', () => {
  it.each(['\n', '\r\n', '\r', '\u000b', '\u000c', '\u0085', '\u2028', '\u2029'])('says that it has no line breaks: %j', (one) => {
    expect(check(text(10), `a${one}b`)).toEqual({ problem: 'must be one line, without line breaks' });
  });

  it('rejects control characters', () => {
    expect(check(text(10), 'a\u0000b')).toEqual({ problem: 'must not contain control characters' });
    expect(check(text(10), 'a b')).toEqual({ value: 'a b' });
  });
});
