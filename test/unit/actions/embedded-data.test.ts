import { describe, expect, it } from 'vitest';
import { withoutEmbeddedData } from '../../../src/actions/shared/embedded-data.ts';

const DATA = Buffer.alloc(9_000, 'a picture').toString('base64');
const LINES = DATA.replace(/.{76}/g, '$&\r\n');
const SIGN = '[image/png, 9 kB left out]';
const FOLDED = DATA.replace(/.{74}/g, '$&\n ');

describe('a file inside of a text', () => {
  it.each([
    [
      'a reference of Markdown',
      `![Quay][image1]\n\n[image1]: <data:image/png;base64,${DATA}>\n\nEnd`,
      `![Quay][image1]\n\n[image1]: <${SIGN}>\n\nEnd`,
    ],
    ['an image of Markdown', `![Quay](data:image/png;base64,${DATA}) End`, `![Quay](${SIGN}) End`],
    ['an image of HTML', `<img src="data:image/png;base64,${DATA}" alt="Quay">`, `<img src="${SIGN}" alt="Quay">`],
    ['an image of a style', `a{background:url(data:image/png;base64,${DATA})}`, `a{background:url(${SIGN})}`],
    ['with parameters', `data:image/png;charset=utf-8;name="a.png";base64,${DATA} End`, `${SIGN} End`],
    ['in capitals', `DATA:IMAGE/PNG;BASE64,${DATA}`, '[IMAGE/PNG, 9 kB left out]'],
    ['without a type', `"data:;base64,${DATA}"`, '"[file, 9 kB left out]"'],
    ['in lines', `<img src="data:image/png;base64,\n${LINES}">End`, '<img src="[image/png, 9 kB left out]">End'],
    ['in JSON', JSON.stringify({ a: `data:image/png;base64,${LINES}`, b: 1 }).replaceAll('/', '\\/'), `{"a":"${SIGN}","b":1}`],
    ['percent-encoded', `(data:image/png;base64,${encodeURIComponent(DATA)})`, `(${SIGN})`],
    ['two of them', `data:image/png;base64,${DATA} data:image/gif;base64,${DATA}`, `${SIGN} [image/gif, 9 kB left out]`],
    ['a drawing', `<img src="data:image/svg+xml,${'%3Cpath%20d=%220%22/%3E'.repeat(100)}">`, '<img src="[image/svg+xml, 3 kB left out]">'],
    [
      'the photo of a contact (RFC 2426, 2.4.1)',
      `FN:Ana\nPHOTO;ENCODING=b;TYPE=JPEG:${FOLDED}\nTEL:1\nEND:VCARD`,
      'FN:Ana\nPHOTO;ENCODING=b;TYPE=JPEG:[file, 9 kB left out]\nTEL:1\nEND:VCARD',
    ],
    [
      'the photo of a contact of vCard 2.1',
      `PHOTO;JPEG;ENCODING=BASE64:\n ${FOLDED}\n\nTEL:1`,
      'PHOTO;JPEG;ENCODING=BASE64:\n [file, 9 kB left out]\n\nTEL:1',
    ],
    [
      'a file of an event (RFC 5545, 3.2.7)',
      `ATTACH;FMTTYPE=image/png;ENCODING=BASE64;VALUE=BINARY:${FOLDED}\r\nSUMMARY:Tea`,
      'ATTACH;FMTTYPE=image/png;ENCODING=BASE64;VALUE=BINARY:[file, 9 kB left out]\r\nSUMMARY:Tea',
    ],
    ['an output of a notebook', JSON.stringify({ 'image/png': `${LINES}\n`, b: 1 }, null, 1), `{\n "image/png": "${SIGN}",\n "b": 1\n}`],
    ['a font', `data:font/woff2;base64,${DATA}`, '[font/woff2, 9 kB left out]'],
  ])('is left out: %s', (_what, text, expected) => {
    expect(withoutEmbeddedData(text)).toBe(expected);
  });

  it.each([
    'The data: image/png;base64, in words.',
    'data:image/png;base64,iVBORw0KGgo=',
    `data:text/plain,${'Hello,%20world.'.repeat(20)}`,
    `metadata:image/png;base64,${DATA}`,
    `data:image/png;base64 ${DATA}`,
    'PHOTO;ENCODING=b:AAAA',
    `NOTE;ENCODING=8BIT:${DATA}`,
    `{"image/png":"${'0123456789abcdef'.repeat(4)}"}`,
    DATA,
  ])('is only what says that it is one: %s', (text) => {
    expect(withoutEmbeddedData(text)).toBe(text);
  });

  it('ends where other text begins', () => {
    expect(withoutEmbeddedData(`data:image/png;base64,${DATA}\nAnd then\nmore`)).toBe(`${SIGN}\nAnd then\nmore`);
    expect(withoutEmbeddedData(`data:image/png;base64,${DATA}\nEnd`)).toBe(`${SIGN}\nEnd`);
    expect(withoutEmbeddedData(`data:image/png;base64,${DATA}\nGermany's capital`)).toBe(`${SIGN}\nGermany's capital`);
    expect(withoutEmbeddedData(`data:image/png;base64,${DATA}\n(Berlin)`)).toBe(`${SIGN}\n(Berlin)`);
    expect(withoutEmbeddedData(`(data:image/png;base64,${DATA}\nBerlin)`)).toBe(`(${SIGN}\nBerlin)`);
    expect(withoutEmbeddedData(`data:image/png;base64,${LINES}\nGermany's capital`)).toMatch(/Germany's capital$/);
  });

  it.each([
    'data:',
    'data:a/b;',
    'data:a/b;c=',
    'data:;base64,',
    'data:image/png;base64,a',
    'data:image/png;base64,\n',
    ';encoding=b:',
    ';encoding=b:AA\n ',
    '"image/png":"',
    `data:a/b;base64,${'a'.repeat(60)}\n`,
    'a',
  ])('is looked for in 12 MB: %s', (piece) => {
    const text = piece.repeat(Math.ceil(12_000_000 / piece.length));
    expect(withoutEmbeddedData(text).length).toBeLessThanOrEqual(text.length);
    expect(withoutEmbeddedData(`data:image/png;base64,${text}`).length).toBeLessThanOrEqual(text.length + 22);
  });
});
