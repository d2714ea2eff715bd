import type { Effect } from '../providers/shared/declared-call.ts';
import type { Bound, ToolSchema } from './tool-schema.ts';

/** An action as a model's tool, before it takes the form of a vendor. */
export interface Tool {
  name: string;
  description: string;
  input: ToolSchema;
  effect: Effect;
  /** Some of its inputs may affect other people. */
  mayExpose: boolean;
}

/** The forms of tools: a vendor's, or MCP's. */
export const TOOL_FORMATS = ['mcp', 'openai', 'anthropic', 'gemini'] as const;
export type ToolFormat = (typeof TOOL_FORMATS)[number];

/** Whether every value has a type and every object lists its properties, which strict modes require. */
export function isClosed({ type, items, properties, anyOf }: ToolSchema): boolean {
  if (anyOf !== undefined) return anyOf.every(isClosed);
  if (type === 'array') return items !== undefined && isClosed(items);
  if (type === 'object') return properties !== undefined && Object.values(properties).every(isClosed);
  return type !== undefined;
}

export function isRequired({ required = [] }: ToolSchema, name: string): boolean {
  return required.includes(name);
}

/** The description of a value, with what the vendor's schema has no keyword for. */
export function describe(
  { description, default: usual, bounds = {} }: ToolSchema,
  omitted: { default: boolean; bounds: readonly Bound[] },
) {
  const limits = omitted.bounds.flatMap((name) => (bounds[name] === undefined ? [] : [`${WORDS[name]} ${bounds[name]}`]));
  const notes = [
    ...(omitted.default && says(usual) ? [`Default ${JSON.stringify(usual)}.`] : []),
    ...(limits.length > 0 ? [`${sentence(limits.join(', '))}.`] : []),
  ];
  const text = [description, ...notes].filter((part) => part !== undefined).join(' ');
  return text === '' ? {} : { description: text };
}

const WORDS: Readonly<Record<Bound, string>> = {
  minimum: 'at least',
  maximum: 'at most',
  exclusiveMinimum: 'above',
  exclusiveMaximum: 'below',
  multipleOf: 'multiple of',
  minItems: 'items: at least',
  maxItems: 'items: at most',
};

/** Whether a default tells a model anything: no, nothing and zero are what it expects. */
export function says(usual: unknown): boolean {
  return usual !== undefined && JSON.stringify(usual) !== '[]' && Boolean(usual);
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
