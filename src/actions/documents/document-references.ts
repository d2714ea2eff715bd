import { DocumentNumbering } from './document-numbering.ts';
import type { DocumentLists, EmbeddedObject } from './document-response.ts';

interface Referred {
  lists: DocumentLists;
  /** Images and the like, by object id. */
  objects: Readonly<Record<string, EmbeddedObject>>;
}

/** What the paragraphs of a tab refer to, while the tab is read. */
export class DocumentReferences {
  readonly numbering: DocumentNumbering;
  readonly #objects: Map<string, EmbeddedObject>;
  readonly #cited = new Map<string, string>();

  constructor({ lists, objects }: Referred) {
    this.numbering = new DocumentNumbering(lists);
    this.#objects = new Map(Object.entries(objects));
  }

  /** The footnotes that were referred to so far: ids with their marks, in reading order. */
  get cited(): readonly (readonly [id: string, mark: string])[] {
    return [...this.#cited];
  }

  /** The mark of a footnote. */
  cite(id: string | undefined, number: string | undefined): string {
    const mark = `[^${number ?? this.#cited.size + 1}]`;
    if (id !== undefined && !this.#cited.has(id)) this.#cited.set(id, mark);
    return mark;
  }

  /** An object with its alternative text, which is shown once: a hostile response could refer to a long one many times. */
  describe(id: string): string {
    const object = this.#objects.get(id);
    this.#objects.delete(id);
    if (object === undefined) return '[image]';
    const words = [object.title, object.description].filter((text) => text !== undefined && text !== '');
    return `[${[kindOf(object), ...words].join(': ')}]`;
  }
}

function kindOf({ linkedContentReference, embeddedDrawingProperties }: EmbeddedObject): string {
  if (linkedContentReference?.sheetsChartReference !== undefined) return 'chart';
  return embeddedDrawingProperties === undefined ? 'image' : 'drawing';
}
