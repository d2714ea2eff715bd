import { describe, expect, it } from 'vitest';
import { htmlToText, wholeHtmlToText } from '../../../../src/actions/html/html-text.ts';

const LONG = `https://zebra.example/?d=${'x'.repeat(5_000)}`;

describe('text of HTML that mail programs display', () => {
  it.each([
    ['after an empty comment', '<!-->zebra<!-- -->okapi', 'zebraokapi'],
    ['after an empty comment with a dash', '<!--->zebra<!-- -->okapi', 'zebraokapi'],
    ['after a comment that ends with an exclamation mark', '<!-- x --!>zebra<!-- -->okapi', 'zebraokapi'],
    ['after a comment within which another begins', '<!-- <!-- -->zebra', 'zebra'],
    ['after a quote in the name of an attribute', "<p ='>zebra'>okapi", "zebra'>okapi"],
    ['after a quote that is never closed', '<p title="x>zebra', 'zebra'],
    ['after a quote in the name of an element', '<p"x>zebra', 'zebra'],
    ['after a space that separates no attributes', '<p\u00a0a=">zebra">okapi', 'zebra">okapi'],
    ['after an end tag without a name', '</ x title=">zebra">okapi', 'zebra">okapi'],
    ['after a long name of an element', `<${'x'.repeat(50)} title="<p">zebra`, 'zebra'],
  ])('is read as such: %s', async (_where, html, expected) => {
    expect(await htmlToText(html)).toBe(expected);
    expect((await wholeHtmlToText(html)).text).toBe(expected);
  });
});

