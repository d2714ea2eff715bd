import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from 'js-yaml';

export type Path = readonly PropertyKey[];

/** Offsets into the source at which a node's key and its value begin. */
interface Offsets {
  key: number;
  value: number;
}

interface Collection {
  path: Path;
  /** Set between a mapping's key and its value. */
  pending: { name: string; offset: number } | undefined;
  /** Next index of a sequence; unset in a mapping. */
  index: number | undefined;
}

/** Finds the position of a path of the parsed document in the YAML source. */
export class YamlPositions {
  readonly #nodes = new Map<string, Offsets>();

  /** @param events of one document without aliases, from js-yaml's `parseEvents` */
  constructor(source: string, events: readonly Event[]) {
    const open: Collection[] = [];
    for (const event of events) {
      if (event.type === EVENT_ID.POP) open.pop();
      if (event.type !== EVENT_ID.SCALAR && event.type !== EVENT_ID.MAPPING && event.type !== EVENT_ID.SEQUENCE) continue;
      const offset = startOf(event);
      const parent = open.at(-1);
      if (event.type === EVENT_ID.SCALAR && parent !== undefined && parent.index === undefined && parent.pending === undefined) {
        parent.pending = { name: getScalarValue(source, event), offset };
        continue;
      }
      const path = this.#enter(parent, offset);
      if (event.type !== EVENT_ID.SCALAR) open.push({ path, pending: undefined, index: event.type === EVENT_ID.SEQUENCE ? 0 : undefined });
    }
  }

  /** Offset of the value at `path`, or of the key of its nearest ancestor. */
  value(path: Path): number {
    return this.#nodes.get(id(path))?.value ?? this.key(path.slice(0, -1));
  }

  /** Offset of the key at `path`, or of that of its nearest ancestor; 0 for the document. */
  key(path: Path): number {
    if (path.length === 0) return 0;
    return this.#nodes.get(id(path))?.key ?? this.key(path.slice(0, -1));
  }

  #enter(parent: Collection | undefined, offset: number): Path {
    if (parent === undefined) return this.#note([], 0, offset);
    if (parent.index !== undefined) return this.#note([...parent.path, parent.index++], offset, offset);
    const { name, offset: keyOffset } = parent.pending ?? { name: '', offset };
    parent.pending = undefined;
    return this.#note([...parent.path, name], keyOffset, offset);
  }

  #note(path: Path, key: number, value: number): Path {
    // An empty value has no position; its key has.
    this.#nodes.set(id(path), { key, value: value < 0 ? key : value });
    return path;
  }
}

/** Line and column of an offset, both counted from 1. */
export function lineAndColumn(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Offset of a node in the source; −1 for an empty value, 0 for other events. */
export function startOf(event: Event): number {
  if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) return event.start;
  if (event.type !== EVENT_ID.SCALAR) return 0;
  const quoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
  return quoted ? event.valueStart - 1 : event.valueStart;
}

/** Sequence indexes and mapping keys never meet at one place, so `1` and `'1'` may share an id. */
function id(path: Path): string {
  return JSON.stringify(path.map(String));
}
