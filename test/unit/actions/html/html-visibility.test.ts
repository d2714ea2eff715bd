import { describe, expect, it } from 'vitest';
import { htmlToText, wholeHtmlToText } from '../../../../src/actions/html/html-text.ts';

const styled = (style: string) => `<p style="${style}">zebra</p>`;

describe('hidden text of HTML', () => {
  it.each([
    'display:none',
    'display: none',
    'DISPLAY : NONE ;',
    'color:red;display:none',
    'display:none !important; display:block',
    'display:block; display:none',
    'display:none; display:bogus',
    'display:/**/none',
    '/* display:block */display:none',
    'd\\69splay:none',
    'display&colon;none',
    'display&#58;&#110;one',
    'visibility:hidden',
    'visibility:collapse',
    'opacity:0',
    'opacity: 0.00',
    'opacity:0%',
    'filter:opacity(0)',
    'font-size:0',
    'font-size:0px',
    'font-size:1px',
    'font-size:.05em',
    'font:0/0 a',
    'font:bold 0px/1 Arial, sans-serif',
    'mso-hide:all',
    'max-height:0;overflow:hidden',
    'max-height:0px; max-width:0px; overflow:hidden; line-height:1px',
    'height:0;overflow-y:hidden',
    'width:0;overflow:hidden',
    'text-indent:-9999px',
    'position:absolute;left:-9999px',
    'position:fixed;top:-5000px',
    'position:absolute;left:-100%',
    'margin-left:-9999px',
    'margin:0 0 0 -9999px',
    'position:absolute;clip:rect(0,0,0,0)',
    'position:absolute;clip:rect(1px 1px 1px 1px)',
    'clip-path:inset(50%)',
    'clip-path:circle(0)',
    'transform:scale(0)',
    'content-visibility:hidden',
    'color:transparent',
    'color:rgba(0,0,0,0)',
    'color:#fff',
    'color:white',
    'color:rgb(255, 255, 255)',
    'color:rgb(100% 100% 100%)',
    'color:#fefefe',
    'color:black;background:#000',
    'color:black;background-color:rgb(0,0,0)',
  ])('isn’t shown: %s', async (style) => {
    expect(await htmlToText(`${styled(style)}okapi`)).toBe('okapi');
    expect(await htmlToText(`<div style="${style}"><p><b>zebra</b></p></div>okapi`)).toBe('okapi');
    expect((await wholeHtmlToText(`${styled(style)}okapi`)).text).toBe('zebra\n\nokapi');
  });

  it.each([
    ['in a span', 'okapi<span style="display:none">zebra</span>'],
    ['in an element that isn’t known', 'okapi<x-y style="display:none">zebra</x-y>'],
    ['by an attribute', 'okapi<span hidden>zebra</span><p hidden="">zebra</p><p HIDDEN=until-found>zebra</p>'],
    ['in bold, around a block', 'okapi<b style="display:none">zebra<p>zebra</b></p>'],
    ['in a span that ends beyond a block', 'okapi<span style="display:none">zebra<div>zebra</span>zebra</div>zebra'],
    ['in formatting that a paragraph interrupts', 'okapi<p><font style="display:none">zebra</p>zebra<p>zebra'],
    ['in a list', 'okapi<ul style="display:none"><li>zebra<li>zebra</ul>'],
    ['in a row', '<table><tr style="display:none"><td>zebra<tr><td hidden>zebra<td>okapi</table>'],
    ['in a closed tag of another place', 'okapi<div style="display:none"><table><tr><td></div>zebra</table></div>'],
    ['in a body', '<body style="display:none">zebra'],
    ['in a template', 'okapi<template>zebra<template></template>zebra</template>'],
    ['in a drawing', 'okapi<svg><title>zebra</title><desc/>zebra</svg>'],
    ['in a list of proposals', 'okapi<datalist><option>zebra</datalist>'],
    ['in a closed dialog', 'okapi<dialog>zebra</dialog>'],
    ['in closed details', 'okapi<details>zebra<p>zebra</p></details>'],
    ['in a frame', 'okapi<iframe>zebra</iframe><noembed>zebra</noembed><noframes>zebra</noframes>'],
    ['in place of a film', 'okapi<video>zebra</video><audio>zebra</audio><canvas>zebra</canvas>'],
    ['in a title', '<title>zebra</title>okapi'],
    ['in an input', 'okapi<input type=hidden value=zebra><input type=" Hidden " value=zebra><input type=password value=zebra>'],
    ['for one mail program', 'okapi<!--[if mso]>zebra<![endif]-->'],
    ['in white on white, by old attributes', 'okapi<font color="ffffff">zebra</font>'],
    ['in black on black, by old attributes', 'okapi<table bgcolor="#000000"><tr><td>zebra</table>'],
    ['by a class', '<style>.x{display:none}</style>okapi<p class="y x">zebra</p>'],
    ['by an id', '<style>#x{display:none}</style>okapi<p id=x>zebra</p>'],
    ['by a name', '<style>EM,p.y{opacity:0}</style>okapi<em>zebra</em><p class=y>zebra'],
    ['by an attribute of a sheet', '<style>[title="x y"]{display:none}</style>okapi<p title="x y">zebra'],
    ['by all', '<style>*{font-size:0}</style>zebra<p>zebra'],
    [
      'by an ancestor',
      '<style>div.a > p, .b i{display:none}</style>okapi<div class=a><p>zebra</p></div><div class="b"><b><i>zebra</i></b></div>',
    ],
    ['by a sheet at the end', 'okapi<p class=x>zebra</p><style>.x{display:none}</style>'],
    ['by a sheet in a comment of its own', '<style><!-- .x{display:none} --></style>okapi<p class=x>zebra</p>'],
    ['by a sheet for screens', '<style media="screen, print">.x{display:none}</style>okapi<p class=x>zebra</p>'],
    ['by a condition for screens', '<style>@media only screen and (min-width:600px){.x{display:none}}</style>okapi<p class=x>zebra</p>'],
    ['by a condition that is negated', '<style>@media not print{.x{display:none}}</style>okapi<p class=x>zebra</p>'],
    ['by the more specific rule', '<style>p.x{display:none}p{display:block}</style>okapi<p class=x>zebra</p>'],
    ['by the later rule', '<style>p{display:block}p{display:none}</style>okapi<p>zebra</p>'],
    ['by an important rule', '<style>p{display:none!important}</style>okapi<p style="display:block">zebra</p>'],
    ['by a rule behind a broken one', '<style>a{b:url(x;} .y{} ) } {} @import "x"; .x{display:none}</style>okapi<p class=x>zebra</p>'],
    ['by an escaped class', '<style>.sm\\:x{display:none}</style>okapi<p class="sm:x">zebra</p>'],
  ])('isn’t shown, wherever the style is: %s', async (_where, html) => {
    expect((await htmlToText(html)).replace('okapi', '')).toBe('');
    expect(html.includes('okapi')).toBe((await htmlToText(html)).includes('okapi'));
  });
});

