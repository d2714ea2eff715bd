import { describe, expect, it } from 'vitest';
import { readDocx } from '../../../src/actions/files/docx-text.ts';
import { TextWindow } from '../../../src/actions/shared/text-window.ts';
import { docxOf, docxParagraph } from '../../support/inputs/office-files.ts';

const bytes = (xml: string) => new TextEncoder().encode(xml);
const run = (text: string, properties = '') => `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (content: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`;
const field = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const instruction = (text: string) => `<w:r><w:instrText xml:space="preserve">${text}</w:instrText></w:r>`;

/** Parts of a document by the type of their relationship, and addresses of links by their id. */
function textOf(body: string, parts: Record<string, string> = {}, links: Record<string, string> = {}): string {
  const names = Object.keys(parts);
  const related = [
    ...names.map(
      (type, index) => `<Relationship Id="p${index}" Type="http://x/relationships/${type.replace(/\d$/, '')}" Target="${type}.xml"/>`,
    ),
    ...Object.entries(links).map(([id, to]) => `<Relationship Id="${id}" Type="x/hyperlink" Target="${to}" TargetMode="External"/>`),
  ];
  const more = Object.fromEntries(names.map((type) => [`word/${type}.xml`, bytes(`<w:root>${parts[type]}</w:root>`)]));
  const relations = bytes(`<Relationships>${related.join('')}</Relationships>`);
  const window = new TextWindow(0, { units: 100_000, bytes: 1_000_000 });
  readDocx(docxOf(body, { ...more, 'word/_rels/document.xml.rels': relations }), window);
  return window.part().text.trim();
}

