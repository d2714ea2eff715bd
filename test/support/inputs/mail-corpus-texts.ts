import type { CorpusMail } from './mail-corpus.ts';
import { base64, bytes, file, html, message, multipart, part, plain } from './mime-text.ts';

const BOOKING = '<h1>Booking 7731</h1><p>Pick-up: 3 June, 10:00, Lisbon Airport</p>';
const BOOKING_TEXT = 'Booking 7731\n\nPick-up: 3 June, 10:00, Lisbon Airport';
const IMAGE = part('image/png', 'iVBORw0KGgo=', { 'Content-ID': '<i@x>', 'Content-Transfer-Encoding': 'base64' });
const INVITATION = part('text/calendar; method=REQUEST; charset=utf-8', 'BEGIN:VCALENDAR\nEND:VCALENDAR\n');
const PREFERS_PLAIN = 'it reads the plain alternative, whatever that says';
const KNOWS_TWO = 'to it, all texts but plain ones and HTML are files';
const NO_HTML = 'it converts no HTML where that is alone';

const alternative = (...parts: string[]) => message(multipart('alternative', ...parts));

export const ALTERNATIVES: Record<string, CorpusMail> = {
  'the plain text of equal ones': { raw: alternative(plain('Hello Ada'), html('<p>Hello <b>Ada</b></p>')), text: 'Hello Ada' },
  'the plain text in the wrong order': { raw: alternative(html('<p>Hello <b>Ada</b></p>'), plain('Hello Ada')), text: 'Hello Ada' },
  'HTML alone': { raw: message(html(BOOKING)), text: BOOKING_TEXT, differs: NO_HTML },
  'HTML as the only alternative': { raw: alternative(html('<p>Hello</p>')), text: 'Hello', differs: NO_HTML },
  'a blank plain text': { raw: alternative(plain(' \n\n'), html(BOOKING)), text: BOOKING_TEXT, differs: PREFERS_PLAIN },
  'a plain text of invisible characters': {
    raw: alternative(plain(bytes('\u200b\u034f\u00ad')), html('<p>Code: 482913</p>')),
    text: 'Code: 482913',
    differs: PREFERS_PLAIN,
  },
  'a plain text that is a notice': {
    raw: alternative(plain('Your client does not support HTML emails. <!-- fallback -->\n'), html(BOOKING)),
    text: BOOKING_TEXT,
    differs: PREFERS_PLAIN,
  },
  'a plain text that is a link': {
    raw: alternative(plain('https://news.example.com/view?id=8c1f\n'), html(BOOKING)),
    text: BOOKING_TEXT,
    differs: PREFERS_PLAIN,
  },
  'a plain text that is the beginning': {
    raw: alternative(plain('Booking 7731'), html(BOOKING)),
    text: BOOKING_TEXT,
    differs: PREFERS_PLAIN,
  },
  'a plain text that is the source of the page': {
    raw: alternative(plain(`<html><body>${BOOKING}</body></html>`), html(BOOKING)),
    text: BOOKING_TEXT,
    differs: PREFERS_PLAIN,
  },
  'texts that say different things': {
    raw: alternative(plain('Take the second key from Jonas, I will be late.'), html(BOOKING)),
    text: `Take the second key from Jonas, I will be late.\n\n${BOOKING_TEXT}`,
    differs: PREFERS_PLAIN,
  },
  'an HTML text that says nothing': {
    raw: alternative(plain('Hello Ada'), html('<img src="https://example.com/1.png">')),
    text: 'Hello Ada',
  },
  'an invitation beside them': {
    raw: alternative(plain('Lunch on Tuesday at noon'), html('<p>Lunch on Tuesday at noon</p>'), INVITATION),
    text: 'Lunch on Tuesday at noon',
    attachments: { 2: 'unnamed' },
    opened: { 2: 'BEGIN:VCALENDAR\nEND:VCALENDAR\n' },
  },
  'AMP beside them': {
    raw: alternative(plain('Hello'), part('text/x-amp-html', '<html amp4email><body>Hello, run</body></html>'), html('<p>Hello</p>')),
    text: 'Hello',
    otherFiles: KNOWS_TWO,
  },
  'AMP alone': {
    raw: alternative(part('text/x-amp-html', '<html amp4email><body>Hello, run</body></html>')),
    text: 'Hello, run',
    differs: 'to it, AMP is a file',
    otherFiles: KNOWS_TWO,
  },
  'AMP beside a blank text': {
    raw: alternative(plain(' '), part('text/x-amp-html', '<p>Run</p>'), html('<p>Hello</p>')),
    text: 'Hello',
    differs: PREFERS_PLAIN,
    otherFiles: KNOWS_TWO,
  },
  'HTML for watches': {
    raw: alternative(plain('Hello'), part('text/watch-html', '<b>Hi</b>'), html('<p>Hello</p>')),
    text: 'Hello',
    otherFiles: KNOWS_TWO,
  },
  'HTML with its images': {
    raw: alternative(plain('Hello Ada'), multipart('related', html('<p>Hello Ada <img src="cid:i@x"></p>'), IMAGE)),
    text: 'Hello Ada',
    attachments: { 1.1: 'unnamed' },
  },
  'HTML around a file': {
    raw: alternative(
      plain('Before. After.'),
      multipart('mixed', html('<p>Before.</p>'), file('application/pdf', 'a.pdf'), html('<p>After.</p>')),
    ),
    text: 'Before. After.',
    attachments: { 1.1: 'a.pdf' },
  },
  'HTML around a file, without a plain text': {
    raw: alternative(plain(''), multipart('mixed', html('<p>Before.</p>'), file('application/pdf', 'a.pdf'), html('<p>After.</p>'))),
    text: 'Before.\n\nAfter.',
    attachments: { 1.1: 'a.pdf' },
    differs: PREFERS_PLAIN,
  },
  'texts with file names': {
    raw: alternative(
      part('text/plain; charset=utf-8; name="message.txt"', 'Hello'),
      part('text/html; charset=utf-8; name="message.html"', '<p>Hello</p>', { 'Content-Disposition': 'inline; filename="message.html"' }),
    ),
    text: 'Hello',
  },
  'alternatives of an alternative': {
    raw: alternative(plain(''), multipart('alternative', plain('Your browser shows HTML.'), html(BOOKING))),
    text: BOOKING_TEXT,
    differs: PREFERS_PLAIN,
  },
  'the footer of a mailing list behind them': {
    raw: message(multipart('mixed', multipart('alternative', plain('Hello'), html('<p>Hello</p>')), plain('List: ada@lists.example.org'))),
    text: 'Hello\n\nList: ada@lists.example.org',
  },
  'XHTML alone': {
    raw: message(part('application/xhtml+xml', '<p>Hello</p>')),
    text: 'Hello',
    differs: 'to it, XHTML is a file',
    otherFiles: KNOWS_TWO,
  },
  none: { raw: message(part('multipart/alternative; boundary=b', '--b--\n')), text: '' },
};

