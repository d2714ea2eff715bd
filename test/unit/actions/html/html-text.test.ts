import { describe, expect, it } from 'vitest';
import { outline } from '../../../../src/actions/html/html-outline.ts';
import { htmlToText } from '../../../../src/actions/html/html-text.ts';
import { fc } from '../../../support/runner/property.ts';

/** Nesting depth of an outline's elements. */
function depthOf(html: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [, slash] of html.matchAll(/<(\/?)(?!br|hr)[a-z]/g)) {
    depth += slash === '/' ? -1 : 1;
    deepest = Math.max(deepest, depth);
  }
  return depth === 0 ? deepest : Number.POSITIVE_INFINITY;
}

const FLOODS: [string, string][] = [
  '<div>',
  '<div a="</div>">',
  "<div a='</div>'>",
  '<div><!--</div>-->',
  '<div></span>',
  '<div><style></div></style>',
  '<td><p>',
  '<p><li>',
  '<b><li>',
  '<table><tr><td>x',
  '<ul><li>a',
  '<a href="x">',
  '<',
  '<!--',
  '<a b="',
  '<style>',
  '</p>',
  '<blockquote>',
].map((piece) => [piece, piece.repeat(Math.ceil(100_000 / piece.length))]);

describe('HTML of a stranger', () => {
  // A converter's time grows with the square of the depth.
  it.each(FLOODS)('is processed however it is nested: %s', async (_piece, flood) => {
    expect(depthOf(outline(flood))).toBeLessThanOrEqual(60);
    expect((await htmlToText(flood)).length).toBeLessThan(1_000_000);
  });

  it('is balanced and shallow, whatever the input', () => {
    const piece = fc.constantFrom(
      '<div>',
      '</div>',
      '<p>',
      '<td ',
      '</table>',
      '<table>',
      '<li>',
      '<ul',
      '>',
      '"',
      "'",
      '=',
      '<!--',
      '-->',
      '<a href=',
      'x',
      ' ',
      '<script>',
      '</script>',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
        expect(depthOf(outline(pieces.join('')))).toBeLessThanOrEqual(60);
      }),
    );
  });

  it('is formatted up to 10,000 elements; of those beyond, the text remains, without hidden parts', async () => {
    const rest = 'x<div style="display:none">a<div>b</div>c</div>y<br>z';
    const written = outline(`${'<p>a'.repeat(75_000)}${rest}`);
    expect(written.match(/<[a-z]/g)).toHaveLength(10_000);
    expect(await htmlToText(`${'<br>'.repeat(10_000)}${rest}`)).toBe('x y z');
  });

  it.each([
    ['<p>one<p>two', 'one\n\ntwo'],
    ['<ul><li>a<li>b</ul>', '* a\n * b'],
    ['<table><tr><td>a<td>b<tr><td>c</table>', 'a b\nc'],
    ['1 < 2 &amp; 3 &gt; 2', '1 < 2 & 3 > 2'],
    ['a<br>b<hr>c', 'a\nb\n\n----------------------------------------\n\nc'],
    ['<a href="https://e.org/?a=1&amp;b=2">link</a>', 'link <https://e.org/?a=1&b=2>'],
    ['<a href="https://e.org">https://e.org</a>', 'https://e.org'],
    ['<a title="x > y" href=\'https://e.org/"q"\'>link</a>', 'link <https://e.org/"q">'],
    ['<a href="data:text/html,x">link</a>', 'link'],
    ['<h1>Title</h1>text', 'Title\n\ntext'],
    ['a<script>b</script>c<style>d</style>e<title>f</title>', 'ace'],
    ['a<div style="color:red; DISPLAY : none">b<div>c</div></div>d', 'a\n\nd'],
    ['a<!-- <div> -->b', 'ab'],
    ['a<script>b', 'a'],
    ["it<span title=it's>em</span>", 'item'],
    ['fish&nbsp;&euro;', 'fish €'],
    ['日本<b>語</b> 🎉', '日本語 🎉'],
    ['', ''],
  ])('reads as text: %s', async (html, text) => {
    expect(await htmlToText(html)).toBe(text);
  });
});
