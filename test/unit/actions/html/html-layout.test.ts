import { describe, expect, it } from 'vitest';
import { htmlToText, wholeHtmlToText } from '../../../../src/actions/html/html-text.ts';

describe('the numbers of a list (HTML, 4.4.5 and 4.4.8)', () => {
  it.each([
    ['from the first', '<ol><li>a<li>b</ol>', '1. a\n 2. b'],
    ['from another one', '<ol start="3"><li>a<li>b</ol>', '3. a\n 4. b'],
    ['from zero', '<ol start=" 0 "><li>a<li>b</ol>', '0. a\n 1. b'],
    ['from a negative one', '<ol start="-1"><li>a<li>b<li>c</ol>', '-1. a\n 0.  b\n 1.  c'],
    ['from what is no number', '<ol start="x"><li>a</ol>', '1. a'],
    ['of their own', '<ol><li>a<li value="7">b<li>c</ol>', '1. a\n 7. b\n 8. c'],
    ['backwards', '<ol reversed><li>a<li>b</ol>', '2. a\n 1. b'],
    ['backwards from another one', '<ol reversed start="9"><li>a<li>b</ol>', '9. a\n 8. b'],
    ['in letters', '<ol type="a" start="26"><li>a<li>b</ol>', 'z.  a\n aa. b'],
    ['in upper-case letters', '<ol type="A"><li>a<li>b</ol>', 'A. a\n B. b'],
    ['in Roman numerals', '<ol type="i" start="3"><li>a<li>b</ol>', 'iii. a\n iv.  b'],
    ['in upper-case Roman numerals', '<ol type="I" start="1999"><li>a</ol>', 'MCMXCIX. a'],
    ['that letters don’t have', '<ol type="a" start="0"><li>a</ol>', '0. a'],
    ['that Roman numerals don’t have', '<ol type="i" start="123456789"><li>a<li>b</ol>', '123456789. a\n 123456790. b'],
    ['without those of hidden items', '<ol start="3"><li>a<li hidden>x<li>b</ol>', '3. a\n 4. b'],
    ['of a list in a list', '<ol start="2"><li>a<ol type="a"><li>b</ol></ol>', '2. a\n    a. b'],
    ['of no list', '<ol></ol>a', 'a'],
  ])('are those that are displayed: %s', async (_what, html, text) => {
    expect(await htmlToText(html)).toBe(text);
    if (!html.includes('hidden')) expect((await wholeHtmlToText(html)).text).toBe(text);
  });
});

describe('raised and lowered digits', () => {
  it.each([
    ['$19<sup>99</sup>', '$19⁹⁹'],
    ['€ 100<sup>1</sup> a month', '€ 100¹ a month'],
    ['10<sup>-6</sup> m', '10⁻⁶ m'],
    ['10<sup>&#8722;6</sup>', '10⁻⁶'],
    ['CO<sub>2</sub>, log<sub>10</sub>5', 'CO₂, log₁₀5'],
    ['the 1<sup>st</sup> of 2<sup>nd</sup>', 'the 1st of 2nd'],
    ['a<sup>&#49;</sup>', 'a¹'],
    ['a<sup>&sup2;&amp;1</sup>', 'a²&¹'],
    ['5<sup><a href="https://example.com/1">1</a></sup>', '5¹ <https://example.com/1>'],
  ])('aren’t read as part of the number before them: %s', async (html, text) => {
    expect(await htmlToText(html)).toBe(text);
    expect((await wholeHtmlToText(html)).text).toBe(text);
  });

  it.each([
    ['$19<span style="font-size:60%;vertical-align:super">99</span>', '$19⁹⁹'],
    ['<style>.c{vertical-align:super}</style>$19<span class=c><b>99</b></span>', '$19⁹⁹'],
    ['19<sup style="vertical-align:baseline">99</sup>', '1999'],
    ['<table><tr><td style="vertical-align:top">19</table>', '19'],
  ])('are told by styles, too: %s', async (html, text) => {
    expect(await htmlToText(html)).toBe(text);
  });
});

describe('what styles display on lines of its own', () => {
  it.each([
    ['a block', 'Total<span style="display:block">42</span>end', 'Total\n42\nend'],
    ['blocks beside each other', '<b style="display:block">12</b><b style="display:block">34</b>', '12\n34'],
    ['a block by a class', '<style>.x{display:flex}</style>12<span class=x>34</span>56', '12\n34\n56'],
    ['part of a table', '<table><tbody style="display:block"><tr><td>1<td>2</table>', '1 2'],
  ])('isn’t glued to its neighbours: %s', async (_what, html, text) => {
    expect(await htmlToText(html)).toBe(text);
  });

  it.each([
    ['cells by style', '<i style="display:table-cell">12</i><i style="display:table-cell">34</i>', '12 34'],
    ['buttons', '<button>Yes</button><button>No</button>', 'Yes No'],
    ['a field', '<label>Name</label><textarea>Ada</textarea>', 'Name Ada'],
    ['words', '<span>12</span><span style="display:inline">34</span><span style="display:inline-block">56</span>', '123456'],
  ])('is parted by spaces: %s', async (_what, html, text) => {
    expect(await htmlToText(html)).toBe(text);
  });

  it.each([
    ['pre-wrap', '<div style="white-space:pre-wrap">one\ntwo\r\n\r\n  three</div>', 'one\ntwo\n\n  three'],
    ['pre-line', '<style>.m{white-space:pre-line}</style><p class=m>one   x\n<b>two\nthree</b></p>', 'one x\ntwo\nthree'],
    ['pre', '<p style="white-space:pre">a    1\nbb   2</p>', 'a    1\nbb   2'],
    ['normal inside', '<div style="white-space:pre">a\n<span style="white-space:normal">b\nc</span></div>', 'a\nb c'],
    ['nowrap', '<p style="white-space:nowrap">a\nb</p>', 'a b'],
    ['an example', '<xmp>a\nb</xmp>', 'a\nb'],
    ['a text area', '<textarea>a\nb</textarea>', 'a\nb'],
    ['a preformatted text', '<div style="white-space:pre-wrap"><pre>a\n  b</pre></div>', 'a\n  b'],
  ])('keeps its line breaks: %s', async (_what, html, text) => {
    expect(await htmlToText(html)).toBe(text);
  });

  it.each([
    `<p style="white-space:pre">${'\n'.repeat(100_000)}x`,
    `<p style="white-space:pre">${' \t'.repeat(50_000)}x`,
    `<sup>${'1&'.repeat(50_000)}`,
    `${'<i style="display:block">'.repeat(4000)}x`,
    `<ol>${'<li value=999999999 type=i>'.repeat(4000)}x`,
  ])('takes little time however often it comes: %#', async (html) => {
    expect((await htmlToText(html)).length).toBeLessThan(1_000_000);
  });
});
