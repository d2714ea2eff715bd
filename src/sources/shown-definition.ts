import { INVISIBLE } from '../actions/shared/display-text.ts';
import type { ToolDefinition } from '../providers/mcp/source-settings.ts';
import { canonicalJson } from '../validation/canonical-json.ts';
import { cutText } from '../validation/cut-text.ts';
import { isObject } from '../validation/is-object.ts';
import type { JsonSchema } from './plain-schema.ts';

const MAX_DESCRIPTION = 1_000;
const MAX_FIELD_DESCRIPTION = 300;
const TEXTS = new Set(['title', 'description']);
/** Values that a server suggests: one that holds hidden characters is not repeated. */
const VALUES = new Set(['default', 'examples', 'enum', 'const']);

/** A server's text as models and people read it: without invisible and direction characters, in one piece of limited length. */
export function shownText(text: string, max = MAX_DESCRIPTION): string {
  const visible = text.toWellFormed().replace(INVISIBLE, (character) => (character === '\n' ? '\n' : character === '\t' ? ' ' : ''));
  return visible.length > max ? `${cutText(visible, max - 1)}…` : visible;
}

/** A schema whose texts are shown as {@link shownText} shows them. What else holds hidden characters, names too, is left out. */
export function shownSchema(schema: JsonSchema): JsonSchema {
  return shown(schema) as JsonSchema;
}

function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((one) => !isHiding(one)).map(shown);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, one]): [string, unknown][] => {
    if (TEXTS.has(key) && typeof one === 'string') return [[key, shownText(one, MAX_FIELD_DESCRIPTION)]];
    if (isHiding(key) || isHiding(one) || (VALUES.has(key) && hides(one))) return [];
    return [[key, key === 'properties' && isObject(one) ? mapped(one) : shown(one)]];
  });
  return Object.fromEntries(entries);
}

/** Names of properties are no keywords. */
function mapped(properties: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(properties).flatMap(([name, one]) => (isHiding(name) ? [] : [[name, shown(one)]])));
}

function hides(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isHiding(value);
  return Object.entries(value).some(([name, one]) => isHiding(name) || hides(one));
}

/** Whether a text has hidden characters. */
function isHiding(text: unknown): boolean {
  return typeof text === 'string' && text.replace(INVISIBLE, '') !== text;
}

/** A field in which two definitions of a tool differ, as text; left out: the definition doesn't have it. */
export interface FieldChange {
  field: string;
  before?: string;
  after?: string;
}

/** Characters of a field; all of it is among the tools of the account. */
const MAX_CHANGED_VALUE = 2_000;

/** Fields in which two definitions of a tool differ; none when there is only one. */
export function changedFields(approved: ToolDefinition | undefined, listed: ToolDefinition | undefined): string[] {
  return approved === undefined || listed === undefined ? [] : differing(approved, listed);
}

/** What differs in a tool, by field; of one that is new, all of it but its name. */
export function changesIn(approved: ToolDefinition | undefined, listed: ToolDefinition): FieldChange[] {
  const fields = approved === undefined ? Object.keys(listed).filter((field) => field !== 'name') : differing(approved, listed);
  return fields.map((field) => {
    const [before, after] = [valueIn(approved, field), valueIn(listed, field)];
    return { field, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
  });
}

function differing(approved: ToolDefinition, listed: ToolDefinition): string[] {
  const [before, after] = [new Map(Object.entries(approved)), new Map(Object.entries(listed))];
  const fields = [...new Set([...before.keys(), ...after.keys()])];
  return fields.filter((field) => canonicalJson(before.get(field) ?? null) !== canonicalJson(after.get(field) ?? null));
}

function valueIn(definition: ToolDefinition | undefined, field: string): string | undefined {
  const value: unknown = definition === undefined ? undefined : new Map(Object.entries(definition)).get(field);
  if (value === undefined) return undefined;
  return shownText(typeof value === 'string' ? value : JSON.stringify(value), MAX_CHANGED_VALUE);
}
