import { BREAKOUTS, FORMATTING, SCOPES, SPECIAL, TABLE_PARTS, TABLE_SCOPES } from './html-elements.ts';

interface Named {
  name: string;
}

interface Change<Element> {
  /** The innermost first. */
  ended: Element[];
  /** What was inside of an element that ended, and stays open. */
  changed: readonly Element[];
}

/** Start tags that end a paragraph (HTML, 13.2.6.4.7). */
const ENDS_PARAGRAPH = new Set(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li dd dt listing main menu nav ol p plaintext pre search section summary table ul xmp'.split(
    ' ',
  ),
);
/** The elements that a new element of this name closes, searched up to the nearest of the second list. */
const CLOSES: Record<string, [ended: string[], within: string[]]> = {
  button: [['button'], ['table', 'td', 'th']],
  option: [['option'], ['select', 'datalist', 'optgroup']],
  li: [['li'], ['ul', 'ol', 'menu', 'dir']],
  dt: [['dt', 'dd'], ['dl']],
  dd: [['dt', 'dd'], ['dl']],
  caption: [['caption'], ['table']],
  thead: [['thead', 'tbody', 'tfoot'], ['table']],
  tbody: [['thead', 'tbody', 'tfoot'], ['table']],
  tfoot: [['thead', 'tbody', 'tfoot'], ['table']],
  tr: [['tr'], ['table']],
  td: [
    ['td', 'th'],
    ['tr', 'table'],
  ],
  th: [
    ['td', 'th'],
    ['tr', 'table'],
  ],
};
const PARAGRAPH_SCOPES = new Set([...SCOPES, 'button']);
/** HTML inside of a drawing. */
const FOREIGN_ENDS = new Set(['foreignobject', 'annotation-xml']);
/** Chromium nests no deeper; what is deeper becomes a sibling. */
const MAX_OPEN = 512;
/** Formatting that begins anew in the next paragraph; of more, only the last. */
const MAX_RESUMED = 8;

/** The elements that are open while HTML is read: which of them a tag closes (HTML, 13.2.6), in limited time. */
export class OpenElements<Element extends Named> {
  readonly #open: Element[] = [];
  /** How many of a name are open: most searches end here. */
  readonly #counts = new Map<string, number>();
  #resumed: Element[] = [];

  /** The root first. */
  get path(): readonly Element[] {
    return this.#open;
  }

  has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0;
  }

  push(element: Element): void {
    this.#open.push(element);
    this.#counts.set(element.name, (this.#counts.get(element.name) ?? 0) + 1);
  }

  /** What ends before an element of this name begins. */
  before(name: string): Change<Element> {
    if (name === 'a' || name === 'nobr') return this.end(name);
    const ended = BREAKOUTS.has(name) ? this.#closeDownTo(this.#last(['svg', 'math'], FOREIGN_ENDS)) : [];
    if (ENDS_PARAGRAPH.has(name)) ended.push(...this.#closeDownTo(this.#last(['p'], PARAGRAPH_SCOPES)));
    const [names, within] = CLOSES[name] ?? [];
    if (names !== undefined && within !== undefined) ended.push(...this.#closeDownTo(this.#last(names, new Set(within))));
    if (this.#open.length >= MAX_OPEN) ended.push(...this.#remove(this.#open.length - 1, 1));
    return { ended, changed: [] };
  }

  /** What an end tag closes: of formatting that blocks inside outlive, only the element itself. */
  end(name: string): Change<Element> {
    this.#resumed = without(this.#resumed, name);
    if (name === 'html' || name === 'body') return { ended: [], changed: [] };
    const at = this.#last([name], boundsOf(name));
    if (at === -1) return { ended: [], changed: [] };
    const isOutlived = FORMATTING.has(name) && this.#open.slice(at + 1).some((one) => SPECIAL.has(one.name));
    if (isOutlived) return { ended: this.#remove(at, 1), changed: this.#open.slice(at) };
    return { ended: this.#closeDownTo(at, name), changed: [] };
  }

  /** Formatting that continues where text or another element begins: each is to be opened again. */
  takeResumed(): Element[] {
    const resumed = this.#resumed;
    if (resumed.length > 0) this.#resumed = [];
    return resumed;
  }

  /** At the end of the text. */
  endAll(): Element[] {
    return this.#closeDownTo(0);
  }

  /** The index of the innermost open element of some names, -1 if there is none inside of the bounds. */
  #last(names: readonly string[], bounds: ReadonlySet<string>): number {
    if (!names.some((name) => this.has(name))) return -1;
    const at = this.#open.findLastIndex(({ name }) => names.includes(name) || bounds.has(name));
    return names.includes(this.#open[at]?.name ?? '') ? at : -1;
  }

  #remove(at: number, count: number): Element[] {
    const removed = this.#open.splice(at, count);
    for (const { name } of removed) this.#counts.set(name, (this.#counts.get(name) ?? 0) - 1);
    return removed;
  }

  #closeDownTo(at: number, name?: string): Element[] {
    if (at < 0) return [];
    const ended = this.#remove(at, this.#open.length);
    // Formatting of a cell ends with it.
    const isCell = ended.some((one) => SCOPES.has(one.name));
    const resumed = isCell ? [] : ended.filter((one) => FORMATTING.has(one.name) && one.name !== name);
    if (resumed.length > 0) this.#resumed = [...this.#resumed, ...resumed].slice(-MAX_RESUMED);
    return ended.reverse();
  }
}

/** Elements beyond which an end tag has no effect. */
function boundsOf(name: string): ReadonlySet<string> {
  if (TABLE_PARTS.has(name)) return TABLE_SCOPES;
  return SPECIAL.has(name) || FORMATTING.has(name) ? SCOPES : SPECIAL;
}

function without<Element extends Named>(elements: Element[], name: string): Element[] {
  const at = elements.findLastIndex((one) => one.name === name);
  return at === -1 ? elements : elements.toSpliced(at, 1);
}
