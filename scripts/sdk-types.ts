/** The provider's APIs whose methods can be declared, with their versions. */
export const WORKSPACE_APIS: Readonly<Record<string, string>> = {
  gmail: 'v1',
  calendar: 'v3',
  drive: 'v3',
  docs: 'v1',
  sheets: 'v4',
  slides: 'v1',
};
/** Only reading can be declared of the others, so what their bodies hold is not needed. */
export const APIS_WITH_BODIES: readonly string[] = ['gmail', 'calendar', 'drive', 'docs'];

/**
 * The type of a field as src/providers/workspace/workspace-methods.json notes it: a kind (`string`, `string[]`, `array`,
 * `object`, …), the choice among fixed texts (`=one|other`, `=one|other[]`), the schema of an object or of a list's
 * objects (`calendar.Event`, `calendar.Event[]`), or the fields of one that has no name, in a list for a list of them.
 */
export type FieldType = string | FieldTypes | [FieldTypes];
export interface FieldTypes {
  [field: string]: FieldType;
}

const KINDS = ['string', 'number', 'boolean', 'string[]', 'any'];
/** The words before a list of all values, and its entries: `- "popup" - …` or `` * `popup` ``. */
const CHOICE =
  /\b(?:(?<!Some of the )possible|supported|allowed) (?:values|items) (?:are|include):((?:\s*(?:\*\s*)?(?:[-*] ["`]\w+["`])(?:(?! \* `)[^\n])*)+)/i;

/**
 * Reads the fields of an interface of the SDK's declarations.
 *
 * @param source what stands between the interface's braces
 * @param schemaName how a schema of the SDK is noted; undefined: as any object
 */
export function readFields(source: string, schemaName: (name: string) => string | undefined): FieldTypes {
  return new TypeReader(source, schemaName).fields();
}

/** A field's type with the values that it may have; of other types than texts it stays as it is. */
export function withChoice(type: FieldType, values: readonly string[]): FieldType {
  if (values.length === 0) return type;
  if (type === 'string') return `=${values.join('|')}`;
  return type === 'string[]' ? `=${values.join('|')}[]` : type;
}

class TypeReader {
  readonly #source: string;
  readonly #schemaName: (name: string) => string | undefined;
  #at = 0;

  constructor(source: string, schemaName: (name: string) => string | undefined) {
    this.#source = source;
    this.#schemaName = schemaName;
  }

  /** Up to a closing brace, or the end. */
  fields(): FieldTypes {
    const fields: FieldTypes = {};
    for (;;) {
      const comment = this.#take(/\s*((?:\/\*\*[\s\S]*?\*\/\s*)*)/y)?.[1] ?? '';
      const field = this.#take(/(?:'([^']+)'|([\w$]+))\??: /y);
      if (field === undefined) return fields;
      const type = this.#type();
      this.#expect(/(?: \| null)?;/y);
      fields[field[1] ?? field[2] ?? ''] = withChoice(type, choiceIn(comment));
    }
  }

  #type(): FieldType {
    const [, list, name] = this.#expect(/(Array<)?(\{|[\w$.]+)/y);
    const base = name === '{' ? this.#inline() : this.#named(name ?? '');
    if (list !== undefined) this.#expect(/>/y);
    const isList = list !== undefined || this.#take(/\[\]/y) !== undefined;
    // What a list of lists holds is not looked into.
    const isDeeper = this.#take(/(?:\[\])+/y) !== undefined;
    if (!isList) return base;
    if (isDeeper || (typeof base === 'string' && base !== 'string' && !base.includes('.'))) return 'array';
    return typeof base === 'string' ? `${base}[]` : Array.isArray(base) ? 'array' : [base];
  }

  #named(name: string): string {
    if (name.startsWith('Schema$')) return this.#schemaName(name.slice('Schema$'.length)) ?? 'object';
    return KINDS.includes(name) ? name : 'object';
  }

  /** Between braces: fields, or the names of a map, which may be any. */
  #inline(): FieldType {
    const isMap = this.#take(/\s*\[key: string\]: /y) !== undefined;
    if (isMap) {
      this.#type();
      this.#expect(/(?: \| null)?;/y);
    }
    const fields = isMap ? 'object' : this.fields();
    this.#expect(/\s*\}/y);
    return fields;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }

  #expect(pattern: RegExp): RegExpExecArray {
    const found = this.#take(pattern);
    if (found === undefined) throw new Error(`${pattern} expected: ${this.#source.slice(this.#at, this.#at + 100)}`);
    return found;
  }
}

/** Empty: it doesn't list its values. */
function choiceIn(comment: string): string[] {
  const [, list = ''] = CHOICE.exec(comment) ?? [];
  return [...list.matchAll(/[-*] ["`](\w+)["`]/g)].map(([, value = '']) => value);
}