const flowed = (content: string, more = '', fields = {}) =>
  message(part(`text/plain; charset=utf-8; format=flowed${more}`, content, fields));
const NO_DEPTH = 'it joins without regard to quotes and stuffing';

export const FLOWED: Record<string, CorpusMail> = {
  'a paragraph': {
    raw: flowed('This paragraph was wrapped \nby the sender.\nNew line.'),
    text: 'This paragraph was wrapped by the sender.\nNew line.',
  },
  'an address of a link': {
    raw: flowed('Open https://example.com/?token=0123456789 \nABCDEFGHIJ&user=1\n\nThis is one para \ngraph.', '; delsp=yes'),
    text: 'Open https://example.com/?token=0123456789ABCDEFGHIJ&user=1\n\nThis is one paragraph.',
  },
  'quotes of several depths': {
    raw: flowed('> quoted text that goes \n> on here\n>> deeper \n>> still \nmy answer'),
    text: '> quoted text that goes on here\n>> deeper still \nmy answer',
    differs: NO_DEPTH,
  },
  'stuffed lines': { raw: flowed(' From here\n > 5 is more'), text: 'From here\n> 5 is more' },
  'a signature': { raw: flowed('See you \n-- \nAna \nRoe'), text: 'See you \n-- \nAna Roe' },
  'in quoted-printable': {
    raw: flowed('One line=20\nof two, f=C3=BCr Ada', '', { 'Content-Transfer-Encoding': 'quoted-printable' }),
    text: 'One line of two, für Ada',
  },
  'in base64': { raw: flowed(base64('One line \r\nof two'), '', { 'Content-Transfer-Encoding': 'base64' }), text: 'One line of two' },
  'with other spellings': {
    raw: message(part('Text/Plain; Format="Flowed" (RFC 3676); DELSP=Yes; charset=us-ascii', 'one \ntwo')),
    text: 'onetwo',
  },
  'fixed text': { raw: message(part('text/plain; format=fixed', 'one \ntwo')), text: 'one \ntwo' },
  'beside HTML': {
    raw: message(multipart('alternative', part('text/plain; format=flowed', 'Hello \nAda'), html('<p>Hello Ada</p>'))),
    text: 'Hello Ada',
  },
  'as a file': {
    raw: message(multipart('mixed', plain('See the file'), part('text/plain; format=flowed; name="a.txt"', 'one \ntwo'))),
    text: 'See the file',
    attachments: { 1: 'a.txt' },
    opened: { 1: 'one two' },
    otherFiles: 'to it, a text with a name is no file',
    differs: 'to it, a text with a name is no file',
  },
};

