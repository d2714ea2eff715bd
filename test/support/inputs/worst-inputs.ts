// The worst that strangers are known to send, by what is worst about it: for tests, and for `npm run bench:stalls`.
import { deflateSync } from 'node:zlib';
import { docxOf, docxParagraph, pdfOf, pdfPages, pdfStream } from './office-files.ts';

const MEGABYTE = 1024 * 1024;
/** Just below the limit of a provider's response. */
const ANSWER = 11.5 * MEGABYTE;

/** A text of `bytes` bytes of this. */
const wall = (bytes: number, of: string) => of.repeat(Math.floor(bytes / Buffer.byteLength(of)));
const list = (count: number, item: string) => `[${Array(Math.floor(count)).fill(item).join(',')}]`;
const object = (count: number, name: (index: number) => string, value: string) =>
  `{${Array.from({ length: Math.floor(count) }, (_, index) => `"${name(index)}":${value}`).join(',')}}`;
const shuffled = (index: number) => `k${(index * 7_919) % 1_000_003}`;
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64url');

/** An object with many names, and lists in each other. */
export const members = (bytes: number) => object(bytes / 14, shuffled, '1');
export const nested = (bytes: number) => `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`;
/** The beginning of a webhook, whose last member follows. */
export const HEAD = '{"webhook_type":"ITEM","webhook_code":"ERROR","item_id":"item-1","environment":"sandbox","error":';

/** JSON values of the size of the largest response. */
export const JSON_VALUES: Record<string, () => string> = {
  'one text': () => `"${wall(ANSWER, 'x')}"`,
  'one text of two-byte characters': () => `"${wall(ANSWER, 'é')}"`,
  'one text of escapes': () => `"${wall(ANSWER, '\\u00e9')}"`,
  'one text of escaped quotation marks': () => `"${wall(ANSWER, '\\"')}"`,
  'halves of surrogate pairs': () => `"${wall(ANSWER, '\\ud83d')}"`,
  'marks and directions': () => `"${wall(ANSWER, 'a\u0301\u202e')}"`,
  'white space': () => `[${wall(ANSWER, ' \n')}]`,
  'a million of {}': () => list(999_000, '{}'),
  'four million of {}': () => list(ANSWER / 3, '{}'),
  numbers: () => list(ANSWER / 2, '1'),
  'long numbers': () => list(ANSWER / 1_000, '1'.repeat(999)),
  'short texts': () => list(ANSWER / 4, '"a"'),
  'names of one object': () => object(ANSWER / 14, shuffled, '1'),
  'numbers as names': () => object(ANSWER / 13, (index) => String((index * 7_919) % 4_294_967), '1'),
  'one name again and again': () => object(ANSWER / 8, () => 'id', '{}'),
  nested: () => nested(ANSWER),
  'nested objects': () => `${'{"a":'.repeat(ANSWER / 6)}1${'}'.repeat(ANSWER / 6)}`,
  'it is cut': () => `{"a":"${wall(ANSWER, 'x')}`,
};

/** Contents of a message's part, of which base64 makes the largest response. */
export const MAIL_PARTS: Record<string, () => { mimeType: string; content: string | Buffer }> = {
  ...Object.fromEntries(
    ['<p>', '<table><tr><td>', '<', '<a href="', "<a href='x' ", '<!--', '&#x41;', '&', '<div style="display:none">', '</p>', '<li>'].map(
      (tag) => [`HTML of ${tag}`, () => ({ mimeType: 'text/html', content: wall(0.7 * ANSWER, tag) })],
    ),
  ),
  'text of marks': () => ({ mimeType: 'text/plain', content: wall(0.7 * ANSWER, 'a\u0301\u202e') }),
  'text of line ends': () => ({ mimeType: 'text/plain', content: wall(0.7 * ANSWER, '\r\u2028') }),
  'bytes that are no UTF-8': () => ({ mimeType: 'text/plain', content: Buffer.alloc(0.7 * ANSWER, 0xff) }),
};

/** Files, attached to a message. */
export const FILES: Record<string, () => { mimeType: string; content: Buffer }> = {
  'a PDF whose stream explodes': () => ({ mimeType: 'application/pdf', content: pdfPages([explodingStream()]) }),
  'a PDF of many objects': () => ({ mimeType: 'application/pdf', content: pdfOf(Array(150_000).fill('<</Type/Page>>')) }),
  'a PDF that is a wall': () => ({ mimeType: 'application/pdf', content: Buffer.from(`%PDF-1.7\n${wall(0.7 * ANSWER, '1 0 obj ')}`) }),
  'a document that explodes': () => ({ mimeType: DOCX, content: docxOf(docxParagraph('x').repeat(3_000_000)) }),
  'a document of nested tables': () => ({ mimeType: DOCX, content: docxOf('<w:tbl><w:tr><w:tc>'.repeat(500_000)) }),
  'a ZIP that is a wall': () => ({
    mimeType: DOCX,
    content: Buffer.from(`PK\u0003\u0004${wall(0.7 * ANSWER, 'PK\u0001\u0002')}`, 'latin1'),
  }),
  'unknown bytes': () => ({ mimeType: 'application/octet-stream', content: Buffer.alloc(0.7 * ANSWER, 1) }),
};

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

function explodingStream(): Buffer {
  return pdfStream(deflateSync(Buffer.from('(x) Tj '.repeat(8 * MEGABYTE))), '/Filter/FlateDecode');
}

const HEADERS = ['Subject', 'From', 'To', 'Content-Type'];

