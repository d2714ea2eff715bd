import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { looksLike, type OfficeFormat, officeFormat, officeText } from '../../../src/actions/files/office-text.ts';
import { type Clock, systemClock } from '../../../src/clock/clock.ts';
import type { AppError } from '../../../src/errors.ts';
import { offThread } from '../../../src/off-thread/off-thread.ts';
import { docxOf, docxParagraph, pdfLines, pdfOf, pdfPages, pdfStream } from '../../support/inputs/office-files.ts';
import { TestClock } from '../../support/time/test-clock.ts';
import { many } from '../../support/users/many.ts';

const MB = 1024 * 1024;
const PAGES = many(10_000, 100_000);
const SPACE_MB = many(30, 300);
const TEXT_MB = many(10, 100);

/** On which no time limit ends, however slow the machine is. */
const STANDS = new TestClock({ standsAt: 0 });

interface Options {
  start?: number;
  units?: number;
  clock?: Clock;
}

/** As the actions do it: on a thread of its own. */
function read(format: OfficeFormat, content: Uint8Array, { start = 0, units = 40_000, clock = STANDS }: Options = {}) {
  const input = { content: new Uint8Array(content), format, start, limit: { units, bytes: 10 * MB } };
  return offThread(officeText, input, { userId: 'a', isOwn: true, transfer: [input.content.buffer], clock });
}

/** The code of the error, also of the time limit's; the text if there is none. */
function outcome(format: OfficeFormat, content: Uint8Array): Promise<string> {
  return read(format, content, { clock: systemClock }).then(
    ({ text }) => `text ${text}`,
    ({ code, message, cause }: AppError) => (message === undefined ? `${cause}` : code),
  );
}

/** All of a text, part by part. */
async function whole(format: OfficeFormat, content: Uint8Array, units: number): Promise<string> {
  let text = '';
  let start: number | undefined = 0;
  while (start !== undefined) {
    const part: Awaited<ReturnType<typeof read>> = await read(format, content, { start, units });
    expect(part.text.length).toBeLessThanOrEqual(units);
    expect(part.text.isWellFormed()).toBe(true);
    text += part.text;
    start = part.next_offset;
  }
  return text;
}

const deflated = (content: string | Buffer) => pdfStream(deflateSync(content, { level: 9 }), '/Filter/FlateDecode');
const catalog = '<</Type/Catalog/Pages 2 0 R>>';

