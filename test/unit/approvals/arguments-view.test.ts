import { describe, expect, it } from 'vitest';
import { ArgumentsView } from '../../../src/approvals/untrusted-text.ts';
import type { Match } from '../../../src/executor/taint/matches.ts';

const MORE = 'More values are not shown.';

function shown(value: unknown, matches: Partial<Match>[] = []): string {
  return new ArgumentsView(matches as Match[]).render(value).toString();
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe('the arguments on the page of an approval', () => {
  it('are 2,000 values, and one sentence tells that there are more', () => {
    const all = shown(Array.from({ length: 1_999 }, () => 1));
    expect([count(all, '<code>1</code>'), count(all, MORE)]).toEqual([1_999, 0]);
    for (const length of [2_000, 2_500]) {
      const page = shown(Array.from({ length }, () => 1));
      expect([count(page, '<code>1</code>'), count(page, MORE)]).toEqual([1_999, 1]);
    }
    expect(count(shown({ a: Array.from({ length: 3_000 }, () => 1), b: [1], c: 1 }), MORE)).toBe(1);
  });

  it('are 12 levels below the first', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 'deep' : [nested(levels - 1)]);
    expect(shown(nested(12))).toContain('>deep<');
    expect(shown(nested(13))).not.toContain('deep');
    expect(shown(nested(13))).toContain(MORE);
  });

  it('are 300,000 characters, and it is told how many there are more', () => {
    expect(shown('x'.repeat(300_000))).not.toContain('not shown');
    const page = shown({ first: 'x'.repeat(299_999), second: 'yyy' });
    expect(page).toContain('>y</blockquote>');
    expect(page).toContain('2 more characters are not shown.');
  });

  it('tell what is empty', () => {
    for (const value of ['', [], {}]) expect(shown(value)).toMatch(/^<span class="muted">(empty|none)<\/span>$/);
    expect(shown([null, false, 0])).toMatch(/<code>null<\/code>.*<code>false<\/code>.*<code>0<\/code>/);
  });

  it('are marked where they repeat others, each match in its own field and once', () => {
    const matches = [
      { field: 'a', text: 'one' },
      { field: 'a', text: 'one' },
      { field: 'a', text: '' },
      { field: 'b.0', text: 'two' },
    ];
    expect(shown({ a: 'one one one', b: ['two'], c: 'one' }, matches).match(/>[^>]*(<mark>.*?)?<\/blockquote>/g)).toEqual([
      '><mark>one</mark> <mark>one</mark> one</blockquote>',
      '><mark>two</mark></blockquote>',
      '>one</blockquote>',
    ]);
  });
});
