/** Where a part's text goes. */
export interface TextSink {
  add(text: string): void;
  readonly isFull: boolean;
}

/** What comes before the first text of a part, such as a link or an operand of a formula, and behind its last. */
export interface Frame {
  before: string;
  behind: string;
  /** Of a formula: in brackets unless it is a single number or letter. */
  isOperand?: boolean;
}

interface OpenFrame extends Frame {
  isWritten: boolean;
  /** The text so far of an operand that isn't written yet. */
  held: string;
}

/** Marks of a run, and what ends them. */
const ENDS = {
  '': '',
  '~~': '~~',
  '<sup>': '</sup>',
  '<sub>': '</sub>',
  '<sup>~~': '~~</sup>',
  '<sub>~~': '~~</sub>',
};
export type RunMark = keyof typeof ENDS;

const SINGLE = /^(?:\p{N}+(?:[.,]\p{N}+)*|[^\s+\-−*/^_()[\]{}]\p{M}*|\([^()]*\))$/u;
/** Longer operands are written in brackets before they are known to their end. */
const MAX_HELD = 500;

/** The text of a part with its frames, each of which is written only if there is text in it. */
export class DocxOutput {
  readonly #sink: TextSink;
  readonly #frames: OpenFrame[] = [];
  #mark: RunMark = '';

  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  get isFull(): boolean {
    return this.#sink.isFull;
  }

  open(frame: Frame): void {
    this.#frames.push({ ...frame, isWritten: false, held: '' });
  }

  /** @returns whether there is text in it */
  close(): boolean {
    const frame = this.#frames.pop();
    if (frame === undefined) return false;
    const text = frame.isWritten ? frame.behind : frame.held === '' ? '' : inBrackets(frame);
    if (text !== '') this.add(text);
    return frame.isWritten || frame.held !== '';
  }

  /** Closes an operand. @returns its text, which isn't written unless it is long */
  take(): string {
    const held = this.#frames.at(-1)?.held ?? '';
    if (held === '') this.close();
    else this.#frames.pop();
    return held;
  }

  add(text: string, mark: RunMark = ''): void {
    let [piece, of] = [text, mark];
    for (const frame of this.#frames.toReversed()) {
      if (frame.isWritten) continue;
      if (frame.isOperand === true) {
        frame.held += piece;
        if (frame.held.length <= MAX_HELD) return;
        piece = `${frame.before}(${frame.held}`;
        frame.behind = `)${frame.behind}`;
        frame.held = '';
      } else if (frame.before !== '') [piece, of] = [frame.before + piece, ''];
      frame.isWritten = true;
    }
    this.#put(piece, of);
  }

  /** Writes what separates paragraphs and cells. */
  separate(text: string): void {
    this.#put(text, '');
  }

  #put(text: string, mark: RunMark): void {
    // Blanks look the same with a mark and without.
    const of = text.trim() === '' && mark !== this.#mark ? '' : mark;
    const change = of === this.#mark ? '' : ENDS[this.#mark] + of;
    this.#mark = of;
    this.#sink.add(change + text);
  }
}

function inBrackets({ before, behind, held }: OpenFrame): string {
  return `${before}${SINGLE.test(held) ? held : `(${held})`}${behind}`;
}