describe('the text of a Word document', () => {
  it('includes headers and footers once, footnotes, endnotes and comments in the order of their references', () => {
    const body = [
      paragraph(`${run('One')}<w:r><w:footnoteReference w:id="3"/></w:r>${run(' two')}<w:r><w:footnoteReference w:id="2"/></w:r>`),
      paragraph(`${run('Three')}<w:r><w:endnoteReference w:id="2"/></w:r>${run(' four ')}<w:r><w:commentReference w:id="0"/></w:r>`),
    ];
    const note = (kind: string, id: number, text: string) => `<w:${kind} w:id="${id}">${docxParagraph(text)}</w:${kind}>`;
    const footnotes = [
      '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>',
      ...[note('footnote', 2, 'second'), note('footnote', 3, ' first'), note('footnote', 4, 'never cited')],
    ];
    const parts = {
      footnotes: footnotes.join(''),
      endnotes: note('endnote', 2, 'the end'),
      comments: `<w:comment w:id="0" w:author="Ana Roe">${docxParagraph('Sure?')}${docxParagraph('Ask Bo')}</w:comment>`,
      ...{ header1: docxParagraph('CONFIDENTIAL'), header2: docxParagraph('CONFIDENTIAL'), footer1: docxParagraph('ACME') },
    };
    expect(textOf(body.join(''), parts).split('\n')).toEqual([
      ...['[header] CONFIDENTIAL', 'One[^1] two[^2]', 'Three[^e1] four [comment 1]'],
      ...['[^1]: first', '[^2]: second', '[^e1]: the end', '[comment 1] Ana Roe: Sure? / Ask Bo', '[footer] ACME'],
    ]);
  });

  it('shows pictures, charts and drawings by their alternative texts, and the text of a text box once', () => {
    const drawing = (attributes: string, kind: string, inner = '') =>
      `<w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" ${attributes}/><a:graphic><a:graphicData uri="http://x/${kind}">${inner}</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;
    const box = `<wps:txbx><w:txbxContent>${docxParagraph('boxed')}</w:txbxContent></wps:txbx>`;
    const body = [
      paragraph(drawing('title="Chart" descr="Sales by quarter"', 'picture')),
      ...['picture', 'chart', 'diagram'].map((kind) => paragraph(drawing('', kind))),
      paragraph(drawing('descr="An arrow"', 'wordprocessingShape')),
      `<w:p><mc:AlternateContent><mc:Choice Requires="wps">${drawing('', 'wordprocessingShape', box)}</mc:Choice><mc:Choice>${docxParagraph('no')}</mc:Choice><mc:Fallback>${docxParagraph('no')}</mc:Fallback></mc:AlternateContent></w:p>`,
      `<w:p><mc:AlternateContent><mc:Fallback><w:r><w:t>only this</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>`,
      paragraph('<w:r><w:pict><v:shape alt="Old photo"><v:imagedata r:id="x"/></v:shape></w:pict></w:r>'),
    ];
    expect(textOf(body.join('')).split(/\n+/)).toEqual([
      ...['[image: Chart: Sales by quarter]', '[image]', '[chart]', '[diagram]', '[drawing: An arrow]', 'boxed', 'only this'],
      '[image: Old photo]',
    ]);
  });

  it('leaves out hidden text, whoever says that it is hidden, and what was deleted', () => {
    const style = (id: string, content: string) => `<w:style w:styleId="${id}">${content}</w:style>`;
    const styles =
      style('H', '<w:rPr><w:vanish/></w:rPr>') + style('H2', '<w:basedOn w:val="H"/>') + style('Loop', '<w:basedOn w:val="Loop"/>');
    const body = [
      run('a'),
      ...[run('b', '<w:vanish/>'), run('c', '<w:vanish w:val="true"/>'), run('d', '<w:rStyle w:val="H"/>')],
      ...[
        run('e', '<w:vanish w:val="0"/>'),
        run('f', '<w:rStyle w:val="H"/><w:vanish w:val="false"/>'),
        run('g', '<w:rStyle w:val="Loop"/>'),
      ],
      `<w:r><w:rPr><w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr><w:t>h</w:t></w:r>`,
      `<w:del>${run('i')}<w:r><w:tab/><w:delText>j</w:delText></w:r></w:del><w:ins>${run('k')}</w:ins><w:moveFrom>${run('l')}</w:moveFrom><w:moveTo>${run('m')}</w:moveTo>`,
    ];
    expect(textOf(paragraph(body.join('')) + paragraph(run('hidden'), '<w:pStyle w:val="H2"/>'), { styles })).toBe('aefghkm');
  });

  it('shows the results of fields, not their instructions, and the addresses of links', () => {
    const link = (to: string, text: string) =>
      field('begin') + instruction(` HYPERLINK "${to}" `) + field('separate') + run(text) + field('end');
    const body = [
      `<w:fldSimple w:instr=" AUTHOR ">${run('Ana')}</w:fldSimple>`,
      field('begin') + instruction('PAGE') + field('separate') + run('7') + field('end') + run(' after'),
      field('begin') +
        instruction('IF ') +
        field('begin') +
        instruction('X') +
        field('separate') +
        run('no') +
        field('end') +
        field('separate') +
        run('yes') +
        field('end'),
      field('begin') + instruction('XE "entry"') + field('end') + run('indexed'),
      link('https://a.example/(x)', 'field'),
      link('javascript:alert(1)', 'script'),
      `<w:hyperlink r:id="l1">${run('plans')}</w:hyperlink>`,
      `<w:hyperlink r:id="l2">${run('mail')}</w:hyperlink>`,
      `<w:hyperlink r:id="l3">${run('file')}</w:hyperlink>`,
      `<w:hyperlink w:anchor="b">${run('anchor')}</w:hyperlink>`,
    ];
    const links = { l1: 'https://harbour.example/', l2: 'mailto:ana@example.org', l3: 'file:///etc/passwd' };
    expect(textOf(body.map((content) => paragraph(content)).join(''), {}, links).split('\n')).toEqual([
      ...['Ana', '7 after', 'yes', 'indexed', '[field](https://a.example/%28x%29)', 'script'],
      ...['[plans](https://harbour.example/)', '[mail](mailto:ana@example.org)', 'file', 'anchor'],
    ]);
  });

  it('shows no link whose text is hidden or empty', () => {
    const links = { l1: 'https://harbour.example/' };
    const body = `<w:hyperlink r:id="l1">${run('x', '<w:vanish/>')}</w:hyperlink><w:hyperlink r:id="l1"><w:r/></w:hyperlink>`;
    const linked = field('begin') + instruction('HYPERLINK "https://a.example/"') + field('separate') + field('end');
    expect(textOf(paragraph(`${run('a')}${body}${linked}${run('b')}`), {}, links)).toBe('ab');
  });

  it('tells the parts of a formula apart', () => {
    const part = (name: string, content: string) => `<m:${name}>${content}</m:${name}>`;
    const sign = (text: string) => `<m:r><w:rPr><w:rFonts w:ascii="Cambria Math"/></w:rPr><m:t>${text}</m:t></m:r>`;
    const formulas = [
      part('f', part('num', sign('1')) + part('den', sign('2'))),
      part('f', part('num', sign('1')) + part('den', part('f', part('num', sign('2')) + part('den', sign('3'))))),
      part('sSup', part('e', sign('x')) + part('sup', sign('2'))),
      part('sSub', part('e', sign('a')) + part('sub', sign('i'))),
      part('nary', part('sub', '') + part('sup', '') + part('e', sign('y'))),
      part('rad', part('deg', sign('3')) + part('e', sign('z'))),
    ];
    const body = formulas.map((formula) => paragraph(part('oMath', formula)));
    expect(textOf(body.join('')).split('\n')).toEqual(['1/2', '1/2/3', 'x^2', 'a_i', 'y', '3√z']);
  });

  it('shows the other version of what has no text in the first', () => {
    const versions = (choice: string, fallback: string) =>
      `<mc:AlternateContent><mc:Choice Requires="unknown">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;
    const body = [versions('<x:new/>', run('other')), versions(run('first'), run('no')), versions(versions('', run('inner')), run('no'))];
    expect(textOf(body.map((content) => paragraph(content)).join('')).split('\n')).toEqual(['other', 'first', 'inner']);
  });

  it('marks the items of lists as the document does', () => {
    const level = (ilvl: number, format: string, text: string, start = 1) =>
      `<w:lvl w:ilvl="${ilvl}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
    const numbering = [
      `<w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '%1.')}${level(1, 'lowerLetter', '%1.%2)')}</w:abstractNum>`,
      `<w:abstractNum w:abstractNumId="1">${level(0, 'bullet', '\uf0b7')}${level(1, 'upperRoman', '%2.', 4)}</w:abstractNum>`,
      '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>',
      '<w:abstractNum w:abstractNumId="2"><w:numStyleLink w:val="Numbers"/></w:abstractNum>',
      `<w:abstractNum w:abstractNumId="3"><w:styleLink w:val="Numbers"/>${level(0, 'decimal', '%1)')}</w:abstractNum>`,
      '<w:num w:numId="4"><w:abstractNumId w:val="2"/></w:num><w:num w:numId="5"><w:abstractNumId w:val="3"/></w:num>',
      '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>',
    ].join('');
    const styles = '<w:style w:styleId="List"><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>';
    const item = (text: string, list: number, ilvl = 0) =>
      paragraph(run(text), `<w:numPr><w:ilvl w:val="${ilvl}"/><w:numId w:val="${list}"/></w:numPr>`);
    const body = [
      ...[item('one', 1), item('a', 1, 1), item('b', 1, 1), item('two', 1), item('c', 1, 1), item('again', 3), item('next', 3)],
      ...[item('dot', 2), item('roman', 2, 1), paragraph(run('styled'), '<w:pStyle w:val="List"/>')],
      paragraph(run('none'), '<w:pStyle w:val="List"/><w:numPr><w:numId w:val="0"/></w:numPr>'),
      paragraph(run('before'), '<w:pPrChange><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:pPrChange>'),
      ...[item('unknown', 99), item('linked', 4), item('same', 5)],
    ];
    expect(textOf(body.join(''), { numbering, styles }).split('\n')).toEqual([
      ...['1. one', '  1.a) a', '  1.b) b', '2. two', '  2.a) c', '1. again', '2. next'],
      ...['- dot', '  IV. roman', '- styled', 'none', 'before', '- unknown', '1) linked', '2) same'],
    ]);
  });

  it('shows symbols, breaks and dashes as characters', () => {
    const symbol = (font: string, char: string) => `<w:r><w:sym w:font="${font}" w:char="${char}"/></w:r>`;
    const symbols = [symbol('Wingdings', 'F0FC'), symbol('Wingdings', 'FE'), symbol('Symbol', 'F061'), symbol('Arial', '20AC')];
    expect(textOf(paragraph(symbols.join('')))).toBe('✓☑α€');
    expect(textOf(paragraph(symbol('Webdings', 'F0AA') + symbol('Other', 'E123') + symbol('Arial', 'x')))).toBe('[symbol][symbol][symbol]');
    expect(textOf(paragraph(`<w:r><w:t>a</w:t><w:br/><w:t>b</w:t><w:ptab/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r>`))).toBe(
      'a\nb\tc-d',
    );
  });

  it('keeps a table in a table on the line of its row', () => {
    const cell = (content: string) => `<w:tc>${content}</w:tc>`;
    const inner = `<w:tbl><w:tr>${cell(docxParagraph('b'))}${cell(docxParagraph('c'))}</w:tr></w:tbl>`;
    const table = `<w:tbl><w:tr>${cell(docxParagraph('a') + inner)}${cell(docxParagraph('d'))}</w:tr></w:tbl>`;
    expect(textOf(table).replaceAll(/ +/g, ' ')).toBe('a b c \td');
  });

  it('cites a note once that refers to itself or is referred to many times', () => {
    const reference = '<w:r><w:footnoteReference w:id="2"/></w:r>';
    const footnotes = `<w:footnote w:id="2">${paragraph(run('x'.repeat(10_000)) + reference)}</w:footnote>`;
    expect(textOf(paragraph(reference.repeat(1_000)), { footnotes }).length).toBeLessThan(20_000);
  });

  it('is read although parts are missing that the document names', () => {
    const relations = '<R><Relationship Id="a" Type="x/header" Target="gone.xml"/><Relationship Id="b" Type="x/styles" Target="%"/></R>';
    const window = new TextWindow(0, { units: 100, bytes: 1_000 });
    readDocx(docxOf(docxParagraph('text'), { 'word/_rels/document.xml.rels': bytes(relations) }), window);
    expect(window.part().text).toBe('text\n');
  });
});
