import { webLink } from '../shared/text-marks.ts';
import { DocxFields } from './docx-fields.ts';
import type { DocxLists } from './docx-lists.ts';
import { type Attributes, attribute, isOn, type PartHandler } from './docx-package.ts';
import { type DocxStyles, itemProperty, type ListItem } from './docx-styles.ts';
import { symbolText } from './docx-symbols.ts';

/** Where a part's text goes. */
export interface TextSink {
  add(text: string): void;
  readonly isFull: boolean;
}

/** What the parts of a document share. */
export interface DocxContext {
  styles: DocxStyles;
  lists: DocxLists;
  notes: { cite(reference: string, id: string | undefined): string };
  /** Addresses outside, by relationship. */
  links: ReadonlyMap<string, string>;
}

/** What was deleted or moved away under "track changes", and what describes the document but is no text of it. */
const SKIPPED = new Set(['del', 'moveFrom', 'tblPr', 'tcPr', 'trPr', 'tblGrid', 'sectPr', 'sdtPr', 'pPrChange', 'rPrChange', 'tblPrEx']);
const CHARACTERS: Record<string, string> = { tab: '\t', ptab: '\t', br: '\n', cr: '\n', noBreakHyphen: '-' };
/** What stands between the parts of a formula (ECMA-376 part 1, clause 22.1.2). */
const OPERATORS: Record<string, string> = { den: '/', sup: '^', sub: '_' };
const GRAPHICS: Record<string, string> = { picture: 'image', chart: 'chart', diagram: 'diagram' };

interface Paragraph {
  style?: string | undefined;
  item: Partial<ListItem>;
  /** What comes before its first text: the mark of a list item. */
  mark: string;
}

/** What comes before the first text of a link or of a part of a formula, and behind its last. */
interface Frame {
  before: string;
  behind: string;
  isWritten: boolean;
}

interface Run {
  style?: string | undefined;
  isHidden?: boolean;
}

/**
 * Reads the text of a part: paragraphs as lines, table cells with tabs between them. Hidden text and instructions of fields
 * are left out. Objects that are no text become a word in brackets, with their alternative text.
 */
export class DocxReader implements PartHandler {
  readonly #sink: TextSink;
  readonly #context: DocxContext;
  readonly #path: string[] = [];
  readonly #paragraphs: Paragraph[] = [];
  readonly #runs: Run[] = [];
  readonly #fields = new DocxFields();
  readonly #frames: Frame[] = [];
  /** Of each open AlternateContent, whether one of its versions had text. */
  readonly #alternatives: boolean[] = [];
  /** Elements that are open inside of what is skipped, with itself. */
  #skipped = 0;
  #cells = 0;
  /** The alternative text of the drawing that is open. */
  #described: string | undefined;

  constructor(sink: TextSink, context: DocxContext) {
    this.#sink = sink;
    this.#context = context;
  }

  isDone(): boolean {
    return this.#sink.isFull;
  }