const page = (content: string, text: string): CorpusMail => ({ raw: message(html(content)), text, differs: NO_HTML });

export const PAGES: Record<string, CorpusMail> = {
  'links with their addresses': page(
    '<p>See <a href="https://example.com/a?b=1&amp;c=2">the page</a>.</p>',
    'See the page <https://example.com/a?b=1&c=2>.',
  ),
  'images in links': page(
    '<a href="https://example.com/buy"><img src="https://example.com/1.png" alt="Buy now"></a>',
    'Buy now <https://example.com/buy>',
  ),
  'hidden text': page('<div style="display:none">Preview</div><p>Hello</p><p hidden>No</p>', 'Hello'),
  'lists and headings': page('<h1>Plan</h1><ul><li>one</li><li>two</li></ul>', 'Plan\n\n * one\n * two'),
  'entities and line breaks': page('Gr&uuml;&szlig;e&nbsp;&amp;<br>Ada &#128075;', 'Grüße &\nAda 👋'),
  'styles and scripts': page('<style>p { color: red }</style><script>alert(1)</script><p>Hello</p>', 'Hello'),
};

/** Containers around a text. */
function nested(levels: number): string {
  let inside = plain('Deep');
  for (let level = 0; level < levels; level += 1) inside = multipart('mixed', inside);
  return inside;
}

