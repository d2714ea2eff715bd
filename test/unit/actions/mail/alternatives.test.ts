import { describe, expect, it } from 'vitest';
import { isDoubtful, readableAlternative } from '../../../../src/actions/mail/alternatives.ts';

const BOOKING = 'Booking 7731\n\nPick-up: 3 June, 10:00, Lisbon Airport\n\nReturn: 10 June, 18:00, Porto';

describe('readableAlternative', () => {
  it.each([
    ['a notice', 'Your client does not support HTML emails.'],
    ['a notice with a comment', 'Your client does not support HTML emails. <!-- fallback -->'],
    ['a notice in German', 'Ihr E-Mail-Programm kann diese HTML-Nachricht leider nicht anzeigen.'],
    ['a notice in Polish', 'Aby zobaczyć wiadomość, otwórz ją w przeglądarce: https://news.example.com/1'],
    ['a notice in Japanese', 'このメールはHTML形式です。'],
    ['a link', 'https://news.example.com/view?id=8c1f'],
    ['a link with a notice', 'View this email in your browser: <https://news.example.com/view?id=8c1f>'],
    ['invisible characters', '\u200b\u200c\u00ad\u034f'],
    ['rules', '-----\n\n* * *\n_____'],
    ['its beginning', 'Booking 7731'],
    ['its beginning with other white space', 'BOOKING\u00a07731\n\n\u200b\u200b'],
    ['the source of the page', '<!DOCTYPE html>\n<html><body><h1>Booking 7731</h1> Pick-up</body></html>'],
  ])('is the other text where the plain one says nothing: %s', (_what, plain) => {
    expect(readableAlternative(plain, BOOKING)).toBe(BOOKING);
  });

  it.each([
    ['the same text', BOOKING.replaceAll('\n\n', '\n')],
    ['the same with addresses of links', `${BOOKING} <https://rent.example.com/7731>`],
    ['most of it', BOOKING.slice(0, 60)],
    ['the same in capitals', BOOKING.toUpperCase()],
  ])('is the plain text where it says the same: %s', (_what, plain) => {
    expect(readableAlternative(plain, BOOKING)).toBe(plain);
  });

  it('is the plain text where the other one is blank', () => {
    expect(readableAlternative('Your client does not support HTML emails.', '\u200b')).toBe('Your client does not support HTML emails.');
  });

  it.each([
    ['a person’s words', 'Hi Ada, I will be late, take the second key from Jonas.'],
    ['another language', 'Reserva 7731\n\nRecolha: 3 de junho às 10 horas no aeroporto de Lisboa'],
  ])('is both texts where they say different things: %s', (_what, plain) => {
    expect(readableAlternative(plain, BOOKING)).toBe(`${plain}\n\n${BOOKING}`);
  });

  it('compares texts without blanks between words', () => {
    const rich = '会議は三月四日の午後二時から始まります。場所は三階の大会議室です。資料は当日お配りします。';
    expect(readableAlternative('会議は三月四日', rich)).toBe(rich);
    expect(readableAlternative(rich, `${rich} 配信停止`)).toBe(rich);
  });

  it.each(['a ', '<', 'https:', '\u200b', '漢', '\u0301'])('reads a megabyte of %j', (text) => {
    const long = text.repeat(1_000_000);
    expect([long, BOOKING, `${long}\n\n${BOOKING}`]).toContain(readableAlternative(long, BOOKING));
  });
});

describe('isDoubtful', () => {
  it.each([
    ['a short text', 'Hello', true],
    ['a long text', 'word '.repeat(400), false],
    ['long addresses', `See <https://example.com/${'x'.repeat(5000)}>`, true],
    ['invisible padding', `Hello ${'\u034f\u200c'.repeat(3000)}`, true],
    ['a long page', `\n<html>${'word '.repeat(400)}`, true],
  ])('tells whether the other alternatives are read: %s', (_what, plain, expected) => {
    expect(isDoubtful(plain)).toBe(expected);
  });
});
