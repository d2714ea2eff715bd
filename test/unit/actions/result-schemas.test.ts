import { describe, expect, it } from 'vitest';
import { BUILT_INS } from '../../../src/actions/built-ins.ts';
import type { ActionSchemas } from '../../../src/actions/shared/action.ts';
import { isObject } from '../../../src/validation/is-object.ts';

/** Members of results that say that something is left out. */
const LEAVES_OUT = /^(next|next_.*|.*_omitted|omitted|cut|truncated|more|cursor|incomplete)$/;
/** What a reader is told to do. */
const ADVICE = /\b(pass this|read|call again|use|open|search in)\b/i;

interface Member {
  name: string;
  schema: { description?: string };
}

/** Every member of a JSON schema, however deep. */
function membersOf(schema: unknown): Member[] {
  if (Array.isArray(schema)) return schema.flatMap(membersOf);
  if (!isObject(schema)) return [];
  const { properties } = schema;
  const own = isObject(properties) ? Object.entries(properties).map(([name, one]) => ({ name, schema: one as Member['schema'] })) : [];
  return [...own, ...Object.values(schema).flatMap(membersOf)];
}

const schemas: [string, ActionSchemas][] = [];
for (const [name, action] of BUILT_INS) schemas.push([name, await action.schemas()]);

describe('the schema of a result', () => {
  it.each(schemas)('limits no text and no list, which would cut or reject what a provider says: %s', (_name, { output }) => {
    const limited = membersOf(output).filter(({ schema }) => 'maxLength' in schema || 'maxItems' in schema);
    expect(limited.map(({ name }) => name)).toEqual([]);
  });

  it.each(schemas)('says how to read what is left out: %s', (_name, { input, output }) => {
    const known = new Set([...membersOf(input), ...membersOf(output)].map(({ name }) => name));
    for (const { name, schema } of membersOf(output).filter((member) => LEAVES_OUT.test(member.name))) {
      expect(schema.description, name).toMatch(ADVICE);
      const named = [...String(schema.description).matchAll(/`(\w+)`/g)].map(([, one]) => one);
      expect(
        named.filter((one) => !known.has(one as string)),
        name,
      ).toEqual([]);
    }
  });

  it('has members for what is left out', () => {
    const found = schemas.flatMap(([, { output }]) => membersOf(output)).filter(({ name }) => LEAVES_OUT.test(name));
    expect(found.length).toBeGreaterThan(25);
  });
});
