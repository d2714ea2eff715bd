import { isObject } from '../../validation/is-object.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Declaration {
  path: readonly string[];
  header: string;
}

const KEY = 'x-mcp-header';
/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = new Set(['string', 'integer', 'boolean']);
/** A value that a header can have as it is: ASCII, without a space at either end. */
const PLAIN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Whether a tool repeats arguments as headers where it must not (MCP 2026-07-28, Streamable HTTP, "Schema Extension"): clients
 * have to leave such a tool out.
 */
export function hasInvalidHeaders(inputSchema: Schema): boolean {
  const declared = declarationsOf(inputSchema);
  const names = declared.map(({ header }) => header.toLowerCase());
  return countOf(inputSchema) !== declared.length || new Set(names).size !== names.length;
}

/** The headers of a call, by the tool's schema. The official client's function for it is not exported. */
export function parameterHeaders(inputSchema: Schema, args: Readonly<Record<string, unknown>>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declarationsOf(inputSchema)) {
    const text = textOf(path.reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), args));
    if (text !== undefined) headers[`mcp-param-${header}`] = PLAIN.test(text) && !isEncoded(text) ? text : encoded(text);
  }
  return headers;
}

/** Those that are valid: of properties that are reached by `properties` alone. */
function declarationsOf(schema: unknown, path: readonly string[] = []): Declaration[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    const here = [...path, name];
    const header = isObject(property) ? property[KEY] : undefined;
    const isValid = typeof header === 'string' && TOKEN.test(header) && TYPES.has((property as Schema).type as string);
    return [...(isValid ? [{ path: here, header }] : []), ...declarationsOf(property, here)];
  });
}

/** All of them, wherever they are. */
function countOf(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0;
  const own = Object.hasOwn(node, KEY) && typeof (node as Schema)[KEY] !== 'object' ? 1 : 0;
  return Object.values(node).reduce((sum: number, child) => sum + countOf(child), own);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  return undefined;
}

function isEncoded(text: string): boolean {
  return text.startsWith('=?base64?') && text.endsWith('?=');
}

function encoded(text: string): string {
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
