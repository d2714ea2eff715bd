import { linked, webLink } from '../shared/text-marks.ts';
import { DocxFields, linkIn } from './docx-fields.ts';
import type { DocxLists } from './docx-lists.ts';
import { DocxMath } from './docx-math.ts';
import { DocxOutput, type RunMark, type TextSink } from './docx-output.ts';
import { type Attributes, attribute, isOn, type PartHandler } from './docx-package.ts';
import { type DocxStyles, itemProperty, type ListItem } from './docx-styles.ts';
import { symbolText } from './docx-symbols.ts';

/** What the parts of a document share. */
export interface DocxContext {
  styles: DocxStyles;
  lists: DocxLists;
  notes: { cite(reference: string, id: string | undefined): string };
  /** Addresses outside, by relationship. */
  links: ReadonlyMap<string, string>;
  graphics: { takeText(id: string | undefined): string };
}

/** What was deleted or moved away under "track changes", and what describes the document but is no text of it. */
const SKIPPED = new Set([
  ...['del', 'moveFrom', 'tblPr', 'tcPrChange', 'trPr', 'tblGrid', 'sectPr', 'sdtPr', 'pPrChange', 'rPrChange', 'tblPrEx'],
]);
const CHARACTERS: Record<string, string> = { tab: '\t', ptab: '\t', br: '\n', cr: '\n', noBreakHyphen: '-' };
const GRAPHICS: Record<string, string> = { picture: 'image', chart: 'chart', diagram: 'diagram' };
/** Columns of a table (Word's limit). */
const MAX_COLUMNS = 63;

interface Paragraph {
  style?: string | undefined;
  item: Partial<ListItem>;
  /** What comes before its first text: the mark of a list item. */
  mark: string;
}

interface Run {
  style?: string | undefined;
  isHidden?: boolean;
  isStruck?: boolean;
  /** `superscript`, `subscript`, or neither. */
  baseline?: string | undefined;
}

/**
 * Reads the text of a part: paragraphs as lines, table cells with tabs between them. Hidden text and instructions of fields
 * are left out. Objects that are no text become a word in brackets, with their alternative text.
 */
export class DocxReader implements PartHandler {
  readonly #output: DocxOutput;
  readonly #context: DocxContext;
  readonly #path: string[] = [];
  readonly #paragraphs: Paragraph[] = [];
  readonly #runs: Run[] = [];
  readonly #fields = new DocxFields();
  readonly #math = new DocxMath();
  /** At which depths operands of formulas are open. */
  readonly #operands: number[] = [];
  /** Of each open AlternateContent, whether one of its versions had text. */
  readonly #alternatives: boolean[] = [];
  /** Elements that are open inside of what is skipped, with itself. */
  #skipped = 0;
  /** Columns of each open cell: those of tables in tables, too. */
  readonly #columns: number[] = [];
  /** How the ruby text is read whose base follows. */
  #reading = '';
  /** The alternative text of the drawing that is open. */
  #described: string | undefined;
  /** The address of its link. */
  #linked: string | undefined;

  constructor(sink: TextSink, context: DocxContext) {
    this.#output = new DocxOutput(sink);
    this.#context = context;
  }

  isDone(): boolean {
    return this.#output.isFull;
  }

