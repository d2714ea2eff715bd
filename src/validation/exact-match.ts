import type { z } from 'zod';

type Test = (value: unknown) => boolean;
type Schema = z.core.$ZodType;
type Def = z.core.$ZodTypes['_zod']['def'];

type CheckDef =
  | z.core.$ZodCheckMinLengthDef
  | z.core.$ZodCheckMaxLengthDef
  | z.core.$ZodCheckOverwriteDef<string>
  | (z.core.$ZodCheckRegexDef & { format: string });

interface Member {
  test: Test;
  isRequired: boolean;
}

/**
 * A quick test for values of a schema: what it accepts, the schema accepts too, and returns as an equal copy. Then the copy
 * can be left out. It accepts nothing of schemas that change values, and of kinds other than those below.
 */
export function exactMatch(schema: Schema): Test {
  // Made on first use: most schemas of a process are never used.
  let test: Test | undefined;
  return (value) => {
    test ??= testOf(schema, []) ?? (() => false);
    return test(value);
  };
}

/** @param around the schemas that contain it; one that contains itself is not tested */
function testOf(schema: Schema, around: readonly Schema[]): Test | undefined {
  const def = schema._zod.def as Def;
  if ('coerce' in def || around.includes(schema)) return undefined;
  if (def.type === 'string') return stringTest(def);
  if (def.checks !== undefined && def.checks.length > 0) return undefined;
  const inner = (part: Schema) => testOf(part, [...around, schema]);
  switch (def.type) {
    case 'number':
      return 'format' in def ? undefined : Number.isFinite;
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'literal':
    case 'enum':
      return isAmong(schema._zod.values);
    case 'custom':
      return (value) => def.fn(value) === true;
    // Without a value, it would be set.
    case 'default':
    case 'optional':
      return inner(def.innerType);
    case 'nullable':
      return orNull(inner(def.innerType));
    case 'array':
      return arrayTest(inner(def.element));
    case 'object':
      return objectTest(def, inner);
    default:
      return undefined;
  }
}

function isAmong(values: ReadonlySet<unknown> | undefined): Test | undefined {
  return values && ((value) => values.has(value));
}

function orNull(test: Test | undefined): Test | undefined {
  return test && ((value) => value === null || test(value));
}

function stringTest(def: Def & { type: 'string' }): Test | undefined {
  if ('format' in def) return undefined;
  const tests: ((text: string) => boolean)[] = [];
  for (const { _zod } of def.checks ?? []) {
    const test = checkTest(_zod.def as CheckDef);
    if (test === undefined) return undefined;
    tests.push(test);
  }
  return (value) => {
    if (typeof value !== 'string') return false;
    for (const test of tests) if (!test(value)) return false;
    return true;
  };
}

function checkTest(check: CheckDef): ((text: string) => boolean) | undefined {
  if (check.check === 'min_length') return (text) => text.length >= check.minimum;
  if (check.check === 'max_length') return (text) => text.length <= check.maximum;
  // Nothing has to be written over.
  if (check.check === 'overwrite') return (text) => check.tx(text) === text;
  if (check.check !== 'string_format' || check.format !== 'regex' || check.pattern.global || check.pattern.sticky) return undefined;
  return (text) => check.pattern.test(text);
}

function arrayTest(item: Test | undefined): Test | undefined {
  if (item === undefined) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return false;
    // Holes are undefined, which no test accepts.
    for (let index = 0; index < value.length; index += 1) if (!item(value[index])) return false;
    return true;
  };
}

/** Plain objects without other members than the schema's. */
function objectTest({ shape }: Def & { type: 'object' }, inner: (part: Schema) => Test | undefined): Test | undefined {
  const members = new Map<string, Member>();
  let required = 0;
  for (const [name, schema] of Object.entries(shape)) {
    const test = inner(schema);
    if (test === undefined) return undefined;
    const isRequired = schema._zod.optin !== 'optional';
    if (isRequired) required += 1;
    members.set(name, { test, isRequired });
  }
  return (value) => {
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
    let found = 0;
    for (const name in value) {
      const member = members.get(name);
      if (member === undefined || !member.test((value as Record<string, unknown>)[name])) return false;
      if (member.isRequired) found += 1;
    }
    return found === required;
  };
}
