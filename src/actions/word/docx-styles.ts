import { type Attributes, attribute, type DocxPackage, isOn } from './docx-package.ts';

/** A paragraph's place in a list. */
export interface ListItem {
  /** `0`: in no list. */
  list: string;
  level: number;
}

interface Style {
  basedOn?: string;
  isHidden?: boolean;
  item?: Partial<ListItem>;
}

/** Styles are based on others; more than this only in a circle. */
const MAX_ANCESTORS = 20;
const MAX_STYLES = 20_000;

/** What the styles of a Word document say about text: whether it is hidden, whether it is an item of a list. */
export class DocxStyles {
  readonly #styles = new Map<string, Style>();

  /** @param part the name of the part with the styles */
  constructor(docx: DocxPackage, part: string | undefined) {
    const path: string[] = [];
    let style: Style = {};
    if (part === undefined) return;
    docx.read(part, {
      onOpen: (name, attributes) => {
        path.push(name);
        if (name === 'style') style = this.#add(attribute(attributes, 'styleId'));
        else readProperty(style, path, name, attributes);
      },
      onClose: () => path.pop(),
    });
  }

  isHidden(id: string | undefined): boolean {
    return this.#find(id, ({ isHidden }) => isHidden) ?? false;
  }

  item(id: string | undefined): Partial<ListItem> {
    const list = this.#find(id, ({ item }) => item?.list);
    const level = this.#find(id, ({ item }) => item?.level);
    return { ...(list !== undefined && { list }), ...(level !== undefined && { level }) };
  }

  #add(id: string | undefined): Style {
    const style: Style = {};
    if (id !== undefined && this.#styles.size < MAX_STYLES) this.#styles.set(id, style);
    return style;
  }

  #find<Value>(id: string | undefined, property: (style: Style) => Value | undefined): Value | undefined {
    let style = this.#styles.get(id ?? '');
    for (let ancestors = 0; style !== undefined && ancestors < MAX_ANCESTORS; ancestors += 1) {
      const value = property(style);
      if (value !== undefined) return value;
      style = this.#styles.get(style.basedOn ?? '');
    }
    return undefined;
  }
}

function readProperty(style: Style, path: readonly string[], name: string, attributes: Attributes): void {
  const parent = path.at(-2);
  if (name === 'basedOn' && parent === 'style') style.basedOn = attribute(attributes, 'val') ?? '';
  if (name === 'vanish' && parent === 'rPr' && path.at(-3) === 'style') style.isHidden = isOn(attributes);
  if (parent === 'numPr' && path.at(-4) === 'style') style.item = { ...style.item, ...itemProperty(name, attributes) };
}

/** One of the two properties in `<w:numPr>`. */
export function itemProperty(name: string, attributes: Attributes): Partial<ListItem> {
  const value = attribute(attributes, 'val') ?? '';
  if (name === 'numId') return { list: value };
  return name === 'ilvl' && /^[0-8]$/.test(value) ? { level: Number(value) } : {};
}
