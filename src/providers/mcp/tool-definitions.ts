import { z } from 'zod';
import { isObject } from '../../validation/is-object.ts';
import { halfProblem, textProblem } from '../../validation/well-formed.ts';
import { hasInvalidHeaders } from './parameter-headers.ts';
import type { ListedTools } from './source-session.ts';
import type { ToolDefinition } from './source-settings.ts';

const object = z.custom<Readonly<Record<string, unknown>>>(isObject);
/** Nothing is converted or left out: the hash is of what the server sent. */
const definition = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: object,
  outputSchema: object.optional(),
  annotations: object.optional(),
  _meta: object.optional(),
});

/** As the specification allows them, and what is found in use. */
const NAME = /^[\x21-\x7e]{1,128}$/;
const MAX_DEFINITION_BYTES = 64 * 1024;
const MAX_DEPTH = 32;
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

/** Reads the tools of all pages. One that can't be used makes none of the others unusable. */
export function readTools(items: readonly unknown[]): Omit<ListedTools, 'ttlMs'> {
  const tools = new Map<string, ToolDefinition>();
  const unusable = new Map<string, string>();
  for (const item of items.map(withoutNulls)) {
    const name = nameOf(item);
    const reason = tools.has(name) ? 'its name occurs twice' : reasonAgainst(item);
    if (reason === undefined && !unusable.has(name)) tools.set(name, definition.parse(item) as ToolDefinition);
    else {
      tools.delete(name);
      unusable.set(name, unusable.get(name) ?? (reason as string));
    }
  }
  return { tools: [...tools.values()], unusable: [...unusable].map(([name, reason]) => ({ name, reason })) };
}

/** `null` in place of a member that is absent is in use. */
function withoutNulls(item: unknown): unknown {
  return isObject(item) ? Object.fromEntries(Object.entries(item).filter(([, member]) => member !== null)) : item;
}

function nameOf(item: unknown): string {
  const name = isObject(item) ? item.name : undefined;
  return typeof name === 'string' && NAME.test(name) ? name : '(without a valid name)';
}

/** Why a tool can't be used; undefined: it can. */
function reasonAgainst(item: unknown): string | undefined {
  const parsed = definition.safeParse(item);
  if (!parsed.success) return `its definition has no valid ${String(parsed.error.issues[0]?.path[0] ?? 'form')}`;
  const { name, inputSchema, outputSchema } = parsed.data;
  if (!NAME.test(name)) return 'its name is not valid';
  if (isDeeper(parsed.data, MAX_DEPTH)) return `its definition is nested more than ${MAX_DEPTH} times`;
  // What canonical JSON doesn't have can't be pinned (RFC 8785, 3.2.2), and would keep the whole list from being stored.
  if (textProblem(parsed.data, halfProblem) !== undefined || hasEndlessNumber(parsed.data)) return 'its definition is no valid JSON';
  if (JSON.stringify(parsed.data).length > MAX_DEFINITION_BYTES) return `its definition has more than ${MAX_DEFINITION_BYTES} bytes`;
  if (inputSchema.type !== 'object') return 'its arguments are no object';
  if (refersElsewhere(inputSchema) || refersElsewhere(outputSchema)) return 'its schema refers to another document';
  if (hasInvalidHeaders(inputSchema)) return 'it repeats arguments as headers where it must not';
  return undefined;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeeper(child, levels - 1));
}

/** `1e999` is read as one. */
function hasEndlessNumber(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasEndlessNumber);
}

/** Whether a schema has references that would have to be fetched. */
function refersElsewhere(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const isForeign = ([key, value]: [string, unknown]) => REFERENCES.includes(key) && typeof value === 'string' && !value.startsWith('#');
  return Object.entries(node).some((entry) => isForeign(entry) || refersElsewhere(entry[1]));
}
