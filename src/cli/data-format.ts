import { createHash } from 'node:crypto';
import { TextDecoder } from 'node:util';
import { z } from 'zod';
import { TRANSFERRED } from '../database/table-transfer.ts';
import type { TableName } from '../database/tables.ts';
import { StartError } from '../errors.ts';

/**
 * An export is gzip of lines of JSON: a header, `["table",{row}]` for each row, and a trailer with the number of rows
 * and the SHA-256 of every byte before it, which shows that the file is complete and undamaged.
 */
const VERSION = 1;
/** Longer than any exported row. */
const LINE_BYTES = 32 * 1024 * 1024;

const headerSchema = z.strictObject({
  steward: z.literal('data'),
  version: z.number(),
  schema: z.array(z.string()),
  exported_at: z.string(),
});
/** Not a zod record, which would drop a member named `__proto__`. */
const rowSchema = z.tuple([z.string(), z.custom((value) => typeof value === 'object' && value !== null)]);
const trailerSchema = z.strictObject({ rows: z.number(), sha256: z.string() });

/** One row as JSON text: parsing would round the database's numbers. */
export interface DataRow {
  table: TableName;
  row: string;
}

/** The bytes of a file, before compression. @param rows in the order of {@link TRANSFERRED} @param now milliseconds since 1970 */
export async function* encode(schema: string[], rows: AsyncIterable<DataRow[]>, now: number): AsyncGenerator<string> {
  const hash = createHash('sha256');
  let count = 0;
  const counted = (text: string) => {
    hash.update(text);
    return text;
  };
  yield counted(`${JSON.stringify({ steward: 'data', version: VERSION, schema, exported_at: new Date(now).toISOString() })}\n`);
  for await (const batch of rows) {
    count += batch.length;
    yield counted(batch.map(({ table, row }) => `["${table}",${row}]\n`).join(''));
  }
  yield `${JSON.stringify({ rows: count, sha256: hash.digest('hex') })}\n`;
}

/**
 * Reads the rows of an exported file. They are valid only once the end is reached without an error.
 *
 * @param schema what the header must say
 * @param columns of each table: a row has exactly these
 * @throws StartError for a file that {@link encode} didn't write
 */
export async function* decode(
  bytes: AsyncIterable<Buffer>,
  schema: readonly string[],
  columns: ReadonlyMap<TableName, ReadonlySet<string>>,
): AsyncGenerator<DataRow> {
  const hash = createHash('sha256');
  let number = 0;
  let count = 0;
  let trailer: z.output<typeof trailerSchema> | undefined;
  for await (const line of linesOf(bytes)) {
    number += 1;
    if (trailer !== undefined) throw damaged(`line ${number} comes after its end`);
    if (number === 1) checkHeader(line, schema);
    else if (line.startsWith('{')) {
      trailer = parsed(trailerSchema, line, number);
      continue;
    } else {
      yield rowOf(line, number, columns);
      count += 1;
    }
    hash.update(`${line}\n`);
  }
  if (trailer === undefined) throw damaged('its end is missing');
  if (trailer.rows !== count || trailer.sha256 !== hash.digest('hex')) throw damaged('its checksum does not match its content');
}

function checkHeader(line: string, schema: readonly string[]): void {
  const header = parsed(headerSchema, line, 1);
  if (header.version !== VERSION) {
    throw new StartError(`The file has version ${header.version} of the format; this release reads version ${VERSION}.`);
  }
  const [older, newer] = [header.schema.filter((name) => !schema.includes(name)), schema.filter((name) => !header.schema.includes(name))];
  if (older.length + newer.length === 0) return;
  throw new StartError(
    `The file has another schema than this release (${[...older.map((name) => `it has ${name}`), ...newer.map((name) => `it lacks ${name}`)].join(', ')}). Import it with the release that made it, then start the newer one.`,
  );
}

function rowOf(line: string, number: number, columns: ReadonlyMap<TableName, ReadonlySet<string>>): DataRow {
  const table = TRANSFERRED.find((name) => line.startsWith(`["${name}",{`));
  const expected = table && columns.get(table);
  if (table === undefined || expected === undefined) throw damaged(`line ${number} is not a row of an exported table`);
  const [, row] = parsed(rowSchema, line, number);
  const names = Object.keys(row as object);
  if (names.length !== expected.size || !names.every((name) => expected.has(name))) {
    throw damaged(`line ${number} doesn't have the columns of ${table}`);
  }
  return { table, row: line.slice(`["${table}",`.length, -1) };
}

function parsed<S extends z.ZodType>(schema: S, line: string, number: number): z.output<S> {
  try {
    return schema.parse(JSON.parse(line));
  } catch {
    throw damaged(number === 1 ? 'it does not begin as an export does' : `line ${number} can't be read`);
  }
}

/** @throws StartError when a line is too long, is not UTF-8, or the last one is not ended */
async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let pending: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield text(decoder, Buffer.concat([...pending, rest.subarray(0, end)]));
      pending = [];
      length = 0;
      rest = rest.subarray(end + 1);
    }
    pending.push(rest);
    length += rest.length;
    if (length > LINE_BYTES) throw damaged('a line is too long');
  }
  if (length > 0) throw damaged('its end is missing');
}

function text(decoder: TextDecoder, bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw damaged('it is not text');
  }
}

/** @returns the error for a file that {@link encode} didn't write, or that is incomplete */
export function damaged(what: string): StartError {
  return new StartError(`The file is not a complete export of Steward's data: ${what}. Nothing was imported.`);
}
