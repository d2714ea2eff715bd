import { type Zippable, zipSync } from 'fflate';

/** A PDF from its objects, of which the first is the catalog. */
export function pdfOf(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let length = 9;
  const add = (part: Buffer) => {
    parts.push(part);
    length += part.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    add(Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]));
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = length;
  add(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`));
  add(Buffer.from(`trailer<</Size ${objects.length + 1}/Root 1 0 R${trailer}>>\nstartxref\n${start}\n%%EOF\n`));
  return Buffer.concat(parts);
}

export function pdfStream(content: string | Buffer, entries = ''): Buffer {
  const data = Buffer.from(content);
  return Buffer.concat([Buffer.from(`<</Length ${data.length}${entries}>>\nstream\n`), data, Buffer.from('\nendstream')]);
}

/** Lines of text on a page, in Latin-1. */
export function pdfLines(lines: readonly string[]): Buffer {
  const shown = lines.map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj 0 -14 Td`);
  return pdfStream(Buffer.from(`BT /F 12 Tf 50 780 Td ${shown.join(' ')} ET`, 'latin1'));
}

/** A PDF with one page for each content. */
export function pdfPages(contents: readonly Buffer[]): Buffer {
  const pages = contents.flatMap((content, index) => [
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>/Contents ${5 + 2 * index} 0 R>>`,
    content,
  ]);
  const kids = contents.map((_, index) => `${4 + 2 * index} 0 R`).join(' ');
  const font = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>';
  return pdfOf(['<</Type/Catalog/Pages 2 0 R>>', `<</Type/Pages/Count ${contents.length}/Kids[${kids}]>>`, font, ...pages]);
}

const RELATIONS =
  '<Relationships><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>';

/** A Word document with this body, or with this whole main part. */
export function docxOf(body: string | Uint8Array, more: Zippable = {}): Buffer {
  const xml =
    typeof body === 'string' ? new TextEncoder().encode(`<?xml version="1.0"?><w:document><w:body>${body}</w:body></w:document>`) : body;
  return Buffer.from(zipSync({ '_rels/.rels': new TextEncoder().encode(RELATIONS), 'word/document.xml': xml, ...more }));
}

export function docxParagraph(text: string): string {
  return `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
}
