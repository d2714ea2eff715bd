// JSON Schemas of the OpenAPI document as Markdown tables.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  description?: string;
  maxLength?: number;
  default?: unknown;
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
}

type Schemas = Record<string, Schema>;

/** A response of more fields lists only those of its first level. */
const FIELDS_MAX = 40;
const FORMATS: Record<string, string> = { uuid: 'UUID', 'date-time': 'ISO 8601 time', email: 'mail address', uri: 'URL' };

/** A Markdown table, without empty columns. */
export function table(head: string[], rows: readonly string[][]): string {
  const columns = head.flatMap((_, column) => (rows.some((row) => row[column] !== '') ? [column] : []));
  const cells = [head, ...rows].map((row) => columns.map((column) => (row[column] ?? '').replaceAll('|', '\\|').replaceAll('\n', ' ')));
  const widths = columns.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(cells[0] ?? []), line(widths.map((width) => '-'.repeat(width))), ...cells.slice(1).map(line)].join('\n');
}

/** Rows of name, type, whether required, description; those of nested objects by their path, such as `accounts[].id`. */
export function fieldsOf(schema: Schema, schemas: Schemas): string[][] {
  const all = fields(schema, schemas, '', Number.POSITIVE_INFINITY);
  return all.length > FIELDS_MAX ? fields(schema, schemas, '', 1) : all;
}

function fields(schema: Schema, schemas: Schemas, prefix: string, depth: number): string[][] {
  const { properties = {}, required = [] } = resolve(schema, schemas);
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const { nested, suffix } = nestedIn(property, schemas);
    const description = property.description ?? resolve(property, schemas).description ?? '';
    const row = [`\`${path}\``, typeOf(property, schemas), required.includes(name) ? 'yes' : 'no', description];
    return depth <= 1 || nested === undefined ? [row] : [row, ...fields(nested, schemas, `${path}${suffix}.`, depth - 1)];
  });
}

/** The object schema in a property: itself, an item of its list, or the alternative to null. */
function nestedIn(schema: Schema, schemas: Schemas): { nested: Schema | undefined; suffix: string } {
  const own = notNull(resolve(schema, schemas), schemas);
  if (own.properties !== undefined) return { nested: own, suffix: '' };
  const item = own.items === undefined ? undefined : resolve(own.items, schemas);
  return { nested: item?.properties === undefined ? undefined : item, suffix: '[]' };
}

export function typeOf(schema: Schema, schemas: Schemas): string {
  const own = resolve(schema, schemas);
  if (own.anyOf !== undefined) return own.anyOf.map((one) => typeOf(one, schemas)).join(' or ');
  if (own.const !== undefined) return `\`${String(own.const)}\``;
  if (own.enum !== undefined) return own.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (own.items !== undefined) return `array of ${plural(typeOf(own.items, schemas))}`;
  const type = FORMATS[own.format ?? ''] ?? [own.type ?? 'any'].flat().join(' or ');
  return own.maxLength === undefined ? type : `${type}, at most ${own.maxLength} characters`;
}

function plural(type: string): string {
  return /^(string|object|UUID|integer|number)$/.test(type) ? `${type}s` : type;
}

function notNull(schema: Schema, schemas: Schemas): Schema {
  const other = schema.anyOf?.find(({ type }) => type !== 'null');
  return other === undefined ? schema : resolve(other, schemas);
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : { ...schemas[name], ...schema };
}