  onOpen(name: string, attributes: Attributes): void {
    this.#path.push(name);
    if (this.#skipped > 0 || this.#isSkipped(name)) {
      this.#skipped += 1;
      return;
    }
    if (this.#isProperty()) this.#readProperty(name, attributes);
    else if (this.#openOperand(name, attributes)) return;
    else if (!this.#openStructure(name, attributes)) this.#openContent(name, attributes);
  }

  onText(text: string): void {
    if (this.#skipped > 0) return;
    const name = this.#path.at(-1);
    if (name === 'instrText') this.#fields.instruct(text);
    if (name === 't') this.#add(text, markOf(this.#runs.at(-1)));
  }

  onClose(name: string): void {
    if (this.#skipped > 0) this.#skipped -= 1;
    else this.#closeStructure(name);
    this.#path.pop();
  }

  #isSkipped(name: string): boolean {
    if (name === 'Choice' || name === 'Fallback') return this.#alternatives.at(-1) === true;
    return SKIPPED.has(name);
  }

  /** Inside of the properties of a paragraph or a run. */
  #isProperty(): boolean {
    return ['pPr', 'rPr'].some((name) => this.#path.lastIndexOf(name, -2) > this.#path.lastIndexOf('p'));
  }

  #readProperty(name: string, attributes: Attributes): void {
    const paragraph = this.#paragraphs.at(-1);
    const [run, parent] = [this.#runs.at(-1), this.#path.at(-2)];
    if (paragraph !== undefined && parent === 'pPr' && name === 'pStyle') paragraph.style = attribute(attributes, 'val');
    if (paragraph !== undefined && parent === 'numPr') Object.assign(paragraph.item, itemProperty(name, attributes));
    if (run === undefined || parent !== 'rPr' || this.#path.at(-3) === 'pPr') return;
    if (name === 'rStyle') run.style = attribute(attributes, 'val');
    if (name === 'vanish') run.isHidden = isOn(attributes);
    if (name === 'strike' || name === 'dstrike') run.isStruck = isOn(attributes);
    if (name === 'vertAlign') run.baseline = attribute(attributes, 'val');
  }

  #openOperand(name: string, attributes: Attributes): boolean {
    const part = this.#math.begin(name, attributes);
    if (part === undefined) return false;
    this.#add(part.text);
    if (part.before !== undefined) {
      this.#output.open({ before: part.before, behind: '', isOperand: true });
      this.#operands.push(this.#path.length);
    }
    return true;
  }

  #openStructure(name: string, attributes: Attributes): boolean {
    if (name === 'p') this.#paragraphs.push({ item: {}, mark: '' });
    else if (name === 'r') this.#runs.push({});
    else if (name === 'tc') this.#columns.push(1);
    else if (name === 'gridSpan') this.#span(Number(attribute(attributes, 'val')));
    else if (this.#path.includes('ffData')) this.#fields.readForm(name, this.#path.at(-2), attributes);
    else if (name === 'rt') this.#output.open({ before: '', behind: '', isOperand: true });
    else if (name === 'AlternateContent') this.#alternatives.push(false);
    else if (name === 'hyperlink') this.#openLink(webLink(this.#context.links.get(attribute(attributes, 'id') ?? '')));
    else if (name === 'fldSimple') this.#openLink(linkIn(attribute(attributes, 'instr') ?? ''));
    else if (name === 'fldChar') this.#changeField(attribute(attributes, 'fldCharType'));
    else return false;
    return true;
  }

  #openContent(name: string, attributes: Attributes): void {
    if (name === 'sym') this.#add(symbolText(attribute(attributes, 'font'), attribute(attributes, 'char')));
    else if (name === 'docPr') [this.#described, this.#linked] = [descriptionOf(attributes), undefined];
    else if (name === 'hlinkClick') this.#linked = this.#context.links.get(attribute(attributes, 'id') ?? '');
    else if (name === 'shape') this.#described = attribute(attributes, 'alt');
    else if (name === 'imagedata') this.#addObject('image', attribute(attributes, 'title'));
    else if (name === 'graphicData') this.#addGraphic(attribute(attributes, 'uri') ?? '');
    else if (name === 'relIds') this.#addGraphicText(attribute(attributes, 'dm'));
    else if (name === 'chart') this.#addGraphicText(attribute(attributes, 'id'));
    else if (name === 'altChunk') this.#addChunk();
    else if (name.endsWith('Reference')) this.#add(this.#context.notes.cite(name, attribute(attributes, 'id')));
    else if (Object.hasOwn(CHARACTERS, name)) this.#add(CHARACTERS[name] ?? '');
  }

  #closeStructure(name: string): void {
    if (this.#operands.at(-1) === this.#path.length) {
      this.#operands.pop();
      this.#output.close();
    }
    this.#add(this.#math.end(name));
    if (name === 'pPr') this.#beginParagraph();
    if (name === 'r') this.#runs.pop();
    if (name === 'AlternateContent') this.#alternatives.pop();
    if (name === 'hyperlink' || name === 'fldSimple') this.#output.close();
    if (name === 'rt') this.#reading = this.#output.take();
    if (name === 'rubyBase') this.#addReading();
    this.#closeBlock(name);
  }

  #closeBlock(name: string): void {
    const columns = name === 'tc' ? this.#columns.pop() : undefined;
    const isNested = this.#columns.length > 0;
    if (name === 'p') this.#paragraphs.pop();
    if (name === 'p' || name === 'tr') this.#output.separate(isNested ? ' ' : '\n');
    if (columns !== undefined) this.#output.separate(isNested ? ' ' : '\t'.repeat(columns));
  }

  /** Numbers count also for items without text. */
  #beginParagraph(): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph === undefined) return;
    const { list = '0', level = 0 } = { ...this.#context.styles.item(paragraph.style), ...paragraph.item };
    if (list === '0') return;
    const mark = this.#context.lists.next({ list, level });
    paragraph.mark = mark === '' ? '' : `${'  '.repeat(level)}${mark} `;
  }

  #changeField(type: string | undefined): void {
    if (type === 'separate') {
      const { begins, link } = this.#fields.separate();
      if (begins) this.#openLink(link);
    } else if (type !== 'end') this.#fields.begin();
    else {
      const { hadResult, form } = this.#fields.end();
      if (!hadResult || !this.#output.close()) this.#add(form);
    }
  }

  /** As Markdown. @param address undefined: no link that a browser may open */
  #openLink(address: string | undefined): void {
    const [before, behind] = address === undefined ? ['', ''] : ['[', `](${address})`];
    this.#output.open({ before, behind });
  }

  /** A cell that covers several columns. */
  #span(columns: number): void {
    const isCell = this.#path.at(-2) === 'tcPr' && this.#columns.length > 0;
    if (isCell && columns > 1) this.#columns[this.#columns.length - 1] = Math.min(columns, MAX_COLUMNS);
  }

