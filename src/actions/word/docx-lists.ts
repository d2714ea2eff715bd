import { listNumber } from '../shared/list-numbers.ts';
import { type Attributes, attribute, type DocxPackage, isOn } from './docx-package.ts';
import type { ListItem } from './docx-styles.ts';

interface Level {
  format: string;
  /** `%1.%2.`: the numbers of levels, counted from 1. */
  text: string;
  start: number;
  /** Also the numbers of other levels are decimal. */
  isLegal?: boolean;
  /** The level, counted from 1, below which a higher one doesn't begin it again; 0: none does. Undefined: all do. */
  restart?: number;
}

interface List {
  id: string;
  definition: string;
  /** Where the numbers of a level begin again, as the list is met first. */
  restarts: Map<number, number>;
}

const MAX_LISTS = 20_000;
const MAX_TEXT = 50;

/** The marks of list items, counted in the order of the document (ECMA-376 part 1, clause 17.9). */
export class DocxLists {
  /** Levels by definition and number, or by list and number where a list has its own. */
  readonly #levels = new Map<string, Level>();
  readonly #lists = new Map<string, List>();
  readonly #met = new Set<string>();
  /** The last number of each level, by definition. */
  readonly #counts = new Map<string, (number | undefined)[]>();

  /** @param part the name of the part with the definitions of lists */
  constructor(docx: DocxPackage, part: string | undefined) {
    if (part === undefined) return;
    const path: string[] = [];
    let definition = '';
    let list: List | undefined;
    /** The definition of each style, and the style of each definition that refers to another by it (17.9.21, 17.9.27). */
    const [definitions, styles] = [new Map<string, string>(), new Map<string, string>()];
    let level = 0;
    docx.read(part, {
      onOpen: (name, attributes) => {
        path.push(name);
        const value = attribute(attributes, 'val') ?? '';
        if (name === 'abstractNum') [definition, list] = [attribute(attributes, 'abstractNumId') ?? '', undefined];
        else if (name === 'num') list = this.#addList(attribute(attributes, 'numId') ?? '');
        else if (name === 'abstractNumId' && list !== undefined) list.definition = definitions.get(styles.get(value) ?? '') ?? value;
        else if (name === 'styleLink' && definitions.size < MAX_LISTS) definitions.set(value, definition);
        else if (name === 'numStyleLink' && styles.size < MAX_LISTS) styles.set(definition, value);
        else if (name === 'lvl' || name === 'lvlOverride') level = wholeNumber(attribute(attributes, 'ilvl'), 0);
        else if (name === 'startOverride') list?.restarts.set(level, wholeNumber(value, 1));
        if (path.at(-2) === 'lvl') this.#readLevel(list === undefined ? `${definition}/${level}` : ownLevel(list, level), name, attributes);
      },
      onClose: () => path.pop(),
    });
  }

  /** The mark of the next item: `-`, or its number as in the document. */
  next({ list: id, level }: ListItem): string {
    const list = this.#lists.get(id);
    if (list === undefined) return '-';
    const counts = this.#counts.get(list.definition) ?? [];
    this.#counts.set(list.definition, counts);
    const restart = this.#met.has(`${id}/${level}`) ? undefined : list.restarts.get(level);
    this.#met.add(`${id}/${level}`);
    const { format, text, start, isLegal } = this.#level(list, level);
    counts[level] = restart ?? (counts[level] === undefined ? start : counts[level] + 1);
    this.#restart(list, counts, level);
    if (format === 'bullet') return '-';
    return text.replace(/%([1-9])/g, (_, number: string) => this.#numberOf(list, counts, Number(number) - 1, isLegal));
  }

  /** Deeper levels begin again (clause 17.9.10). */
  #restart(list: List, counts: (number | undefined)[], level: number): void {
    for (let deeper = level + 1; deeper < counts.length; deeper += 1) {
      if (level < (this.#level(list, deeper).restart ?? deeper)) counts[deeper] = undefined;
    }
  }

  #addList(id: string): List {
    const list = { id, definition: '', restarts: new Map<number, number>() };
    if (this.#lists.size < MAX_LISTS) this.#lists.set(id, list);
    return list;
  }

  #readLevel(key: string, name: string, attributes: Attributes): void {
    const value = attribute(attributes, 'val') ?? '';
    const level = this.#levels.get(key) ?? { format: 'decimal', text: '', start: 1 };
    if (this.#levels.size < MAX_LISTS) this.#levels.set(key, level);
    if (name === 'numFmt') level.format = value;
    if (name === 'lvlText') level.text = value.slice(0, MAX_TEXT);
    if (name === 'start') level.start = wholeNumber(value, 1);
    if (name === 'isLgl') level.isLegal = isOn(attributes);
    if (name === 'lvlRestart') level.restart = wholeNumber(value, 0);
  }

  #level(list: List, level: number): Level {
    return (
      this.#levels.get(ownLevel(list, level)) ?? this.#levels.get(`${list.definition}/${level}`) ?? { format: 'bullet', text: '', start: 1 }
    );
  }

  #numberOf(list: List, counts: readonly (number | undefined)[], level: number, isLegal = false): string {
    const { format, start } = this.#level(list, level);
    return listNumber(counts[level] ?? start, isLegal ? 'decimal' : format);
  }
}

function ownLevel({ id }: List, level: number): string {
  return `list ${id}/${level}`;
}

function wholeNumber(value: string | undefined, otherwise: number): number {
  return /^\d{1,6}$/.test(value ?? '') ? Number(value) : otherwise;
}