  onOpen(name: string, attributes: Attributes): void {
    this.#path.push(name);
    if (this.#skipped > 0 || this.#isSkipped(name)) {
      this.#skipped += 1;
      return;
    }
    if (this.#isProperty()) this.#readProperty(name, attributes);
    else if (!this.#openStructure(name, attributes)) this.#openContent(name, attributes);
  }

  onText(text: string): void {
    if (this.#skipped > 0) return;
    const name = this.#path.at(-1);
    if (name === 'instrText') this.#fields.instruct(text);
    if (name === 't') this.#add(text);
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

  /** The radicand follows its degree. */
  #isOperand(name: string): boolean {
    return Object.hasOwn(OPERATORS, name) || (name === 'e' && this.#path.at(-2) === 'rad');
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
  }

  #openStructure(name: string, attributes: Attributes): boolean {
    if (name === 'p') this.#paragraphs.push({ item: {}, mark: '' });
    else if (name === 'r') this.#runs.push({});
    else if (name === 'tc') this.#cells += 1;
    else if (name === 'AlternateContent') this.#alternatives.push(false);
    else if (name === 'hyperlink') this.#openLink(webLink(this.#context.links.get(attribute(attributes, 'id') ?? '')));
    else if (this.#isOperand(name)) this.#frames.push({ before: OPERATORS[name] ?? '√', behind: '', isWritten: false });
    else if (name === 'fldChar') this.#changeField(attribute(attributes, 'fldCharType'));
    else return false;
    return true;
  }

  #openContent(name: string, attributes: Attributes): void {
    if (name === 'sym') this.#add(symbolText(attribute(attributes, 'font'), attribute(attributes, 'char')));
    else if (name === 'docPr') this.#described = descriptionOf(attributes);
    else if (name === 'shape') this.#described = attribute(attributes, 'alt');
    else if (name === 'imagedata') this.#addObject('image', attribute(attributes, 'title'));
    else if (name === 'graphicData') this.#addGraphic(attribute(attributes, 'uri') ?? '');
    else if (name.endsWith('Reference')) this.#add(this.#context.notes.cite(name, attribute(attributes, 'id')));
    else if (Object.hasOwn(CHARACTERS, name)) this.#add(CHARACTERS[name] ?? '');
  }

  #closeStructure(name: string): void {
    if (name === 'pPr') this.#beginParagraph();
    if (name === 'r') this.#runs.pop();
    if (name === 'AlternateContent') this.#alternatives.pop();
    if (name === 'hyperlink' || this.#isOperand(name)) this.#closeFrame();
    if (name === 'p') {
      this.#paragraphs.pop();
      this.#sink.add(this.#cells > 0 ? ' ' : '\n');
    }
    if (name === 'tr') this.#sink.add(this.#cells > 0 ? ' ' : '\n');
    if (name !== 'tc') return;
    this.#cells -= 1;
    this.#sink.add(this.#cells > 0 ? ' ' : '\t');
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
    if (type === 'separate') this.#openLink(this.#fields.separate());
    else if (type !== 'end') this.#fields.begin();
    else if (this.#fields.end()) this.#closeFrame();
  }

  /** As Markdown. @param address undefined: no link that a browser may open */
  #openLink(address: string | undefined): void {
    const [before, behind] = address === undefined ? ['', ''] : ['[', `](${address})`];
    this.#frames.push({ before, behind, isWritten: false });
  }

  #closeFrame(): void {
    const frame = this.#frames.pop();
    if (frame?.isWritten) this.#sink.add(frame.behind);
  }

  #addGraphic(uri: string): void {
    const kind = GRAPHICS[uri.slice(uri.lastIndexOf('/') + 1)];
    // The text of a text box or a shape is read, so that it needs no word in its place.
    if (kind !== undefined || this.#described) this.#addObject(kind ?? 'drawing', this.#described);
  }

  #addObject(kind: string, described = this.#described): void {
    this.#add(`[${[kind, described].filter((part) => part !== undefined && part !== '').join(': ')}]`);
    this.#described = undefined;
  }

  #add(text: string): void {
    if (text === '' || this.#isHidden() || this.#fields.isInstruction) return;
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph !== undefined && paragraph.mark !== '') {
      this.#sink.add(paragraph.mark);
      paragraph.mark = '';
    }
    for (const frame of this.#frames.filter(({ isWritten }) => !isWritten)) {
      this.#sink.add(frame.before);
      frame.isWritten = true;
    }
    this.#alternatives.fill(true);
    this.#sink.add(text);
  }

  #isHidden(): boolean {
    const { styles } = this.#context;
    const run = this.#runs.at(-1);
    if (run?.isHidden !== undefined) return run.isHidden;
    return styles.isHidden(run?.style) || styles.isHidden(this.#paragraphs.at(-1)?.style);
  }
}

function descriptionOf(attributes: Attributes): string {
  const parts = [attribute(attributes, 'title'), attribute(attributes, 'descr')];
  return parts.filter((part) => part !== undefined && part !== '').join(': ');
}
