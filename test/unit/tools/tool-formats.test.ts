import { beforeAll, describe, expect, it } from 'vitest';
import { builtInTools, toolsOf } from '../../../scripts/generate/tools-of-file.ts';
import { deferringTools } from '../../../src/tools/deferred-tools.ts';
import { TOOL_FORMATS, type Tool, type ToolFormat } from '../../../src/tools/tool.ts';
import { formatTools } from '../../../src/tools/tool-formats.ts';
import { toToolSchema } from '../../../src/tools/tool-schema.ts';
import { anthropicRules, geminiRules, mcpRules, openAiRules } from '../../support/emulators/vendor-rules.ts';
import { workspace } from '../../support/inputs/declared-file.ts';
import { fc } from '../../support/runner/property.ts';

const RULES = { mcp: mcpRules, openai: openAiRules, anthropic: anthropicRules, gemini: geminiRules };
const MODES = TOOL_FORMATS.flatMap((format) => [
  { format, strict: false, mode: 'plain' },
  { format, strict: true, mode: 'strict' },
]);

function problems(tools: readonly Tool[], format: ToolFormat, strict: boolean): string[] {
  const formatted = formatTools(tools, format, strict);
  // As it is sent: keys without a value are gone.
  return RULES[format](JSON.parse(JSON.stringify(formatted)));
}

function toolWith(input: object, name = 'a_x'): Tool {
  return { name, description: 'X.', input: toToolSchema(input), effect: 'read', mayExpose: false };
}

/** One property `q` with this schema. */
const withQ = (q: unknown, more: object = {}) => ({ type: 'object', properties: { q }, ...more });

const NASTY: [string, object][] = [
  ['no input', { type: 'object' }],
  [
    'a tree',
    { ...withQ({ $ref: '#/definitions/n' }), definitions: { n: { type: 'object', properties: { n: { $ref: '#/definitions/n' } } } } },
  ],
  ['itself', withQ({ $ref: '#' })],
  ['a reference to itself', { ...withQ({ $ref: '#/definitions/n' }), definitions: { n: { $ref: '#/definitions/n' } } }],
  [
    'references that double',
    {
      ...withQ({ $ref: '#/definitions/d0' }),
      definitions: Object.fromEntries(
        Array.from({ length: 20 }, (_, n) => {
          const next = n === 19 ? { type: 'string' } : { $ref: `#/definitions/d${n + 1}` };
          return [`d${n}`, { type: 'object', properties: { a: next, b: next } }];
        }),
      ),
    },
  ],
  ['alternatives at the root', { type: 'object', properties: { a: {}, b: {} }, oneOf: [{ required: ['a'] }, { required: ['b'] }] }],
  ['all of several at the root', { type: 'object', allOf: [withQ({ type: 'string' }, { required: ['q'] }), withQ({ minLength: 1 })] }],
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  ['conditions', withQ({ type: 'string' }, { if: withQ({ const: 'a' }), then: { required: ['q'] }, not: { required: ['r'] } })],
  ['a const', withQ({ const: 'a' })],
  ['a const of null', withQ({ const: null })],
  ['a const that is an object', withQ({ const: { a: 1 } })],
  ['values of several types', withQ({ enum: ['a', 1, true, null] })],
  ['numbers', withQ({ type: 'integer', enum: [1, 2, null] })],
  ['an empty text among the values', withQ({ enum: ['', 'a'] })],
  ['many values', withQ({ enum: Array.from({ length: 2_000 }, (_, n) => `value ${n}`) })],
  ['several types', withQ({ type: ['string', 'integer', 'array', 'null'], items: { type: 'string' } })],
  ['null alone', withQ({ type: 'null' })],
  ['a union', withQ({ anyOf: [{ type: 'string' }, { type: 'object', properties: { a: { type: 'string' } } }, { type: 'null' }] })],
  ['a tuple', withQ({ type: 'array', items: [{ type: 'string' }, { type: 'integer' }], additionalItems: false })],
  ['a list of anything', withQ({ type: 'array' })],
  ['a map', withQ({ type: 'object', additionalProperties: { type: 'string' } })],
  ['anything', withQ(true)],
  ['nothing', withQ(false, { required: ['q'] })],
  ['an object without properties', withQ({ type: 'object', properties: {} })],
  ['names that vendors reject', withQ({ type: 'object', properties: { 'a b': { type: 'string' }, $c: {}, ok: { type: 'string' } } })],
  ['a required one of them', withQ({ type: 'object', properties: { 'a b': { type: 'string' } }, required: ['a b'] })],
  [
    'a prototype’s name',
    withQ({ type: 'object', properties: JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"}}') }),
  ],
  ['deep nesting', Array.from({ length: 30 }).reduce<object>((inner) => withQ(inner), { type: 'string' })],
  ['bounds of every kind', withQ({ type: 'number', exclusiveMinimum: 0, maximum: 1e300, multipleOf: 0.1, default: 0.5 })],
  ['formats and patterns', withQ({ type: 'string', format: 'email', pattern: '^(?!x)a\\p{L}$', minLength: 1, contentEncoding: 'base64' })],
  ['a default of another type', withQ({ type: 'string', default: null })],
];

describe.each(MODES)('tools for $format, $mode', ({ format, strict }) => {
  let builtIns: Tool[];

  beforeAll(async () => {
    builtIns = await builtInTools();
  });

  it('follow the vendor’s rules with all built-in actions', () => {
    expect(problems(builtIns, format, strict)).toEqual([]);
  });

  it.each(NASTY)('follow them with a schema of %s', (_what, schema) => {
    expect(problems([toolWith(schema)], format, strict)).toEqual([]);
  });

  it('follow them with any schema at all', () => {
    const keys = [
      'type',
      'properties',
      'items',
      'anyOf',
      'oneOf',
      'allOf',
      'enum',
      'const',
      '$ref',
      'required',
      'default',
      'minimum',
      'maxItems',
      'multipleOf',
    ];
    const { schema } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom(
          'string',
          'integer',
          'number',
          'object',
          'array',
          'null',
          '#',
          '#/properties/q',
          '',
          'q',
          '$x',
          null,
          true,
          false,
          0,
          1.5,
          -1,
          -1,
        ),
        tie('schema'),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('q', 'r', 'a b', '__proto__'), tie('value'), { maxKeys: 3 }),
      ),
      schema: fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 5 }),
    }));
    fc.assert(
      fc.property(schema, (given) => void expect(problems([toolWith(given as object)], format, strict)).toEqual([])),
      { numRuns: 1_000 },
    );
  });
});

