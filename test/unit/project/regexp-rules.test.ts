import { describe, expect, it } from 'vitest';
import { expressionsOf, problemOf } from '../../../scripts/checks/regexp-rules.ts';

/** The result of `npm run check` for each expression of a source. */
async function judge(source: string): Promise<(string | undefined)[]> {
  return Promise.all(expressionsOf('some.ts', source).map(problemOf));
}

describe('the check of regular expressions', () => {
  it.each([
    ['blanks around a line break', String.raw`text.replace(/\s*\n\s*/g, ' ')`],
    ['blanks at the end', String.raw`text.replace(/\s+$/, '')`],
    ['a beginning without its end', 'html.match(/<!--[^]*?-->/g)'],
    ['repeated repetitions', 'const words: RegExp = /^(a+)+$/;'],
    ['overlapping alternatives', String.raw`z.string().regex(/^[\w.]*\w*@$/)`],
    ['a text that becomes one', String.raw`new RegExp('\\s+$', 'g')`],
  ])('rejects %s', async (_name, source) => {
    expect(await judge(source)).toEqual([expect.stringMatching(/^takes .* time, as with /)]);
  });

  it('rejects files that it can’t parse', async () => {
    expect(await judge('new RegExp(word)')).toEqual([expect.stringMatching(/can’t be judged/)]);
  });

  it('accepts expressions in linear time, and names the position of each', async () => {
    const source = 'const a = 1;\nconst b = /\\n{3,}/g;\nconst c = b.test(/^[a-z]+$/.source);\n';
    expect(await judge(source)).toEqual([undefined, undefined]);
    expect(expressionsOf('some.ts', source).map(({ line, text }) => `${line} ${text}`)).toEqual(['2 /\\n{3,}/g', '3 /^[a-z]+$/']);
  });
});
