import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';

let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());
beforeEach(async () => {
  me = await newPerson(steward);
});

const XLS = Buffer.from('d0cf11e0a1b11ae1000000000000', 'hex');
const EVENT = 'BEGIN:VCALENDAR\r\nSUMMARY:Tea\r\nEND:VCALENDAR\r\n';
const PAGE =
  '<title>x</title><style>.h{display:none}</style><h1>Invoice 7</h1><p><a href="https://example.com/pay">Pay</a> <img src="data:image/png;base64,iVBORw0KGgo=" alt="Thanks"></p><p class="h">hidden</p>';
const XHTML =
  '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x.js"/></head><body><h1>Invoice 7</h1><p style="display:none"/><p>Pay 42</p></body></html>';
const lines = (text: string) => text.replaceAll('\r\n', '\n');

/** Name, type, bytes, and the text; without one, it isn't text. */
const FILES: [string, string, Buffer, string?][] = [
  ['utf16.csv', 'text/csv', Buffer.from('\ufeffName;Größe\r\nÄpfel;3\r\n', 'utf16le'), 'Name;Größe\nÄpfel;3\n'],
  ['unmarked.csv', 'text/csv', Buffer.from('Name;Größe\n', 'utf16le'), 'Name;Größe\n'],
  ['plain.csv', 'application/octet-stream', Buffer.from('a,b\n1,2\n'), 'a,b\n1,2\n'],
  ['REPORT.CSV', 'application/vnd.ms-excel', Buffer.from('a,b\n3,4\n'), 'a,b\n3,4\n'],
  ['notes.txt', 'application/x-download', Buffer.from('hello'), 'hello'],
  ['russian.txt', 'text/plain', Buffer.from('cff0e8e2e5f2', 'hex'), 'Привет'],
  ['invite.ics', 'text/calendar', Buffer.from(EVENT), lines(EVENT)],
  ['invite.ics', 'application/ics', Buffer.from(EVENT), lines(EVENT)],
  ['data.json', 'application/octet-stream', Buffer.from('{"a":1}'), '{"a":1}'],
  ['feed', 'application/ld+json', Buffer.from('{}'), '{}'],
  ['c.yml', 'application/x-yaml', Buffer.from('a: 1\n'), 'a: 1\n'],
  ['x.js', 'application/javascript', Buffer.from('1'), '1'],
  ['README', 'application/octet-stream', Buffer.from('# Ours'), '# Ours'],
  ['report.csv', 'application/vnd.ms-excel', XLS],
  ['wrong.txt', 'text/plain', Buffer.from('89504e470d0a1a0a0000', 'hex')],
  ['letter.rtf', 'application/rtf', Buffer.from('{\\rtf1 Hello}')],
  ['letter.rtf', 'text/rtf', Buffer.from('{\\rtf1 Hello}')],
  ['photo', 'application/octet-stream', Buffer.from('00ff', 'hex')],
  ['book.xls', 'application/vnd.ms-excel', Buffer.from('a')],
];
const PAGES: typeof FILES = [
  ['page.html', 'application/octet-stream', Buffer.from('<meta charset=gb2312>\xcd\xa8\xd6\xaa', 'latin1'), '通知'],
  ['invoice.htm', 'text/html', Buffer.from(PAGE), 'Invoice 7\n\nPay <https://example.com/pay> Thanks'],
  ['invoice.xhtml', 'application/xhtml+xml', Buffer.from(XHTML), 'Invoice 7\n\nPay 42'],
  ['long.html', 'text/html', Buffer.from(`<p>${'word '.repeat(2000)}</p>`), 'word '.repeat(2000).trim()],
  ['source.html', 'text/plain', Buffer.from('<p>one</p>'), '<p>one</p>'],
];

describe('a file in the mail and in the drive', () => {
  it.each([
    ['text in both, or in neither', FILES],
    ['what a page displays in both', PAGES],
  ])('is %s', async (_what, files) => {
    const attachments = files.map(([name, mime, bytes]) => ({ name, mime, base64: bytes.toString('base64') }));
    const { id: message } = await me.act('mail.send', { to: [me.email], subject: 'Files', body: 'Here.', attachments });
    const listed = (await me.act('mail.read', { message })).messages[0].attachments;
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(files.map(([name]) => name));
    for (const [index, [name, mime, bytes, text]] of files.entries()) {
      const attachment = listed[index].id;
      const inMail = await me.act('mail.attachment', { message, attachment });
      const saved = await me.act('mail.save_attachment', { message, attachment });
      const inDrive = await me.act('drive.read', { id: saved.id });
      const expected = text === undefined ? { base64: bytes.toString('base64') } : { text };
      const of = ({ text, base64 }: { text?: string; base64?: string }) => (text === undefined ? { base64 } : { text });
      expect({ name, mime, ...of(inMail) }).toEqual({ name, mime, ...expected });
      expect({ name, mime, ...of(inDrive) }).toEqual({ name, mime, ...expected });
    }
  });
});