/** Payloads of messages, whose form is what is bad. */
export const MAIL_PAYLOADS: Record<string, () => string> = {
  'parts in 1,000 levels': () => `${'{"mimeType":"multipart/mixed","parts":['.repeat(1_000)}${']}'.repeat(1_000)}`,
  '100,000 parts': () =>
    `{"mimeType":"multipart/mixed","parts":${list(100_000, '{"mimeType":"text/html","body":{"size":1,"data":"PHA-"}}')}}`,
  '999 parts of HTML': () =>
    `{"mimeType":"multipart/mixed","parts":${list(999, `{"mimeType":"text/html","body":{"size":1,"data":"${base64(wall(8_000, '<p>a'))}"}}`)}}`,
  '200,000 headers': () => `{"mimeType":"text/plain","headers":${list(200_000, '{"name":"Received","value":"by example.org"}')}}`,
  'a header of encoded words': () =>
    `{"mimeType":"text/plain","headers":[{"name":"Subject","value":"${wall(ANSWER, '=?utf-8?q?=C3=A9?= ')}"}]}`,
  ...Object.fromEntries(
    ['=?utf-8?q?=C3=A9?= ', '=?utf-8?q?', '<a@b.example>, ', '"a\\" <', 'a\u0301\u202e'].map((of) => [
      // Read on the main thread.
      `short headers of ${of}`,
      () => JSON.stringify({ mimeType: 'text/plain', headers: HEADERS.map((name) => ({ name, value: wall(60_000, of) })) }),
    ]),
  ),
  'a header of the beginnings of encoded words': () =>
    `{"mimeType":"text/plain","headers":[{"name":"From","value":"${wall(ANSWER, '=?utf-8?q?')}"}]}`,
};

/** Fields of a message, as long as they are read. */
export const RECIPIENTS: Record<string, () => string> = Object.fromEntries(
  ['a@b.example,', '"', '<', '(', 'a:', 'a:b@c.d;', '=?utf-8?q?=C3=A9?= <a@b.example>,', '\\"a" <b@c.d>,', ',', '@'].map((of) => [
    `fields of ${of}`,
    () => wall(60_000, of),
  ]),
);

/** Frames and bodies are limited to eight megabytes, and texts of a call to a million characters. */
const FRAME = 8 * MEGABYTE - 1_000;

/** What a client may send as the input of a call: its action, and JSON. */
export const CALLS: Record<string, () => [action: string, input: string]> = {
  'one text': () => ['drive.create', `{"name":"${wall(FRAME, 'x')}"}`],
  'one text of three-byte characters': () => ['drive.create', `{"name":"${wall(FRAME, '€')}"}`],
  'one text of escapes': () => ['drive.create', `{"name":"${wall(FRAME, '\\u00e9')}"}`],
  'one text of escaped quotation marks': () => ['drive.create', `{"name":"${wall(FRAME, '\\"')}"}`],
  'a million characters, escaped': () => ['drive.create', `{"name":"a","content":"${wall(6_000_000, '\\u20ac')}"}`],
  'a million characters': () => ['drive.create', `{"name":"a","content":"${wall(3_000_000, '€')}"}`],
  'texts of which there are too many': () => ['drive.create', `{"name":${list(32_000, `"${'x'.repeat(240)}"`)}}`],
  'unknown names': () => ['drive.create', object(19_000, shuffled, '"abcdefghij"')],
  recipients: () => ['mail.draft', `{"to":${list(19_000, '"a@b.example"')},"subject":"a","body":"b"}`],
  'recipients that are none': () => ['mail.draft', `{"to":${list(19_000, '1')},"subject":"","body":"b","reply_to":""}`],
  attachments: () => [
    'mail.draft',
    `{"to":["a@b.example"],"subject":"a","body":"b","attachments":${list(6_000, '{"name":"","text":""}')}}`,
  ],
  'one attachment': () => [
    'mail.draft',
    `{"to":["a@b.example"],"subject":"a","body":"b","attachments":[{"name":"a.txt","text":"${wall(2_900_000, '€')}"}]}`,
  ],
  'a body of blanks': () => ['mail.draft', `{"to":["a@b.example"],"subject":"a","body":"${wall(100_000, ' \\n')}"}`],
  'a declared object': () => ['own.create', `{"object":${object(19_000, shuffled, '"x"')},"text1":"x"}`],
  'a declared object, and empty texts': () => [
    'own.create',
    `{"object":${object(19_000, shuffled, '"x"')},"text1":"","text2":"","text3":"","text4":""}`,
  ],
};

/** Frames that are no calls. */
export const FRAMES: Record<string, () => string> = {
  'too large, of texts': () => frame(`{"a":"${wall(15 * MEGABYTE, '€')}"}`),
  'too large, of lists': () => frame(`{"a":${list(5 * MEGABYTE, '[]')}}`),
  'too large, of white space': () => frame(`{"a":[${wall(15 * MEGABYTE, ' ')}]}`),
  'unknown fields': () => `{"type":"call","requestId":"r","action":"x.y",${object(32_000, shuffled, '1').slice(1)}`,
  'white space': () => frame(`{"a":[${wall(FRAME, ' ')}]}`),
};

function frame(input: string): string {
  return `{"type":"call","requestId":"r","action":"x.y","input":${input}}`;
}

/** Forms of decisions. */
export const FORMS: Record<string, () => string> = {
  'arguments, escaped': () => `approved=true&input_json=${wall(FRAME, '%C3%A9')}`,
  'arguments of white space': () => `approved=true&input_json={"a":1${wall(FRAME, '+')}}`,
  'many fields': () => `approved=true${wall(FRAME, '&a')}`,
};