describe('a tool whose schema a strict mode can’t express', () => {
  const tools = [toolWith(withQ({ type: 'object' }), 'a_open'), toolWith(withQ({ type: 'string' }), 'a_closed')];

  it('is not strict, and the others are', () => {
    const openai = formatTools(tools, 'openai', true) as { function: { strict: boolean } }[];
    expect(openai.map((tool) => tool.function.strict)).toEqual([false, true]);
    const anthropic = formatTools(tools, 'anthropic', true) as { strict?: boolean }[];
    expect(anthropic.map((tool) => tool.strict)).toEqual([undefined, true]);
  });

  it('has its JSON Schema for Gemini', () => {
    const [{ functionDeclarations }] = formatTools(tools, 'gemini', false) as [{ functionDeclarations: object[] }];
    expect(functionDeclarations.map((one) => Object.keys(one).at(-1))).toEqual(['parametersJsonSchema', 'parameters']);
  });
});

describe('the tools that stand for those of a long list', () => {
  const agents = new Map(Array.from({ length: 200 }, (_, n) => [`agent-${n}`, { description: 'D. '.repeat(100) }]));
  const deferred = [...agents.keys()].map((agent) => ({ configured: { agent } }));
  const tools = deferringTools(deferred, agents);

  it.each(MODES)('keep the rules of $format, $mode', ({ format, strict }) => {
    expect(problems(tools, format, strict)).toEqual([]);
  });

  it('have few words, however many agents there are', () => {
    expect(tools[0]?.description).toMatch(/\n- agent-0\n[\s\S]*\n- and \d+ more$/);
    const [few] = deferringTools(deferred.slice(0, 2), agents);
    expect(few?.description).toContain('\n- agent-1: D. D. ');
  });
});

describe('a tool', () => {
  it('says in strict mode what the schema of the vendor has no keyword for', () => {
    const schema = withQ({ type: 'integer', description: 'Rows.', minimum: 1, maximum: 25, default: 10 });
    const [openai] = formatTools([toolWith(schema)], 'openai', true) as any[];
    expect(openai.function.parameters.properties.q).toEqual({
      ...{ type: ['integer', 'null'], description: 'Rows. Default 10.', minimum: 1, maximum: 25 },
    });
    const [anthropic] = formatTools([toolWith(schema)], 'anthropic', true) as any[];
    expect(anthropic.input_schema.properties.q).toEqual({ type: 'integer', description: 'Rows. At least 1, at most 25.', default: 10 });
    const [gemini] = formatTools([toolWith(schema)], 'gemini', false) as any[];
    expect(gemini.functionDeclarations[0].parameters.properties.q).toEqual({
      ...{ type: 'INTEGER', description: 'Rows. Default 10.', maximum: 25 },
    });
  });

  it('of a declared action keeps the list in order if its schema is unusual', async () => {
    const input = '{ type: object, properties: { q: { anyOf: [{ type: string }, { type: object }] }, account: { type: string } } }';
    const source = workspace(
      'call: drive.files.list',
      'description: Like mail.search or a.x.',
      'effect: read',
      `input: ${input}`,
      'with: { q: $input.account, pageToken: $input.q }',
    );
    const [tool, ...others] = await toolsOf(source);
    expect(others).toEqual([]);
    expect(tool).toMatchObject({ name: 'a_x', description: 'Like mail.search or a_x.', effect: 'read', mayExpose: false });
    for (const { format, strict } of MODES) expect(problems([tool as Tool], format, strict)).toEqual([]);
  });

  it('is marked for MCP as a change, and as one that deletes or that others see', async () => {
    const annotations = new Map((formatTools(await builtInTools(), 'mcp', false) as any[]).map((tool) => [tool.name, tool.annotations]));
    const change = (destructiveHint: boolean) => ({ readOnlyHint: false, destructiveHint, openWorldHint: true });
    expect(annotations.get('mail_search')).toEqual({ readOnlyHint: true, openWorldHint: true });
    expect(annotations.get('mail_label')).toEqual(change(false));
    expect(annotations.get('mail_send')).toEqual(change(true));
    expect(annotations.get('mail_trash')).toEqual(change(true));
  });
});