describe('the text of a PDF', () => {
  it('includes the values of form fields, and notes, that are shown', async () => {
    const widget = (entries: string) => `<</Type/Annot/Subtype/Widget/Rect[0 0 10 10]${entries}>>`;
    const note = (type: string, entries: string) => `<</Type/Annot/Subtype/${type}/Rect[0 0 10 10]${entries}>>`;
    const states = (on: string, state: string) => `/FT/Btn/AS/${state}/AP<</N<</${on} 5 0 R/Off 5 0 R>>>>`;
    const annotations = [
      ...[widget('/FT/Tx/T(name)/TU(Your name)/V(Ana Roe)'), widget('/FT/Tx/T(street)/V()'), widget('/FT/Tx/V(no name)')],
      ...[widget(`/T(agree)/V/Yes${states('Yes', 'Yes')}`), widget(`/T(news)/V/Off${states('Yes', 'Off')}`)],
      ...[widget('/FT/Ch/T(color)/Ff 131072/Opt[[(r)(Red)][(b)(Blue)]]/V(b)'), widget('/FT/Tx/T(pin)/Ff 8192/V(1234)')],
      ...['L', 'S'].map((size) => widget(`/Ff 32768/T(size)/V/L${states(size, size === 'L' ? 'L' : 'Off')}`)),
      ...[widget('/FT/Tx/T(hidden)/F 2/V(x)'), widget('/FT/Tx/T(unseen)/F 32/V(x)'), widget('/FT/Btn/T(send)/Ff 65536')],
      ...[note('Text', '/T(Bo)/Contents(Check this)'), note('FreeText', '/Contents(typed on it)/DA(/F 9 Tf)')],
      ...[note('Link', '/A<</S/URI/URI(https://a.example/)>>/Contents(tip)'), note('Highlight', '/Contents( )'), '(no annotation)'],
    ];
    const ids = annotations.map((_, index) => `${6 + index} 0 R`).join(' ');
    const pdf = pdfOf([
      `<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[${ids}]>>>>`,
      ...['<</Type/Pages/Kids[4 0 R]/Count 1>>', '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'],
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>/Contents 5 0 R/Annots[${ids}]>>`,
      ...[pdfLines(['Application']), ...annotations],
    ]);
    const { text } = await read('pdf', pdf);
    expect(text.split('\n').toSorted()).toEqual(
      [
        ...['Application', '[field] Your name: Ana Roe', '[field] no name', '[field] agree: ☒', '[field] news: ☐', '[field] color: Blue'],
        '[field] size: L',
        ...['[note] Bo: Check this', '[note] typed on it'],
      ].toSorted(),
    );
  });

  const pages = (count: number) => pdfPages(Array.from({ length: count }, (_, index) => pdfLines([`Page ${index + 1}`, '(Für Zoë)'])));

  it('is returned line by line and page by page', async () => {
    const { text, size } = await read('pdf', pages(2));
    expect({ text, size }).toEqual({ text: 'Page 1\n(Für Zoë)\n\nPage 2\n(Für Zoë)', size: pages(2).length });
  });

  it('is returned in parts', async () => {
    const { text } = await read('pdf', pages(6));
    expect(await whole('pdf', pages(6), 50)).toBe(text);
    expect(await read('pdf', pages(2), { start: 5_000 })).not.toHaveProperty('next_offset');
  });

  it('is cleaned of control characters', async () => {
    const { text } = await read('pdf', pdfPages([pdfStream('BT /F 12 Tf 50 700 Td (a\\000\\033b) Tj ET')]));
    expect(text).toMatch(/^a.?b$/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
    expect(text).not.toMatch(/[\u0000-\u001f]/);
  });

  it('is read of 500 pages at most', async () => {
    const { text } = await read('pdf', pages(600), { units: 1_000_000 });
    expect(text).toContain('Page 500\n');
    expect(text).not.toContain('Page 501\n');
    expect(text).toMatch(/\[Only the first 500 of 600 pages are read\.\]$/);
  });

  it('says if there is none', async () => {
    expect((await read('pdf', pdfPages([pdfStream('0 0 m 10 10 l S')]))).text).toBe('[This PDF has no text. It may be a scan.]');
  });

  it('is refused if the PDF is encrypted', async () => {
    const key = `<${'41'.repeat(32)}>`;
    const encrypted = pdfOf(
      [catalog, '<</Type/Pages/Count 0/Kids[]>>', `<</Filter/Standard/V 2/R 3/Length 128/O${key}/U${key}/P -44>>`],
      '/Encrypt 3 0 R/ID[<41><41>]',
    );
    const error = (await read('pdf', encrypted).catch((thrown: unknown) => thrown)) as AppError;
    expect(error).toMatchObject({ code: 'unsupported_media_type', message: expect.stringMatching(/encrypted/) });
  });

  const cycle = pdfOf([catalog, '<</Type/Pages/Count 9/Kids[3 0 R]>>', '<</Type/Pages/Parent 2 0 R/Count 9/Kids[2 0 R]>>']);
  const claimed = pdfOf([catalog, '<</Type/Pages/Count 100000/Kids[3 0 R]>>', '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>']);
  const same = (count: number) =>
    pdfOf([catalog, `<</Type/Pages/Count ${count}/Kids[${'3 0 R '.repeat(count)}]>>`, '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>']);
  it.each([
    ['nothing', () => Buffer.alloc(0)],
    ['another format', () => Buffer.from('PK\u0003\u0004 hello')],
    ['the header alone', () => Buffer.from('%PDF-1.7')],
    ['a truncated file', () => pages(20).subarray(0, 900)],
    ['noise after the header', () => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(2 * MB)])],
    ['12 MB of objects', () => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.from('1 0 obj<</A 1>>endobj\n'.repeat(560_000))])],
    ['nested arrays', () => pdfOf([catalog, `<</Type/Pages/Count 1/Kids${'['.repeat(500_000)}${']'.repeat(500_000)}>>`])],
    ['nested dictionaries', () => pdfOf([`${'<</A'.repeat(500_000)} 1${'>>'.repeat(500_000)}`])],
    ['a cycle in the page tree', () => cycle],
    ['a page that is its own parent', () => pdfOf([catalog, '<</Type/Page/Parent 2 0 R/Kids[2 0 R]/Count 1>>'])],
    ['pages that are not there', () => claimed],
    [`${PAGES} pages`, () => same(PAGES)],
    ['an object stream that contains itself', () => pdfOf([catalog, pdfStream('2 0 <</A 2 0 R>>', '/Type/ObjStm/N 1/First 4')])],
    [
      'a form that draws itself',
      () => pdfPages([pdfStream('/X Do', '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>')]),
    ],
    [`a page of ${SPACE_MB} MB`, () => pdfPages([deflated(Buffer.alloc(SPACE_MB * MB, ' '))])],
    [
      `a page of ${TEXT_MB} MB of text`,
      () => pdfPages([deflated(`BT /F 12 Tf ${'(lorem ipsum dolor sit amet) Tj\n'.repeat(TEXT_MB * 30_000)}ET`)]),
    ],
  ])('ends for %s', { timeout: 60_000 }, async (_what, content) => {
    expect(await outcome('pdf', content())).toMatch(/^(text|unsupported_media_type|too_large)/);
  });
});

describe('the text of a Word document', () => {
  it('is returned paragraph by paragraph, and tables row by row', async () => {
    const cell = (text: string) => `<w:tc><w:tcPr><w:tcW w:w="1"/></w:tcPr>${docxParagraph(text)}</w:tc>`;
    const body = [
      '<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t>One &amp; “two”</w:t><w:tab/><w:t xml:space="preserve"> three</w:t><w:br/></w:r></w:p>',
      `<w:tbl><w:tr>${cell('a')}${cell('b')}</w:tr><w:tr>${cell('c')}${cell('d')}</w:tr></w:tbl>`,
      '<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom><w:r><w:instrText>PAGE</w:instrText><w:t>Ende 🚢</w:t></w:r></w:p>',
      '<mc:AlternateContent><mc:Choice><w:t>box</w:t></mc:Choice><mc:Fallback><w:t>box</w:t></mc:Fallback></mc:AlternateContent>',
    ];
    expect((await read('docx', docxOf(body.join('')))).text).toBe('One & “two”\t three\n\na \tb \t\nc \td \t\nEnde 🚢\nbox');
  });

  it('is returned in parts', async () => {
    const content = docxOf(Array.from({ length: 500 }, (_, index) => docxParagraph(`Line ${index} 🚢`)).join(''));
    const { text } = await read('docx', content);
    expect(text.split('\n')).toHaveLength(501);
    expect(await whole('docx', content, 1_234)).toBe(text);
  });

  it('is read from the part that the package names', async () => {
    const relations = '<R><Relationship Type="x/officeDocument" Target="/word/document2.xml"/></R>';
    const text = (xml: string) => new TextEncoder().encode(xml);
    const content = docxOf('', { '_rels/.rels': text(relations), 'word/document2.xml': text(docxParagraph('second')) });
    expect((await read('docx', content)).text).toBe('second\n');
  });

  it('is read in UTF-16, too', async () => {
    const xml = `\ufeff<?xml version="1.0" encoding="UTF-16"?><w:document>${docxParagraph('Grüße 🚢')}</w:document>`;
    expect((await read('docx', docxOf(Buffer.from(xml, 'utf16le')))).text).toBe('Grüße 🚢\n');
  });

  it('is read in UTF-16 with its high bytes first', async () => {
    const xml = `\ufeff<?xml version="1.0" encoding="UTF-16"?><w:document>${docxParagraph('Grüße 🚢')}</w:document>`;
    expect((await read('docx', docxOf(Buffer.from(xml, 'utf16le').swap16()))).text).toBe('Grüße 🚢\n');
  });

  it('declares and fetches no entities', async () => {
    const xml = `<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a "${'x'.repeat(1_000)}"><!ENTITY b "&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]><w:document>${docxParagraph('&b;&c;')}</w:document>`;
    expect((await read('docx', docxOf(new TextEncoder().encode(xml)))).text).toBe('&b;&c;\n');
  });

  const bomb = docxOf(new Uint8Array(200 * MB));
  /** The directory and the header say that the part has 100 bytes. */
  const lying = Buffer.from(bomb);
  for (let at = lying.indexOf('word/document.xml'); at >= 0; at = lying.indexOf('word/document.xml', at + 1)) {
    const isDirectory = lying.readUInt32LE(Math.max(0, at - 46)) === 0x02014b50;
    lying.writeUInt32LE(100, at - (isDirectory ? 46 - 24 : 30 - 22));
  }
  it.each([
    ['nothing', () => Buffer.alloc(0)],
    ['another format', () => Buffer.from('%PDF-1.7')],
    ['the magic alone', () => Buffer.from('PK\u0003\u0004')],
    ['a truncated file', () => docxOf(docxParagraph('x'.repeat(10_000))).subarray(0, 300)],
    ['an archive of something else', () => docxOf('', { '_rels/.rels': new Uint8Array(0), 'word/document.xml': new Uint8Array(0) })],
    ['no XML', () => docxOf(randomBytes(MB))],
    ['10 MB of nested elements', () => docxOf('<a>'.repeat(3_500_000))],
    ['10 MB of closing elements', () => docxOf('</w:p>'.repeat(1_800_000))],
    ['10 MB of attributes', () => docxOf(`<a ${'a="1" '.repeat(1_800_000)}>`)],
    ['10 MB in one name', () => docxOf(`<${'a'.repeat(10 * MB)}>`)],
    ['10 MB of an unclosed entity', () => docxOf(docxParagraph('&amp'.repeat(2_500_000)))],
    ['a bomb', () => bomb],
    ['a bomb that says it is small', () => lying],
  ])('ends for %s', { timeout: 60_000 }, async (_what, content) => {
    expect(await outcome('docx', content())).toMatch(/^(text|unsupported_media_type|too_large)/);
  });

  it('is refused for a bomb by the sizes that it states', async () => {
    expect(await outcome('docx', bomb)).toBe('too_large');
    expect(await outcome('docx', docxOf('<a>'.repeat(300)))).toBe('unsupported_media_type');
  });
});

describe('the format of a file', () => {
  it.each([
    ['application/pdf', 'x', 'pdf'],
    ['application/octet-stream', 'Scan.PDF', 'pdf'],
    ['application/octet-stream', 'letter.docx', 'docx'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', '', 'docx'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.template', '', 'docx'],
    ['application/vnd.ms-word.document.macroEnabled.12', '', 'docx'],
    ['application/vnd.ms-word.template.macroenabled.12', '', 'docx'],
    ['application/octet-stream', 'letter.DOCM', 'docx'],
    ['application/octet-stream', 'letter.dotx', 'docx'],
    ['application/octet-stream', 'letter.dotm', 'docx'],
    ['application/octet-stream', 'letter.doc', undefined],
    ['image/png', 'x.pdf', undefined],
    ['application/octet-stream', 'pdf', undefined],
  ])('%s named %s: %s', (type, name, format) => {
    expect(officeFormat(type, name)).toBe(format);
  });

  it('is told by its beginning', () => {
    const pdf = pdfOf([catalog]);
    expect([looksLike('pdf', pdf), looksLike('pdf', pdf.toString('base64url')), looksLike('docx', pdf)]).toEqual([true, true, false]);
    expect([looksLike('docx', docxOf('')), looksLike('docx', docxOf('').toString('base64url'))]).toEqual([true, true]);
  });
});
