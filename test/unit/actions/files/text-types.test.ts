import { describe, expect, it } from 'vitest';
import { isTextContent, textType } from '../../../../src/actions/files/text-types.ts';

describe('the type of a file’s text', () => {
  it.each([
    ['text/plain', 'x.bin', 'text/plain'],
    ['text/x-python', '', 'text/x-python'],
    ['message/delivery-status', '', 'message/delivery-status'],
    ['image/svg+xml', 'a.png', 'image/svg+xml'],
    ['application/problem+json', '', 'application/problem+json'],
    ['application/vnd.oai.openapi+yaml', '', 'application/vnd.oai.openapi+yaml'],
    ['application/octet-stream', 'a.b.CSV', 'text/csv'],
    ['binary/octet-stream', 'a.json', 'application/json'],
    ['', 'a.vcf', 'text/vcard'],
    ['application/force-download', 'a.log', 'text/plain'],
    ['application/octet-stream', 'Makefile', 'text/plain'],
    ['application/octet-stream', '.gitignore', 'text/plain'],
    ['application/vnd.ms-excel', 'a.tsv', 'text/tab-separated-values'],
    ['video/mp2t', 'main.ts', 'text/plain'],
    ['application/excel', 'a.csv', 'text/csv'],
    ['plain/text', 'notes', 'plain/text'],
  ])('%s %s: %s', (type, name, text) => {
    expect(textType(type, name)).toBe(text);
  });

  it.each(
    'json xml yaml toml sql x-sh x-ndjson javascript x-javascript csv ics x-subrip pgp-signature txt x-txt text x-text plain'.split(' '),
  )('application/%s is text by itself', (subtype) => {
    expect(textType(`application/${subtype}`, '')).toBe(`application/${subtype}`);
  });

  it.each([
    ['application/octet-stream', 'csv'],
    ['application/octet-stream', 'a.csv.gz'],
    ['application/octet-stream', 'a.constructor'],
    ['application/vnd.ms-excel', 'a.xls'],
    ['application/excel', 'a.xls'],
    ['application/pdf', 'a.txt'],
    ['image/png', 'a.svg'],
    ['application/rtf', 'a.rtf'],
    ['text/rtf', 'a.txt'],
    ['video/mp2t', 'film.mp4'],
    ['application/zip', ''],
  ])('%s %s is none', (type, name) => {
    expect(textType(type, name)).toBeUndefined();
  });
});

describe('content', () => {
  it.each([
    ['nothing', '', true],
    ['text of any charset', Buffer.from('Grüße').toString('hex'), true],
    ['ISO 2022', '1b2429430e475131390f', true],
    ['UTF-16', 'fffe4f60597d', true],
    ['UTF-16 without a mark', '480069000d000a00', true],
    ['a stray zero byte', Buffer.from('One line, and\0another').toString('hex'), true],
    ['a zero byte among others that are no UTF-8', Buffer.from('One line, and\0another \xff', 'latin1').toString('hex'), false],
    ['a zero byte among few others', '610062', false],
    ['zero bytes on one side', '0100020003000400', false],
    ['control characters', '0102030405066162', false],
  ])('%s can be text: %s', (_what, hex, isText) => {
    expect(isTextContent(Buffer.from(hex, 'hex'))).toBe(isText);
  });
});