export const STRUCTURES: Record<string, CorpusMail> = {
  'no MIME fields': { raw: 'From: ana@example.com\nTo: ada@example.org\nSubject: Hello\n\nHello', text: 'Hello', from: 'ana@example.com' },
  'no text': { raw: message('\n'), text: '' },
  'no empty line': { raw: 'From: ana@example.com\nSubject: Hello\n', text: '' },
  'a type that is none': {
    raw: message(part('text', 'Hello')),
    text: 'Hello',
    differs: 'to it, an invalid type is a file',
    otherFiles: KNOWS_TWO,
  },
  'several texts': {
    raw: message(multipart('mixed', plain('one'), html('<p>two</p>'), plain('three'))),
    text: 'one\n\ntwo\n\nthree',
  },
  'a file between texts': {
    raw: message(multipart('mixed', plain('one'), file('application/pdf', 'a.pdf'), plain('two'))),
    text: 'one\n\ntwo',
    attachments: { 1: 'a.pdf' },
  },
  'a text that is set aside': {
    raw: message(multipart('mixed', plain('one'), plain('two', { 'Content-Disposition': 'ATTACHMENT' }))),
    text: 'one',
    attachments: { 1: 'unnamed' },
    opened: { 1: 'two' },
  },
  'a disposition that nobody knows (RFC 2183)': {
    raw: message(multipart('mixed', plain('one'), plain('two', { 'Content-Disposition': 'x-aside; filename=b.txt' }))),
    text: 'one',
    attachments: { 1: 'b.txt' },
    opened: { 1: 'two' },
    otherFiles: 'to it, it is a text',
    differs: 'to it, it is a text',
  },
  'an image in the text': {
    raw: message(multipart('related', html('<p>Hello <img src="cid:i@x"></p>'), IMAGE)),
    text: 'Hello',
    attachments: { 1: 'unnamed' },
    differs: NO_HTML,
  },
  'text before and behind the parts': {
    raw: message(part('multipart/mixed; boundary=b', 'This is a MIME message.\n--b\n\none\n--b--\nThe end.\n')),
    text: 'one',
  },
  'no closing delimiter': { raw: message(part('multipart/mixed; boundary=b', '--b\n\none\n--b\n\ntwo\n')), text: 'one\n\ntwo\n' },
  'a delimiter with white space': { raw: message(part('multipart/mixed; boundary=b', '--b  \n\none\n--b--  \n')), text: 'one' },
  'a delimiter that begins with another': {
    raw: message(
      part('multipart/mixed; boundary=b', `--b\n${part('multipart/mixed; boundary=b1', '--b1\n\none\n--b1--')}\n--b\n\ntwo\n--b--\n`),
    ),
    text: 'one\n\ntwo',
  },
  'a boundary of any characters': {
    raw: message(part(`multipart/mixed; boundary="a b'()+_,-./:=?"`, "--a b'()+_,-./:=?\n\none\n--a b'()+_,-./:=?--\n")),
    text: 'one',
  },
  'a container of an unknown kind': { raw: message(multipart('x-set', plain('one'), plain('two'))), text: 'one\n\ntwo' },
  'a signed message': {
    raw: message(
      multipart('signed; protocol="application/pgp-signature"', plain('Hello'), part('application/pgp-signature; name=s.asc', 'x')),
    ),
    text: 'Hello',
    attachments: { 1: 's.asc' },
  },
  'an encrypted message': {
    raw: message(
      multipart('encrypted', part('application/pgp-encrypted', 'Version: 1'), file('application/octet-stream', 'encrypted.asc')),
    ),
    text: '',
    attachments: { 0: 'unnamed', 1: 'encrypted.asc' },
  },
  'a delivery report': {
    raw: message(
      multipart(
        'report; report-type=delivery-status',
        plain('Your message was not delivered.'),
        part('message/delivery-status', 'Reporting-MTA: dns; example.com\n\nFinal-Recipient: rfc822; x@example.com\nAction: failed\n'),
        part('text/rfc822-headers', 'Subject: Lost\n'),
      ),
    ),
    text: 'Your message was not delivered.',
    attachments: { 1: 'unnamed', 2: 'unnamed' },
    opened: { 1: 'Reporting-MTA: dns; example.com\n\nFinal-Recipient: rfc822; x@example.com\nAction: failed\n', 2: 'Subject: Lost\n' },
  },
  'enriched text': {
    raw: message(part('text/enriched', '<bold>Hello</bold>\nAda <<3')),
    text: 'Hello Ada <3',
    otherFiles: KNOWS_TWO,
    differs: 'to it, it is a file',
  },
  'Markdown in the text': {
    raw: message(multipart('mixed', plain('one'), part('text/markdown', '# two'))),
    text: 'one\n\n# two',
    otherFiles: KNOWS_TWO,
    differs: 'to it, Markdown is a file',
  },
  'a text of one part that has a name': { raw: message(part('text/plain; name="message.txt"', 'Hello')), text: 'Hello' },
  'a text with a name that comes first (RFC 8621, 4.1.4)': {
    raw: message(multipart('mixed', part('text/plain; name="body.txt"', 'Hello'), file('application/pdf', 'a.pdf'))),
    text: 'Hello',
    attachments: { 1: 'a.pdf' },
  },
  'HTML with a name that comes first': {
    raw: message(
      multipart(
        'mixed',
        part('text/html; name="body.htm"', '<p>Hello</p>', { 'Content-Disposition': 'inline; filename="body.htm"' }),
        file('application/pdf', 'a.pdf'),
      ),
    ),
    text: 'Hello',
    attachments: { 1: 'a.pdf' },
    differs: NO_HTML,
  },
  'a text with a name that is set aside, first': {
    raw: message(multipart('mixed', plain('one', { 'Content-Disposition': 'attachment; filename=a.txt' }), plain('two'))),
    text: 'two',
    attachments: { 0: 'a.txt' },
    opened: { 0: 'one' },
  },
  'a root that isn’t the first part (RFC 2387, 3.2)': {
    raw: message(
      multipart(
        'related; type="text/html"; start="<root@x>"',
        IMAGE,
        part('text/html; name="page.html"', '<p>Hello <img src="cid:i@x"></p>', { 'Content-ID': '<root@x>' }),
      ),
    ),
    text: 'Hello',
    attachments: { 0: 'unnamed' },
    differs: NO_HTML,
  },
  'a root without angle brackets': {
    raw: message(
      multipart('related; start=root@x', IMAGE, part('text/plain; name="page.txt"', 'Hello', { 'Content-ID': ' <root@x> (page)' })),
    ),
    text: 'Hello',
    attachments: { 0: 'unnamed' },
  },
  'containers in containers': { raw: message(nested(60)), text: 'Deep' },
};
