import type { CorpusMail } from './mail-corpus.ts';
import { base64, bytes, type Fields, file, message, multipart, part, plain } from './mime-text.ts';

const encoded = (encoding: string, content: string, type = 'text/plain; charset=utf-8') =>
  message(part(type, content, { 'Content-Transfer-Encoding': encoding }));

export const TRANSFER: Record<string, CorpusMail> = {
  'quoted-printable with soft line breaks': { raw: encoded('quoted-printable', 'Gr=C3=BC=\n=C3=9Fe=20=\nan Ada'), text: 'Grüße an Ada' },
  'quoted-printable in lower case': { raw: encoded('Quoted-Printable', 'Gr=c3=bc=c3=9fe'), text: 'Grüße' },
  'quoted-printable with blanks before line breaks': {
    raw: encoded('quoted-printable', 'one= \t\ntwo  \nthree'),
    text: 'onetwo\nthree',
    differs: 'it keeps blanks behind a soft line break (RFC 2045, 6.7)',
  },
  'quoted-printable with a lone =': { raw: encoded('quoted-printable', 'a = b =C3=BC'), text: 'a = b ü' },
  'base64 in lines': { raw: encoded('base64', base64('Grüße an Ada. '.repeat(20))), text: 'Grüße an Ada. '.repeat(20) },
  'base64 in upper case': { raw: encoded('BASE64', base64('Hello')), text: 'Hello' },
  'base64 without padding': { raw: encoded('base64', 'SGVsbG8'), text: 'Hello' },
  'base64 with other characters': { raw: encoded('base64', 'SGV!\n sbG8='), text: 'Hello' },
  '8bit': { raw: encoded('8bit', bytes('Grüße')), text: 'Grüße' },
  binary: { raw: encoded('binary', bytes('Grüße')), text: 'Grüße' },
  'an unknown one': { raw: encoded('x-other', 'Hello'), text: 'Hello' },
  'a long line': { raw: encoded('7bit', 'x'.repeat(2000)), text: 'x'.repeat(2000) },
};

const charset = (name: string, content: string) => encoded('quoted-printable', content, `text/plain; charset=${name}`);

export const CHARSETS: Record<string, CorpusMail> = {
  'ISO 8859-1': { raw: charset('ISO-8859-1', 'Gr=FC=DFe'), text: 'Grüße' },
  'windows-1252': { raw: charset('windows-1252', '9,90 =80 =93now=94'), text: '9,90 € “now”' },
  'ISO 8859-2': { raw: charset('iso-8859-2', '=A3=F3d=BC'), text: 'Łódź' },
  'KOI8-R': { raw: charset('koi8-r', '=F0=D2=C9=D7=C5=D4'), text: 'Привет' },
  Shift_JIS: { raw: charset('Shift_JIS', '=93=FA=96{=8C=EA'), text: '日本語' },
  'EUC-KR': { raw: charset('euc-kr', '=C7=D1=B1=DB'), text: '한글' },
  GB18030: { raw: charset('gb18030', '=C4=E3=BA=C3'), text: '你好' },
  Big5: { raw: charset('big5', '=A7A=A6n'), text: '你好' },
  'ISO-2022-JP': { raw: encoded('7bit', '\u001b$BF|K\\8l\u001b(B', 'text/plain; charset=iso-2022-jp'), text: '日本語' },
  'a quoted name': { raw: charset('"iso-8859-1"', 'Gr=FC=DFe'), text: 'Grüße' },
  'no name, in UTF-8': { raw: message(part('text/plain', bytes('Grüße'))), text: 'Grüße' },
  'HTML of another charset': {
    raw: encoded('quoted-printable', '<p>Gr=FC=DFe</p>', 'text/html; charset=iso-8859-1'),
    text: 'Grüße',
    differs: 'it converts no HTML where that is alone',
  },
};

/** A text beside a file with these fields. */
function named(type: string, fields: Fields): string {
  return message(multipart('mixed', plain('See the file'), part(type, 'abc', fields)));
}

const disposition = (value: string) => named('application/pdf', { 'Content-Disposition': value });

