import type { TextSink } from './docx-output.ts';
import { type Attributes, attribute, type DocxPackage, type PartHandler } from './docx-package.ts';
import { type DocxContext, DocxReader } from './docx-reader.ts';

interface Kind {
  /** The element that refers to a text, and the one that has it. */
  reference: string;
  element: string;
  /** What stands at the reference, and before the text. */
  mark: (number: number) => string;
  after: string;
}

/** By the type of the part that has the texts. */
const KINDS = {
  footnotes: { reference: 'footnoteReference', element: 'footnote', mark: (number) => `[^${number}]`, after: ':' },
  endnotes: { reference: 'endnoteReference', element: 'endnote', mark: (number) => `[^e${number}]`, after: ':' },
  comments: { reference: 'commentReference', element: 'comment', mark: (number) => `[comment ${number}]`, after: '' },
} satisfies Record<string, Kind>;
type NotesType = keyof typeof KINDS;

/** The notes and comments to which a document refers, in the order of their references. */
export class DocxNotes {
  readonly #cited = { footnotes: new Map<string, string>(), endnotes: new Map<string, string>(), comments: new Map<string, string>() };

  /** The mark at the reference; none for another kind of reference. */
  cite(reference: string, id: string | undefined): string {
    const type = (Object.keys(KINDS) as NotesType[]).find((one) => KINDS[one].reference === reference);
    if (id === undefined || type === undefined) return '';
    const cited = this.#cited[type];
    const mark = cited.get(id) ?? KINDS[type].mark(cited.size + 1);
    cited.set(id, mark);
    return mark;
  }

  /** The cited texts of a part, each on a line with its mark. */
  lines(docx: DocxPackage, type: NotesType, part: string, context: DocxContext): string[] {
    const cited = [...this.#cited[type]];
    const { element, after } = KINDS[type];
    const texts = new Map<string, string>();
    docx.read(part, new NotesHandler(element, context, (id, text) => texts.set(id, text)));
    return cited.flatMap(([id, mark]) => (texts.has(id) ? [`${mark}${after} ${texts.get(id)}`] : []));
  }
}

/** Text as one line. */
export class LineSink implements TextSink {
  readonly isFull = false;
  #text = '';

  add(text: string): void {
    this.#text += text;
  }

  get line(): string {
    const lines = this.#text.split(/[\n\t]/).map((line) => line.trim());
    return lines.filter((line) => line !== '').join(' / ');
  }
}

/** Reads each note or comment for itself. */
class NotesHandler implements PartHandler {
  readonly #element: string;
  readonly #context: DocxContext;
  readonly #found: (id: string, text: string) => void;
  #note: { id: string; author: string; sink: LineSink; reader: DocxReader } | undefined;

  constructor(element: string, context: DocxContext, found: (id: string, text: string) => void) {
    this.#element = element;
    this.#context = context;
    this.#found = found;
  }

  onOpen(name: string, attributes: Attributes): void {
    if (name !== this.#element) {
      this.#note?.reader.onOpen(name, attributes);
      return;
    }
    const sink = new LineSink();
    const author = attribute(attributes, 'author');
    this.#note = {
      id: attribute(attributes, 'id') ?? '',
      author: author === undefined ? '' : `${author}: `,
      sink,
      reader: new DocxReader(sink, this.#context),
    };
  }

  onText(text: string): void {
    this.#note?.reader.onText(text);
  }

  onClose(name: string): void {
    const note = this.#note;
    if (name !== this.#element) note?.reader.onClose(name);
    else if (note !== undefined) {
      this.#found(note.id, `${note.author}${note.sink.line}`);
      this.#note = undefined;
    }
  }
}