describe('visible text of HTML', () => {
  it.each([
    'display:none;display:block',
    'display:block !important;display:none',
    'display:block!important;display:none;',
    'display:none none',
    'display:"none"',
    'display:nonexistent',
    'x-display:none',
    '--display:none',
    'display-x:none',
    'font-family:&quot;display:none&quot;',
    "font-family:'a;display:none'",
    'background:url(a;display:none)',
    '/* display:none */color:red',
    'visibility:visible',
    'opacity:.5',
    'opacity:10%',
    'font-size:2px',
    'font-size:0;font-size:12px',
    'font-size:-1px',
    'font:12px/0 Arial',
    'line-height:0',
    'max-height:0',
    'height:0',
    'width:0',
    'overflow:hidden',
    'max-height:100px;overflow:hidden',
    'height:inherit;overflow:hidden',
    'max-height:none;overflow:hidden',
    'text-indent:-20px',
    'left:-9999px',
    'clip:rect(0,0,0,0)',
    'margin:-10px',
    'mso-hide:none',
    'mso-line-height-rule:exactly',
    'color:#fff;background:#000',
    'color:#fff;background:url(dark.png)',
    'color:#fff;background-image:linear-gradient(#000,#111)',
    'color:#fff;position:absolute',
    'color:#fff;background:rgba(0,0,0,.8)',
    'color:#eee',
    'color:hsl(0,0%,100%)',
  ])('is shown: %s', async (style) => {
    expect(await htmlToText(`${styled(style)}okapi`)).toBe('zebra\n\nokapi');
  });

  it.each([
    [
      'with attributes that only look like it',
      '<p data-style="display:none" title="display:none" alt="hidden" class="hidden" data-hidden aria-hidden="true">zebra</p>',
    ],
    ['inside of what is invisible', '<div style="visibility:hidden">okapi<b style="visibility:visible">zebra</b></div>'],
    ['inside of what is small', '<div style="font-size:0">okapi<span style="font-size:14px">zebra</span></div>'],
    ['in a cell of no height, which grows', '<table><tr><td style="height:0;overflow:hidden">zebra</table>'],
    ['in a span of no width', '<span style="width:0;overflow:hidden">zebra</span>'],
    ['where scripts are off', '<noscript>zebra</noscript>'],
    ['in an open dialog', '<dialog open>zebra</dialog>'],
    ['in open details', '<details open>zebra</details>'],
    ['in a summary', '<details><summary>zebra</summary>okapi</details>'],
    ['in a text area', '<textarea>zebra</textarea>'],
    ['in an example', '<xmp>zebra</xmp>'],
    ['behind a drawing', '<svg><path d="x"/><p>zebra'],
    ['behind an empty drawing', '<svg/>zebra'],
    ['behind bold that was hidden', '<b style="display:none">okapi<p>okapi</b>zebra</p>'],
    ['behind a hidden span', '<span style="display:none">okapi</span>zebra'],
    ['in spite of its attribute', '<p hidden style="display:block">zebra</p>'],
    ['only not on paper', '<style media=print>p{display:none}</style><p>zebra'],
    ['only not on small screens', '<style>@media screen and (max-width:600px){p{display:none}}</style><p>zebra'],
    ['only not in the dark', '<style>@media (prefers-color-scheme:dark){p{color:#fff}}</style><p>zebra'],
    ['unless someone points at it', '<style>p:hover{display:none}p::before{display:none}p+p{display:none}</style><p>zebra'],
    ['by a rule that overrules', '<style>.x{display:none}div .x{display:block}</style><div><p class=x>zebra</div>'],
    ['by an important rule', '<style>.x{display:block!important}</style><p class=x style="display:none">zebra'],
    ['in an animation that hides', '<style>@keyframes a{from{opacity:0}} @font-face{display:none}</style><p>zebra'],
    ['where another class is hidden', '<style>.x,.y{display:none}</style><p class="X yy x-y">zebra'],
    ['where another element is hidden', '<style>p > b{display:none}</style><p><i><b>zebra'],
    ['in a comment of a sheet', '<style>/* p{display:none} */</style><p>zebra'],
    ['in a sheet of another kind', '<style type="text/less">p{display:none}</style><p>zebra'],
    ['on a dark background around it', '<table bgcolor=#000><tr><td><span style="color:#fff">zebra</span></table>'],
    ['on an image around it', '<table background="a.png"><tr><td><span style="color:#fff">zebra</span></table>'],
    ['on a background of a class', '<style>.d{background:#123}</style><div class=d><p style="color:white">zebra</div>'],
    ['on the background of the body', '<style>html > body{background:#123;color:white}</style>zebra'],
    ['on a background that can’t be judged', '<style>td:nth-child(2){background:#123}</style><p style="color:white">zebra'],
    ['in a white page’s link', '<a href="x" style="background:#fff">zebra</a>'],
  ])('is shown: %s', async (_where, html) => {
    expect(await htmlToText(html)).toBe('zebra');
  });

  it('is shown without the text before it that only lists of messages show', async () => {
    const preheader =
      '<div style="display:none;font-size:1px;color:#ffffff;line-height:1px;max-height:0px;max-width:0px;opacity:0;overflow:hidden;">zebra&zwnj;&nbsp;</div>';
    expect(await htmlToText(`<html><body style="margin:0">${preheader}<table><tr><td>Dear okapi</td></tr></table></body></html>`)).toBe(
      'Dear okapi',
    );
  });

  it.each([
    '<b style="opacity:0"><div></b>',
    '<p><b style="opacity:0">',
    '<svg>',
    '<details>',
    '<style>a{',
    '<p style="((',
    '<style>* *{opacity:0}</style><p>',
    '<style>@media screen{',
    '<body>',
  ])('is found however often it comes: %s', async (piece) => {
    const text = await htmlToText(`${piece.repeat(Math.ceil(100_000 / piece.length))}`);
    expect(text.length).toBeLessThan(1_000_000);
  });
});
