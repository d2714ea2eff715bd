import { LineSink } from './docx-notes.ts';
import type { DocxPackage, Relationship } from './docx-package.ts';

/** More are named, but not read. */
const MAX_GRAPHICS = 200;

/** The texts of the diagrams and charts of a part, which are parts of their own (ECMA-376 part 1, clauses 14.2.1 and 14.2.4). */
export class DocxGraphics {
  readonly #docx: DocxPackage;
  readonly #parts: Map<string, string>;

  constructor(docx: DocxPackage, related: readonly Relationship[]) {
    this.#docx = docx;
    const graphics = related.filter(({ type }) => type === 'diagramData' || type === 'chart').slice(0, MAX_GRAPHICS);
    this.#parts = new Map(graphics.map(({ id, target }) => [id, target]));
  }

  /** On one line, once: a hostile document could refer to a long one many times. @param id of the relationship */
  takeText(id: string | undefined): string {
    const part = this.#parts.get(id ?? '');
    if (part === undefined) return '';
    this.#parts.delete(id ?? '');
    const sink = new LineSink();
    const path: string[] = [];
    this.#docx.read(part, {
      onOpen: (name) => path.push(name),
      // Texts, and the names and numbers of a chart.
      onText: (text) => ['t', 'v'].includes(path.at(-1) ?? '') && sink.add(text),
      onClose: (name) => {
        path.pop();
        if (name === 'p' || name === 'v') sink.add('\n');
      },
    });
    return sink.line;
  }
}
