import { INVISIBLE } from '../actions/shared/display-text.ts';
import { cutText } from '../validation/cut-text.ts';
import { isObject } from '../validation/is-object.ts';
import type { JsonSchema } from './plain-schema.ts';

const MAX_DESCRIPTION = 1_000;
const MAX_FIELD_DESCRIPTION = 300;
const TEXTS = new Set(['title', 'description']);
/** Values that a server suggests: one that holds hidden characters is not repeated. */
const VALUES = new Set(['default', 'examples', 'enum']);

/** A server's text as models and people read it: without invisible and direction characters, in one piece of limited length. */
export function shownText(text: string, max = MAX_DESCRIPTION): string {
  const visible = text.toWellFormed().replace(INVISIBLE, (character) => (character === '\n' ? '\n' : character === '\t' ? ' ' : ''));
  return visible.length > max ? `${cutText(visible, max - 1)}…` : visible;
}

/** A schema whose texts are shown as {@link shownText} shows them. */
export function shownSchema(schema: JsonSchema): JsonSchema {
  return shown(schema) as JsonSchema;
}

function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, one]): [string, unknown][] => {
    if (TEXTS.has(key) && typeof one === 'string') return [[key, shownText(one, MAX_FIELD_DESCRIPTION)]];
    if (key === 'properties' && isObject(one)) return [[key, mapped(one)]];
    return VALUES.has(key) && hides(one) ? [] : [[key, shown(one)]];
  });
  return Object.fromEntries(entries);
}

/** Names of properties are no keywords. */
function mapped(properties: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, shown(one)]));
}

function hides(value: unknown): boolean {
  if (typeof value === 'string') return value.replace(INVISIBLE, '') !== value;
  return typeof value === 'object' && value !== null && Object.values(value).some(hides);
}