  /** How the text before it is read. */
  #addReading(): void {
    if (this.#reading !== '') this.#add(`(${this.#reading})`);
    this.#reading = '';
  }

  /** Another file, of any format, that Word shows in this place. */
  #addChunk(): void {
    this.#add('[embedded file]');
    this.#output.separate('\n');
  }

  #addGraphicText(relationship: string | undefined): void {
    const text = this.#context.graphics.takeText(relationship);
    if (text !== '') this.#add(` ${text}`);
  }

  #addGraphic(uri: string): void {
    const kind = GRAPHICS[uri.slice(uri.lastIndexOf('/') + 1)];
    // The text of a text box or a shape is read, so that it needs no word in its place.
    if (kind !== undefined || this.#described) this.#addObject(kind ?? 'drawing', this.#described);
  }

  #addObject(kind: string, described = this.#described): void {
    this.#add(linked(`[${[kind, described].filter((part) => part !== undefined && part !== '').join(': ')}]`, this.#linked));
    [this.#described, this.#linked] = [undefined, undefined];
  }

  #add(text: string, mark: RunMark = ''): void {
    if (text === '' || this.#isHidden() || this.#fields.isInstruction) return;
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph !== undefined && paragraph.mark !== '') {
      this.#output.separate(paragraph.mark);
      paragraph.mark = '';
    }
    this.#alternatives.fill(true);
    this.#output.add(text, mark);
  }

  #isHidden(): boolean {
    const { styles } = this.#context;
    const run = this.#runs.at(-1);
    if (run?.isHidden !== undefined) return run.isHidden;
    return styles.isHidden(run?.style) || styles.isHidden(this.#paragraphs.at(-1)?.style);
  }
}

function markOf({ isStruck = false, baseline }: Run = {}): RunMark {
  const struck = isStruck ? '~~' : '';
  if (baseline === 'superscript') return `<sup>${struck}`;
  return baseline === 'subscript' ? `<sub>${struck}` : struck;
}

function descriptionOf(attributes: Attributes): string {
  const parts = [attribute(attributes, 'title'), attribute(attributes, 'descr')];
  return parts.filter((part) => part !== undefined && part !== '').join(': ');
}
