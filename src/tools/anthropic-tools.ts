import { isObject } from '../validation/is-object.ts';
import { plainSchema, type StrictRules, strictSchema } from './json-schema.ts';
import { isClosed, type Tool } from './tool.ts';

/**
 * Keywords of strict tool use (platform.claude.com/docs/en/build-with-claude/structured-outputs, “JSON Schema
 * limitations”): of the bounds only a `minItems` of 0 or 1; every object is closed.
 */
const STRICT: StrictRules = { accepts: (name, value) => name === 'minItems' && value <= 1, acceptsDefault: true, requiresAll: false };

/** What all strict tools of one request may have together (the same page, “Schema complexity limits”). */
const LIMITS = { tools: 20, optional: 24, unions: 16 };
type Cost = typeof LIMITS;

/**
 * Tools of Anthropic's Messages API (platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools). As many as a
 * request may have are strict, those that change something first.
 */
export function anthropicTools(tools: readonly Tool[], strict: boolean): object[] {
  const schemas = strict ? strictSchemas(tools) : new Map<Tool, object>();
  return tools.map((tool) => {
    const { name, description, input } = tool;
    const schema = schemas.get(tool);
    return { name, description, input_schema: schema ?? plainSchema(input), ...(schema !== undefined && { strict: true }) };
  });
}

function strictSchemas(tools: readonly Tool[]): Map<Tool, object> {
  const chosen = new Map<Tool, object>();
  let left = LIMITS;
  const changesFirst = tools.toSorted((one, other) => Number(one.effect === 'read') - Number(other.effect === 'read'));
  for (const tool of changesFirst.filter(({ input }) => isClosed(input))) {
    const schema = strictSchema(tool.input, STRICT);
    const cost = costOf(schema);
    const after = { tools: left.tools - 1, optional: left.optional - cost.optional, unions: left.unions - cost.unions };
    if (Math.min(after.tools, after.optional, after.unions) < 0) continue;
    left = after;
    chosen.set(tool, schema);
  }
  return chosen;
}

/** Optional properties and unions of a schema, at every level. */
function costOf(schema: unknown): Omit<Cost, 'tools'> {
  if (!isObject(schema)) return { optional: 0, unions: 0 };
  const { properties, required, items, anyOf, type } = schema;
  const inside = [...Object.values(isObject(properties) ? properties : {}), items, ...(Array.isArray(anyOf) ? anyOf : [])].map(costOf);
  const named = isObject(properties) ? Object.keys(properties).length : 0;
  const isUnion = anyOf !== undefined || Array.isArray(type);
  return {
    optional: named - (Array.isArray(required) ? required.length : 0) + sum(inside.map(({ optional }) => optional)),
    unions: Number(isUnion) + sum(inside.map(({ unions }) => unions)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