describe('what HTML holds besides its text', () => {
  it.each([
    ['what only one mail program shows', '<!--[if mso]><p title="a">zebra</p><![endif]-->okapi', 'a; zebra'],
    ['a comment', '<!-- zebra -->okapi', 'zebra'],
    ['a foreign section of text', 'okapi<svg><![CDATA[x><b y="zebra"', '<![CDATA[x><b y="zebra"; [CDATA[x; zebra'],
    ['a foreign section of markup', 'okapi<svg><![CDATA[<b zebra>]]>', '<![CDATA[<b zebra>]]>; [CDATA['],
    ['text of a foreign style', '<svg><style><p>zebra</p></style></svg>okapi', '<p>zebra</p>'],
    ['plain text of a foreign style', '<math><style>zebra</style></math>okapi', 'zebra'],
    ['a script', '<script>zebra</script>okapi', 'zebra'],
    ['a title', '<title>zebra</title>okapi', 'zebra'],
    ['an inline frame', '<iframe src="https://zebra.example">zebra</iframe>okapi', 'https://zebra.example; zebra'],
    ['a link relative to a base', '<base href="https://zebra.example/"><a href="x">okapi</a>', 'https://zebra.example/; x'],
    ['the target of a long link', `<a href="${LONG}">okapi</a>`, LONG],
    ['a link that is encoded', '<a href="ht&#116;ps://zebra.example">okapi</a>', 'https://zebra.example'],
    ['the second target of a link', '<a href="mailto:a@b.example" href="zebra">okapi</a>', 'zebra'],
    ['a part of an image', '<map name=m><area href="https://zebra.example/" alt="zebra"></map>okapi', 'https://zebra.example/; zebra'],
    ['a form', '<form action="https://zebra.example/"><input name=a value=zebra></form>okapi', 'https://zebra.example/; zebra'],
    ['an image', '<img src="https://zebra.example/" alt="zebr&#97;">okapi', 'https://zebra.example/; zebra'],
    ['an alternative text', '<img src="cid:a" alt="zebra">okapi', 'zebra'],
    ['a tooltip of an end tag', '<p>okapi</p title="zebra">', 'zebra'],
    ['a number of a list', '<ol start=900><li>okapi</ol>', '900'],
    ['generated text', '<style>p::after{content:"zebra"}</style>okapi', 'p::after{content:"zebra"}'],
    [
      'generated text of an attribute',
      '<style>p::after{content:attr(class)}</style><p class=zebra>okapi',
      'p::after{content:attr(class)}; zebra',
    ],
    ['the same, escaped', '<style>p::after{content:\\61ttr(class)}</style><p class=zebra>okapi', 'p::after{content:\\61ttr(class)}; zebra'],
    ['marks of a list', '<li style="list-style:&quot;zebra&quot;">okapi', 'list-style:"zebra"'],
    ['a background', '<p style="background:url(https://zebra.example)">okapi', 'background:url(https://zebra.example)'],
    ['the direction', '<bdo dir=rtl>okapi</bdo>', 'rtl'],
    ['markup in an attribute of the form', '<p class="<b>zebra">okapi', '<b>zebra'],
    ['what is repeated', '<p title=zebra><img alt=zebra><!--zebra-->okapi', 'zebra'],
  ])('is told: %s', async (_what, html, others) => {
    const whole = await wholeHtmlToText(html);
    expect(whole.others).toBe(others);
    expect(whole.text).toContain('okapi');
  });

  it('tells links that are too deep or too many to be written', async () => {
    const link = '<a href="https://zebra.example/">okapi</a>';
    for (const html of [`${'<div>'.repeat(70)}${link}`, `${'<br>'.repeat(10_001)}${link}`]) {
      expect((await wholeHtmlToText(html)).others).toBe('https://zebra.example/');
    }
  });

  it.each([
    ['a text area', '<textarea><b class="zebra"></textarea>okapi', '<b class="zebra">okapi'],
    ['an example', '<xmp><!--zebra--></xmp>okapi', '<!--zebra-->okapi'],
    ['the rest as plain text', 'okapi<plaintext><b class="zebra">', 'okapi<b class="zebra">'],
    ['hidden text', '<p style="display:none">zebra</p>okapi', 'zebra\n\nokapi'],
  ])('is a part of the text, if it is displayed as such: %s', async (_what, html, text) => {
    expect((await wholeHtmlToText(html)).text).toBe(text);
  });

  it.each([
    [
      'a web mailer',
      '<div dir="ltr"><div class="gmail_default" style="font-family:&quot;Segoe UI&quot;,sans-serif;color:#202124">Hello</div><a href="https://e.org/a" title="https://e.org/a" target="_blank">terms</a><br clear="all"><div data-smartmail="gmail_signature"><img src="cid:ii_1" width="1" height="1" alt=""></div></div>',
    ],
    [
      'a mail program',
      '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd"><html xmlns:v="urn:schemas-microsoft-com:vml" lang="EN-US"><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><style><!-- @font-face {font-family:"Cambria Math"; panose-1:2 4 5 3;} p.MsoNormal {margin:0cm; font-size:11.0pt; font-family:"Calibri",sans-serif;} --></style></head><body lang="EN-US" link="#0563C1"><p class="MsoNormal">Hello&nbsp;</p></body></html>',
    ],
    [
      'a newsletter',
      '<html><head><meta name="viewport" content="width=device-width, initial-scale=1"><style type="text/css">#outlook a{padding:0} @media only screen and (max-width:600px){.x{width:100%!important}}</style><!--[if mso | IE]><table align="center" border="0" cellpadding="0" style="width:600px;" width="600"><tr><td style="line-height:0px"><![endif]--><!--[if !mso]><!--><div role="presentation">Hello</div><!--<![endif]--><!--[if mso]>&nbsp;</td></tr></table><![endif]--></body></html>',
    ],
  ])('is nothing in an ordinary message: of %s', async (_whose, html) => {
    const { text, others } = await wholeHtmlToText(html);
    expect(text).toContain('Hello');
    expect(others).toBe('');
  });

  it.each([
    '<!--',
    '<!--<',
    '<!--<style>',
    '<a b="',
    "<a b='",
    '<a b=',
    '<a b=">',
    '<style>',
    '<p style="font',
    'attr(',
    '<![if ',
    '[if ',
    '<img alt=x>',
    '<textarea>',
    '</a b',
  ])('is read however often it comes: %s', async (piece) => {
    const { text, others } = await wholeHtmlToText(piece.repeat(Math.ceil(100_000 / piece.length)));
    expect(text.length + others.length).toBeLessThan(1_000_000);
  });
});
