import { describe, expect, it } from 'vitest';
import { htmlToText, wholeHtmlToText } from '../../../../src/actions/html/html-text.ts';

const PAY = '<a href="https://x.example/pay?id=1"><img alt="Pay" src="a.png"></a>';
const STOP = '<a href="https://x.example/unsubscribe"><img alt="Stop" src="b.png"></a>';

// HTML, 4.8.4.4: the alternative text stands in the image's place.
describe('an image', () => {
  it.each([
    ['in two links', `${PAY}${STOP}`, 'Pay <https://x.example/pay?id=1> Stop <https://x.example/unsubscribe>'],
    [
      'in two links of two cells',
      `<table><tr><td>${PAY}<td>${STOP}</table>`,
      'Pay <https://x.example/pay?id=1> Stop <https://x.example/unsubscribe>',
    ],
    [
      'without a text in a link before a word',
      '<a href="https://x.example/pay?id=1"><img src="a.png"></a>Thanks',
      '<https://x.example/pay?id=1> Thanks',
    ],
    ['without a text in a link behind a word', 'See<a href="https://x.example/"><img></a>', 'See <https://x.example/>'],
    [
      'without a text in two links',
      '<a href="https://x.example/1"><img alt=""></a><a href="https://x.example/2"><img></a>',
      '<https://x.example/1> <https://x.example/2>',
    ],
    ['in a text', '<p>Total: <img alt="42 EUR" src="x"></p>', 'Total: 42 EUR'],
    ['beside a text in a link', '<a href="https://x.example/"><img alt="Logo">Shop</a>', 'Logo Shop <https://x.example/>'],
    ['beside another', '<img alt="One"><img alt=\'Two\'>', 'One Two'],
    ['right behind a word', 'Total:<img alt=42>', 'Total: 42'],
    ['in brackets', '(<img alt=a>), b', '(a), b'],
    ['that is an emoji', 'Hi<img alt="🎉">! So<img alt="👍🏽">good', 'Hi🎉! So👍🏽good'],
    ['with character references', '<img alt="a &lt;b&gt; &amp; c&quot;">', 'a <b> & c"'],
    ['with markup in its text', '<img alt="<b>a</b>">', '<b>a</b>'],
    ['with line breaks in its text', '<img alt="a\n  b">', 'a b'],
    ['for decoration', 'a<img alt="" src=x>b', 'ab'],
    ['without a text', 'a<img src=x title=c>b', 'ab'],
    ['that counts readers', 'a<img src=x width=1 height="1" alt="zebra"><img style="width:1px" alt="zebra">', 'a'],
    ['that is hidden', 'a<img alt=zebra style="display:none"><p hidden><img alt=zebra></p>', 'a'],
    ['between which there is no room for text', '<div style="font-size:0;line-height:0"><img alt="a"> <img alt="b"></div>', 'a b'],
    ['under its old name', '<image alt="a">', 'a'],
    ['that is a button', '<input type=image alt=Send><input type="submit" value="Go"><input type=hidden value=zebra>', 'Send Go'],
    [
      'with parts',
      '<map><area href="https://x.example/a" alt="North"><area href="https://x.example/b" alt="South"><area alt=x></map>',
      'North <https://x.example/a> South <https://x.example/b>',
    ],
  ])('shows its alternative text: %s', async (_where, html, text) => {
    expect(await htmlToText(html)).toBe(text);
  });

  it.each([
    ['of addresses', '<a href="https://e.org">https://e.org</a>now', 'https://e.org now'],
    ['of words', '<a href="https://e.org">e</a>now', 'e <https://e.org> now'],
    ['before a comma', '<a href="https://e.org">e</a>, (<a href="https://e.org/f">f</a>).', 'e <https://e.org>, (f <https://e.org/f>).'],
    ['before a space', '<a href="https://e.org">e</a>&nbsp;now', 'e <https://e.org> now'],
    ['before another', '<a href="https://e.org">e</a><a href="https://e.org/f">f</a>', 'e <https://e.org> f <https://e.org/f>'],
    ['that aren’t shown', '<a href="https://e.org" style="display:none">e</a>f', 'f'],
  ])('isn’t needed to keep links apart: %s', async (_what, html, text) => {
    expect(await htmlToText(html)).toBe(text);
  });

  it('keeps links apart in the whole text', async () => {
    const { text, others } = await wholeHtmlToText(`${PAY}${STOP}Thanks`);
    expect(text).toBe('<https://x.example/pay?id=1> <https://x.example/unsubscribe> Thanks');
    expect(others).toBe('Pay; a.png; Stop; b.png');
  });
});