export const NAMES: Record<string, CorpusMail> = {
  'in quotation marks': {
    raw: disposition('attachment; filename="My report; final.pdf"'),
    text: 'See the file',
    attachments: { 1: 'My report; final.pdf' },
  },
  'a token': { raw: disposition('attachment; filename=report.pdf'), text: 'See the file', attachments: { 1: 'report.pdf' } },
  'escaped quotation marks': {
    raw: disposition('attachment; filename="a \\"b\\".pdf"'),
    text: 'See the file',
    attachments: { 1: 'a "b".pdf' },
  },
  'percent-encoded (RFC 2231)': {
    raw: disposition("attachment; filename*=UTF-8'de'Gr%C3%BC%C3%9Fe.pdf"),
    text: 'See the file',
    attachments: { 1: 'Grüße.pdf' },
  },
  'in ISO 8859-1 (RFC 2231)': {
    raw: disposition("attachment; filename*=iso-8859-1''Gr%FC%DFe.pdf"),
    text: 'See the file',
    attachments: { 1: 'Grüße.pdf' },
  },
  'in pieces (RFC 2231)': {
    raw: disposition('attachment; filename*0*=UTF-8\'\'Gr%C3%BC;\n filename*1*=%C3%9Fe;\n filename*2=".pdf"'),
    text: 'See the file',
    attachments: { 1: 'Grüße.pdf' },
  },
  'an encoded word, which is common': {
    raw: disposition('attachment; filename="=?utf-8?Q?Gr=C3=BC=C3=9Fe.pdf?="'),
    text: 'See the file',
    attachments: { 1: 'Grüße.pdf' },
  },
  'of the type only': { raw: named('application/pdf; name="a.pdf"', {}), text: 'See the file', attachments: { 1: 'a.pdf' } },
  'of the disposition and the type': {
    raw: named('application/pdf; name="b.pdf"', { 'Content-Disposition': 'attachment; filename="a.pdf"' }),
    text: 'See the file',
    attachments: { 1: 'a.pdf' },
  },
  none: { raw: named('application/pdf', {}), text: 'See the file', attachments: { 1: 'unnamed' } },
};

const subject = (value: string) => message(plain('x'), { Subject: value });
const from = (value: string) => message(plain('x'), { From: value });

export const HEADERS: Record<string, CorpusMail> = {
  'a subject in encoded words': { raw: subject('=?utf-8?B?R3LDvA==?=\n =?utf-8?Q?=C3=9Fe_?= Ada'), text: 'x', subject: 'Grüße  Ada' },
  'a character in two encoded words': { raw: subject('=?utf-8?Q?Gr=C3?= =?utf-8?Q?=BC=C3=9Fe?='), text: 'x', subject: 'Grüße' },
  'a folded subject': { raw: subject('Lunch on\n Tuesday'), text: 'x', subject: 'Lunch on Tuesday' },
  'a subject in UTF-8 (RFC 6532)': { raw: subject(bytes('Grüße 🎉')), text: 'x', subject: 'Grüße 🎉' },
  'a sender in UTF-8 (RFC 6532)': { raw: from(bytes('Jürgen <j@example.com>')), text: 'x', from: 'Jürgen <j@example.com>' },
  'a sender in an encoded word': {
    raw: from('=?utf-8?Q?Doe=2C_John?= <john@example.com>'),
    text: 'x',
    from: '"Doe, John" <john@example.com>',
  },
  'no sender and no subject': { raw: `To: ada@example.org\n${plain('x')}`, text: 'x', from: '', subject: '' },
  'a field without a space': {
    raw: `From:ana@example.com\nSubject:Hello\n${plain('x')}`,
    text: 'x',
    from: 'ana@example.com',
    subject: 'Hello',
  },
  'a file beside an encoded subject': {
    raw: message(multipart('mixed', plain('x'), file('text/csv', 'a.csv', 'a,b')), { Subject: '=?iso-8859-1?Q?Gr=FC=DFe?=' }),
    text: 'x',
    subject: 'Grüße',
    attachments: { 1: 'a.csv' },
    opened: { 1: 'a,b' },
  },
};
