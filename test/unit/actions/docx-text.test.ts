import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { TextWindow } from '../../../src/actions/shared/text-window.ts';
import { readDocx } from '../../../src/actions/word/docx-text.ts';
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

  it('shows the addresses of simple fields, of fields without quotation marks, and of pictures', () => {
    const picture = (link: string, kind = 'picture') =>
      `<w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="Logo">${link}</wp:docPr><a:graphic><a:graphicData uri="http://x/${kind}"/></a:graphic></wp:inline></w:drawing></w:r>`;
    const bare = field('begin') + instruction(' HYPERLINK https://b.example/ \\o "tip" ') + field('separate') + run('b') + field('end');
    const anchor = field('begin') + instruction('HYPERLINK \\l "c"') + field('separate') + run('c') + field('end');
    const body = [
      ...[`<w:fldSimple w:instr=' HYPERLINK "https://a.example/" '>${run('a')}</w:fldSimple>`, bare, anchor],
      ...[picture('<a:hlinkClick r:id="l1"/>'), picture(''), picture('<a:hlinkClick r:id="l2"/>')],
    ];
    const links = { l1: 'https://d.example/', l2: 'javascript:alert(1)' };
    expect(textOf(body.map((one) => paragraph(one)).join(''), {}, links).split('\n')).toEqual([
      ...[
        '[a](https://a.example/)',
        '[b](https://b.example/)',
        'c',
        '[[image: Logo]](https://d.example/)',
        '[image: Logo]',
        '[image: Logo]',
      ],
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
    expect(textOf(body.join('')).split('\n')).toEqual(['1/2', '1/(2/3)', 'x^2', 'a_i', '∫ y', '3√z']);
  });

  it('puts the parts of a formula in brackets where it would be another one without', () => {
    const part = (name: string, ...content: string[]) => `<m:${name}>${content.join('')}</m:${name}>`;
    const sign = (text: string) => `<m:r><w:rPr><w:rFonts w:ascii="Cambria Math"/></w:rPr><m:t>${text}</m:t></m:r>`;
    const property = (object: string, ...values: [name: string, value: string][]) =>
      part(`${object}Pr`, ...values.map(([name, value]) => `<m:${name} m:val="${value}"/>`), '<m:ctrlPr><w:rPr><w:i/></w:rPr></m:ctrlPr>');
    const e = (...content: string[]) => part('e', ...content);
    const of = (text: string) => sign(text);
    const formulas: [formula: string, text: string][] = [
      [part('f', part('num', of('a'), of('+b')), part('den', of('2x'))), '(a+b)/(2x)'],
      [part('f', property('f', ['type', 'noBar']), part('num', of('n')), part('den', of('k'))), 'n¦k'],
      [part('f', part('num', of('12')), part('den', of('1,5'))), '12/1,5'],
      [part('sSup', e(of('ab')), part('sup', of('n+1'))), '(ab)^(n+1)'],
      [part('sSup', e(part('d', e(of('a+b')))), part('sup', of('2'))), '(a+b)^2'],
      [part('sSubSup', e(of('x')), part('sub', of('i')), part('sup', of('2'))), 'x_i^2'],
      [part('rad', property('rad', ['degHide', '1']), part('deg'), e(of('x+1'))), '√(x+1)'],
      [of('f') + part('d', e(of('x')), e(of('y'))), 'f(x|y)'],
      [part('d', property('d', ['begChr', '['], ['sepChr', ';'], ['endChr', '']), e(of('x')), e(), e(of('z'))), '[x;;z'],
      [part('d', property('d')), '()'],
      [part('nary', property('nary', ['chr', '∑']), part('sub', of('i=1')), part('sup', of('n')), e(of('i'))), '∑_(i=1)^n i'],
      [part('nary', part('sub', of('0')), part('sup', of('1')), e(of('x dx'))), '∫_0^1 x dx'],
      [part('func', part('fName', of('sin')), e(of('2x'))), 'sin (2x)'],
      [part('func', part('fName', part('limLow', e(of('lim')), part('lim', of('x→0')))), e(of('x'))), 'lim_(x→0) x'],
      [part('acc', e(of('x'))), 'x\u0302'],
      [part('acc', property('acc', ['chr', '⃗']), e(of('ab'))), '(ab)⃗'],
      [part('bar', property('bar', ['pos', 'top']), e(of('x'))) + of('='), 'x\u0305='],
      [part('d', e(part('m', part('mr', e(of('a')), e(of('b'))), part('mr', e(of('c')), e(of('d')))))), '(a, b; c, d)'],
      [part('d', property('d', ['begChr', '{'], ['endChr', '']), e(part('eqArr', e(of('x')), e(of('y'))))), '{x; y'],
      [part('f', part('num', of('y'.repeat(600))), part('den', of('2'))), `(${'y'.repeat(600)})/2`],
    ];
    const body = formulas.map(([formula]) => paragraph(part('oMath', formula)));
    expect(textOf(body.join('')).split('\n')).toEqual(formulas.map(([, text]) => text));
  });

  it('reads formulas in formulas without end in linear time', () => {
    const depth = 60;
    const nested = '<m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den>'.repeat(depth) + '</m:den></m:f>'.repeat(depth);
    expect(textOf(paragraph(`<m:oMath>${nested.repeat(200)}</m:oMath>`)).length).toBeLessThan(200 * depth * 10);
    const separated = field('separate').repeat(20_000) + run('x').repeat(20_000);
    expect(textOf(paragraph(separated))).toHaveLength(20_000);
  });

  it('tells what is raised, lowered or struck through', () => {
    const raised = '<w:vertAlign w:val="superscript"/>';
    const body = [
      ...[run('10'), run('6', raised), run(' H'), run('2', '<w:vertAlign w:val="subscript"/>'), run('O ')],
      ...[
        run('old', '<w:strike/>'),
        run(' ', '<w:strike/>'),
        run('price', '<w:dstrike w:val="true"/>'),
        run(' new', '<w:strike w:val="0"/>'),
      ],
      ...[run('n', raised), run('th', `${raised}<w:strike/>`), run('.', '<w:vertAlign w:val="baseline"/>')],
      `<w:r><w:rPr>${raised}</w:rPr><w:footnoteReference w:id="2"/></w:r>`,
    ];
    expect(textOf(paragraph(body.join('')) + paragraph(run('x', raised)) + paragraph(run('y')))).toBe(
      '10<sup>6</sup> H<sub>2</sub>O ~~old price~~ new<sup>n</sup><sup>~~th~~</sup>.[^1]\n<sup>x</sup>\ny',
    );
  });

  it('shows the values of form fields, which have no text', () => {
    const form = (data: string, type: string, result = '') =>
      `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="f"/><w:enabled/>${data}</w:ffData></w:fldChar></w:r>` +
      `${instruction(type)}${field('separate')}${result}${field('end')}`;
    const box = (state: string) => form(`<w:checkBox><w:sizeAuto/>${state}</w:checkBox>`, ' FORMCHECKBOX ');
    const choice = (result: string, text = '') =>
      form(`<w:ddList>${result}<w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList>`, ' FORMDROPDOWN ', text);
    const body = [
      ...[box('<w:default w:val="0"/><w:checked/>'), box('<w:default w:val="1"/>'), box('<w:default/><w:checked w:val="0"/>'), box('')],
      ...[choice('<w:result w:val="1"/>'), choice(''), choice('<w:default w:val="1"/>', run('blue')), choice('<w:result w:val="7"/>')],
      form('<w:textInput><w:default w:val="your name"/></w:textInput>', ' FORMTEXT ', run('Ana')),
    ];
    expect(textOf(body.map((one) => paragraph(run('- ') + one)).join('')).split('\n')).toEqual([
      ...['- ☒', '- ☒', '- ☐', '- ☐', '- blue', '- red', '- blue', '- ', '- Ana'],
    ]);
  });

  it('shows how a text is read behind it, and says where another file is embedded', () => {
    const ruby = (base: string, reading: string) =>
      `<w:r><w:ruby><w:rubyPr><w:lid w:val="ja-JP"/></w:rubyPr><w:rt>${run(reading)}</w:rt><w:rubyBase>${run(base)}</w:rubyBase></w:ruby></w:r>`;
    const body = paragraph(run('今日は') + ruby('東京', 'とうきょう') + ruby('都', '') + run('です'));
    expect(textOf(`${body}<w:altChunk r:id="c1"/>${paragraph(run('after'))}`).split('\n')).toEqual([
      ...['今日は東京(とうきょう)都です', '[embedded file]', 'after'],
    ]);
  });

  it('shows the texts of diagrams and charts, each once', () => {
    const graphic = (kind: string, inner: string) =>
      `<w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="Plan"/><a:graphic><a:graphicData uri="http://x/${kind}">${inner}</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;
    const diagram = graphic('diagram', '<dgm:relIds r:dm="p0" r:lo="p8" r:qs="p9"/>');
    const node = (text: string) => `<dgm:pt><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
    const value = (text: string) => `<c:pt><c:v>${text}</c:v></c:pt>`;
    const parts = {
      diagramData: node('Top') + node('Middle') + node(''),
      chart: `<c:title><a:p><a:r><a:t>Sa</a:t></a:r><a:r><a:t>les</a:t></a:r></a:p></c:title><c:f>Sheet1!A1</c:f>${value('Q1')}${value('4.3')}`,
    };
    const body = [diagram, graphic('chart', '<c:chart r:id="p1"/>'), diagram, graphic('chart', '<c:chart r:id="none"/>')];
    expect(textOf(body.map((one) => paragraph(one)).join(''), parts).split('\n')).toEqual([
      ...['[diagram: Plan] Top / Middle', '[chart: Plan] Sales / Q1 / 4.3', '[diagram: Plan]', '[chart: Plan]'],
    ]);
  });

  it('keeps the cells of a table in their columns', () => {
    const cell = (text: string, properties = '') => `<w:tc><w:tcPr><w:tcW w:w="1"/>${properties}</w:tcPr>${docxParagraph(text)}</w:tc>`;
    const across = (columns: string) => `<w:gridSpan w:val="${columns}"/>`;
    const rows = [
      [cell('a', across('2')), cell('c')],
      [cell('x'), cell('y', '<w:tcPrChange><w:tcPr><w:gridSpan w:val="9"/></w:tcPr></w:tcPrChange>'), cell('z')],
      [cell('wide', across('999999999')), cell('end', across('-1'))],
    ];
    const lines = textOf(`<w:tbl>${rows.map((cells) => `<w:tr>${cells.join('')}</w:tr>`).join('')}</w:tbl>`).split('\n');
    expect(lines.slice(0, 2).map((line) => line.split('\t').map((text) => text.trim()))).toEqual([
      ['a', '', 'c', ''],
      ['x', 'y', 'z', ''],
    ]);
    expect(lines[2]?.length).toBeLessThan(100);
  });

  it('is read whatever the case and the slashes of its parts’ names', () => {
    const relations = bytes('<R><Relationship Id="a" Type="x/officeDocument" Target="Word/Document.XML"/></R>');
    const window = new TextWindow(0, { units: 100, bytes: 1_000 });
    const document = bytes(`<w:document><w:body>${docxParagraph('text')}</w:body></w:document>`);
    readDocx(zipSync({ '_rels\\.rels': relations, 'word\\document.xml': document }), window);
    expect(window.part().text).toBe('text\n');
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

  it('marks the items of a list that has levels of its own, legal numbers, or levels that don’t begin again', () => {
    const level = (ilvl: number, format: string, text: string, more = '') =>
      `<w:lvl w:ilvl="${ilvl}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
    const numbering = [
      `<w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '%1.')}${level(1, 'decimal', '%1.%2')}${level(2, 'lowerLetter', '%1.%2.%3')}</w:abstractNum>`,
      `<w:abstractNum w:abstractNumId="1">${level(0, 'upperRoman', 'Article %1')}${level(1, 'decimal', '%1.%2', '<w:isLgl/>')}</w:abstractNum>`,
      `<w:abstractNum w:abstractNumId="2">${level(0, 'upperLetter', '%1')}${level(1, 'decimal', '%2', '<w:lvlRestart w:val="0"/>')}${level(2, 'decimal', '%3', '<w:lvlRestart w:val="1"/>')}</w:abstractNum>`,
      ...['1', '2', '3'].map((id) => `<w:num w:numId="${id}"><w:abstractNumId w:val="${Number(id) - 1}"/></w:num>`),
      `<w:num w:numId="4"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">${level(0, 'upperRoman', '%1)')}</w:lvlOverride></w:num>`,
    ].join('');
    const item = (list: number, ilvl: number) =>
      paragraph(run('x'), `<w:numPr><w:ilvl w:val="${ilvl}"/><w:numId w:val="${list}"/></w:numPr>`);
    const items = [
      ...[item(1, 0), item(1, 1), item(1, 1), item(1, 2), item(1, 2), item(1, 0), item(1, 1), item(4, 0)],
      ...[item(2, 0), item(2, 0), item(2, 1)],
      ...[item(3, 0), item(3, 1), item(3, 2), item(3, 1), item(3, 2), item(3, 0), item(3, 1), item(3, 2)],
    ];
    const marks = textOf(items.join(''), { numbering }).split('\n');
    expect(marks.map((line) => line.trim().replace(/ x$/, ''))).toEqual([
      ...['1.', '1.1', '1.2', '1.2.a', '1.2.b', '2.', '2.1', 'III)', 'Article I', 'Article II', '2.1'],
      ...['A', '1', '1', '2', '2', 'B', '3', '1'],
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
