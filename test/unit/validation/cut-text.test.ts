import { describe, expect, it } from 'vitest';
import { slideText } from '../../../src/actions/presentations/slide-text.ts';
import { quoted } from '../../../src/actions/shared/display-text.ts';
import { textPart } from '../../../src/actions/shared/text-part.ts';
import { truncateOutput } from '../../../src/actions/shared/truncate-output.ts';
import { defaultTitle } from '../../../src/assistant/threads/thread-title.ts';
import { auditedName } from '../../../src/executor/audit/audit-log.ts';
import { FieldWriter } from '../../../src/executor/display/field-writer.ts';
import { shownText } from '../../../src/providers/shared/provider-text.ts';
import { providerMessage } from '../../../src/providers/shared/provider-words.ts';
import { cutList, cutText, shortened } from '../../../src/validation/cut-text.ts';
import { shownName } from '../../../src/validation/validation-messages.ts';
import { fc } from '../../support/runner/property.ts';

const slide = (content: string) =>
  slideText(
    { pageElements: [{ shape: { text: { textElements: [{ textRun: { content } }] } } }] } as unknown as Parameters<typeof slideText>[0],
    { offset: 0, bytes: 20_000 },
  );

/** Each way in which a long text becomes shorter. */
const CUTS: Record<string, (text: string) => string> = {
  'a quotation': quoted,
  'a part of a text': (text) => textPart(text, 0, { units: 300, bytes: 10_000 }).text,
  'a part in the middle': (text) => textPart(text, 301, { units: 300, bytes: 10_000 }).text,
  'a part of few bytes': (text) => textPart(text, 0, { units: 10_000, bytes: 303 }).text,
  'a truncated result': (text) => String(truncateOutput(text, 300).value),
  'a slide': (text) => slide(text).text,
  'a value of a provider': (text) => shownText(300).parse(text),
  'a message of a provider': (text) => providerMessage(text),
  'the name of an action': auditedName,
  'the name of a field': shownName,
  'the title of a conversation': defaultTitle,
  'a text of a question': (text) => new FieldWriter([], {}).passage(text, undefined).text,
};

/** Each consists of several code points (UAX 29). */
const CHARACTERS = {
  'a flag': '🇩🇪',
  'a flag of a region': '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
  'a family': '👨\u200d👩\u200d👧\u200d👦',
  'a couple with two skin tones': '👩🏽\u200d❤\ufe0f\u200d💋\u200d👨🏿',
  'a keycap': '1\ufe0f\u20e3',
  'a syllable of Hangul': '\u1100\u1161\u11a8',
  'a conjunct of Devanagari': '\u0915\u094d\u0937\u093f',
  'a Thai vowel': '\u0e01\u0e33',
  'a letter with marks': 'a\u0300\u0323\u0308',
  'a line break': '\r\n',
};

/** Those that don't change the text, nor count by code points. */
const WHOLE = ['a part of a text', 'a part of few bytes', 'a truncated result', 'a message of a provider', 'the name of an action'];

describe('a text that is cut', () => {
  it.each(Object.entries(CHARACTERS))('isn’t cut within %s, wherever', (_what, character) => {
    for (let count = 1; count <= 40; count += 1) {
      const text = `ab${character.repeat(40)}`;
      const cut = cutText(text, 2 + count);
      expect(cut).toBe(`ab${character.repeat(Math.floor(count / character.length))}`);
    }
  });

  it.each(WHOLE)('ends between two flags: %s', (what) => {
    for (const before of ['', 'a', 'aa', 'aaa']) {
      const [shown = ''] = /^[^…]*/.exec(CUTS[what]?.(`${before}${'🇩🇪'.repeat(20_000)}`) ?? '') ?? [];
      expect((shown.length - before.length) % 4).toBe(0);
      expect(shown.length).toBeGreaterThan(40);
    }
  });

  it('is read on where it was cut, however long its characters are', () => {
    for (const character of [...Object.values(CHARACTERS), `a${'\u0301'.repeat(5_000)}`]) {
      const text = character.repeat(Math.ceil(5_000 / character.length));
      const parts: string[] = [];
      for (let at: number | undefined = 0; at !== undefined; ) {
        const { text: part, next_offset: next } = textPart(text, at, { units: 101, bytes: 150 });
        expect(part).not.toBe('');
        parts.push(part);
        at = next;
      }
      expect(parts.join('')).toBe(text);
    }
  });

  it.each(Object.entries(CUTS))('never ends in half of a character: %s', (_what, cut) => {
    for (const before of ['', 'a', 'aa', 'aaa']) {
      const shown = cut(`${before}${'😀'.repeat(200_000)}`);
      expect(shown.isWellFormed()).toBe(true);
      expect(shown).not.toContain('\ufffd');
      expect(shown).toContain('😀');
    }
  });

  it.each([
    ['a pair', 'ab😀', 3, 'ab'],
    ['a mark', 'abe\u0301', 3, 'ab'],
    ['a skin tone', 'ab👍🏽', 4, 'ab'],
    ['a joined character', 'ab👩\u200d💻', 5, 'ab'],
    ['its end', 'ab😀c', 4, 'ab😀'],
    ['nothing', 'ab', 5, 'ab'],
    ['marks only', `a${'\u0301'.repeat(50)}`, 40, `a${'\u0301'.repeat(39)}`],
  ])('isn’t cut within %s', (_what, text, max, expected) => {
    expect(cutText(text, max)).toBe(expected);
  });

  it('is as long as it may be, and says that it was cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 50 }), (text, max) => {
        const shown = shortened(text, max);
        expect(shown.length).toBeLessThanOrEqual(max);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown === text || (text.length > max && shown.endsWith('…'))).toBe(true);
      }),
    );
  });
});

describe('a list that is cut', () => {
  it.each([
    [['ab', 'cd'], 4, 'ab, cd'],
    [['ab', 'cd', 'ef'], 5, 'ab, cd, … and 1 more'],
    [['abcdef', 'g'], 2, 'abcdef, … and 1 more'],
    [[], 2, ''],
  ])('has whole items only: %j in %i', (items, max, expected) => {
    expect(cutList(items, max)).toBe(expected);
  });
});
