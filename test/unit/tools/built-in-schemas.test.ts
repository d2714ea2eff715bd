import { Ajv } from 'ajv';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { builtInTools } from '../../../scripts/generate/tools-of-file.ts';
import { loadBuiltIns } from '../../../src/actions/built-ins.ts';
import { parseArguments } from '../../../src/executor/checks/parse-arguments.ts';
import { compilePattern } from '../../../src/integrations/declared/declared-pattern.ts';
import { deferringTools } from '../../../src/tools/deferred-tools.ts';
import { TOOL_FORMATS } from '../../../src/tools/tool.ts';
import { formatTools } from '../../../src/tools/tool-formats.ts';
import { propertiesOf, smallestInput } from '../../support/inputs/sample-input.ts';
import { corpusProducts } from '../../support/inputs/tool-corpus.ts';

const TOKENS = 8_000;
const actions = await loadBuiltIns();
const ajv = new Ajv({ strict: false });

interface Place {
  path: string;
  schema: Record<string, any>;
  isProperty: boolean;
}

/** Every schema inside an input's. */
function places(path: string, schema: Record<string, any>, isProperty = false): Place[] {
  const { properties = {}, items, anyOf = [] } = schema;
  return [
    { path, schema, isProperty },
    ...Object.entries<any>(properties).flatMap(([name, one]) => places(`${path}.${name}`, one, true)),
    ...(items === undefined ? [] : places(`${path}[]`, items)),
    ...anyOf.flatMap((one: any, index: number) => places(`${path}|${index}`, one)),
  ];
}

const inputs = actions.flatMap(({ name, input }) => places(name, input.jsonSchema));

describe('the inputs of all built-in actions', () => {
  it('describe every property in a short sentence', () => {
    const properties = inputs.filter(({ isProperty }) => isProperty);
    expect(properties.length).toBeGreaterThan(100);
    const lacking = properties.filter(({ schema: { description = '' } }) => !/^[A-Z`2].{3,250}\.$/.test(description));
    expect(lacking.map(({ path }) => path)).toEqual([]);
  });

  it('have no union, reference or condition at their root', () => {
    for (const { name, input } of actions) {
      const known = ['$schema', 'type', 'properties', 'required', 'additionalProperties'];
      expect(
        Object.keys(input.jsonSchema).filter((key) => !known.includes(key)),
        name,
      ).toEqual([]);
    }
  });

  it('have only patterns that RE2 and ECMA-262 share', () => {
    for (const { path, schema } of inputs.filter((one) => one.schema.pattern !== undefined)) {
      expect(compilePattern(schema.pattern), path).toHaveProperty('pattern');
    }
  });
});

describe.each(actions.map((action) => [action.name, action] as const))('the arguments of %s', (_name, { input }) => {
  const sample = smallestInput({ ...actions[0], name: _name, input } as never);

  it('can be sent back as the user was shown them', () => {
    const shown = JSON.parse(JSON.stringify(parseArguments(input, input.jsonSchema, sample)));
    expect(JSON.parse(JSON.stringify(parseArguments(input, input.jsonSchema, shown)))).toEqual(shown);
  });
  const parse = (given: unknown) => parseArguments(input, input.jsonSchema, given);
  const optional = Object.keys(propertiesOf(input.jsonSchema)).filter((name) => !Object.hasOwn(sample, name));

  it('count as absent if they are null, or an empty text that means nothing', () => {
    for (const name of optional) {
      expect(parse({ ...sample, [name]: null }), name).toEqual(parse(sample));
      if (!acceptsEmpty(name)) expect(parse({ ...sample, [name]: '' }), name).toEqual(parse(sample));
    }
    const all = (value: unknown) => Object.fromEntries(optional.map((name) => [name, value === '' && acceptsEmpty(name) ? null : value]));
    for (const value of [null, '']) expect(parse({ ...all(value), ...sample })).toEqual(parse(sample));
  });

  it('are accepted as OpenAI’s strict mode has them written: all of them, null where there is none', async () => {
    const tools = formatTools(await builtInTools(), 'openai', true) as { function: { name: string; parameters: any; strict: boolean } }[];
    const tool = tools.find((one) => one.function.name === _name.replace('.', '_'))?.function;
    expect(tool?.strict).toBe(true);
    const written = withNulls(tool?.parameters, sample);
    expect(ajv.validate(tool?.parameters, written), ajv.errorsText()).toBe(true);
    expect(parse(written)).toEqual(parse(sample));
  });

  function acceptsEmpty(name: string): boolean {
    try {
      input.parse({ ...sample, [name]: '' });
      return true;
    } catch {
      return false;
    }
  }
});

/** Every required property that has no value is null. */
function withNulls(schema: any, value: any): unknown {
  if (Array.isArray(value)) return value.map((item) => withNulls(schema.items, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(schema.required.map((name: string) => [name, withNulls(schema.properties[name], value[name] ?? null)]));
}

describe('all built-in actions together', () => {
  it.each(TOOL_FORMATS)(`take at most ${TOKENS} tokens for %s`, async (format) => {
    const tools = await builtInTools();
    expect(tools).toHaveLength(actions.length);
    expect(encode(JSON.stringify(formatTools(tools, format, false))).length).toBeLessThanOrEqual(TOKENS);
  });

  it.each(TOOL_FORMATS)('take at most 30 kB for %s, with what stands for those of 20 sources', async (format) => {
    const products = corpusProducts().map(({ name, description }) => [name, { description }] as const);
    const deferring = deferringTools(
      products.map(([agent]) => ({ configured: { agent } })),
      new Map(products),
    );
    // Where there are sources, it is found like their tools.
    const listed = (await builtInTools()).filter(({ name }) => name !== 'automations_propose');
    const tools = formatTools([...listed, ...deferring], format, false);
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(30_000);
  });
});
