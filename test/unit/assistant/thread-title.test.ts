import { describe, expect, it } from 'vitest';
import { asTitle, defaultTitle } from '../../../src/assistant/threads/thread-title.ts';

describe('the title of a thread', () => {
  it.each([
    ['What did I spend on groceries?', 'What did I spend on groceries?'],
    ['  two\n\nlines\tand a tab ', 'two lines and a tab'],
    ['safe\u202eetad\u0000\u2066.\ufeff', 'safeetad.'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['family \u{1f468}\u200d\u{1f469}\u200d\u{1f467}', 'family \u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
    ['lone \ud800 half', 'lone \ufffd half'],
    ['\u200b\u202e', ''],
  ])('of %j is %j', (message, title) => {
    expect(asTitle(message)).toBe(title);
    expect(defaultTitle(message)).toBe(title);
  });

  it.each([
    ['is cut between words', `${'word '.repeat(30)}`, `${'word '.repeat(10)}word…`],
    ['is cut anywhere in a text without spaces', 'x'.repeat(5_000), `${'x'.repeat(59)}…`],
    ['counts characters, not halves of them', '\u{1f600}'.repeat(61), `${'\u{1f600}'.repeat(59)}…`],
    ['begins with the first word', `${' \n'.repeat(4_000)}Hello`, 'Hello'],
  ])('%s', (_what, message, title) => {
    expect(defaultTitle(message)).toBe(title);
    expect([...defaultTitle(message)].length).toBeLessThanOrEqual(60);
  });
});
