import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { READING_TOOLS } from '../../../sandbox/tickets/reading-tools.ts';
import { WRITING_TOOLS } from '../../../sandbox/tickets/writing-tools.ts';
import { BUILT_INS, loadBuiltIns } from '../../../src/actions/built-ins.ts';
import { outlineOf, schemasOf } from '../../../src/actions/shared/action.ts';
import { type Catalog, SANDBOX_URL } from '../../../src/integrations/catalog.ts';
import { createIntegrationsFormat } from '../../../src/integrations/compile-catalog.ts';
import { parseIntegrations } from '../../../src/integrations/file/integrations-file.ts';
import { PROVIDERS } from '../../../src/providers/providers.ts';
import { problemsOf } from '../../support/inputs/integrations.ts';

const integrationsFormat = createIntegrationsFormat(PROVIDERS);

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const SHIPPED = read('integrations.yaml');
const GUIDE = read('docs/integrations.md');
const EXAMPLES = [...GUIDE.matchAll(/```yaml\n(version: 1\n[\s\S]*?)```/g)].map(([, example = '']) => example);

describe('the shipped integrations.yaml', () => {
  let catalog: Catalog;

  beforeAll(async () => {
    catalog = await parseIntegrations(SHIPPED, 'integrations.yaml', integrationsFormat);
  });

  it('lists every built-in action under its own name', () => {
    const own = [...catalog.actions.values()].filter(({ action }) => action.pinned === undefined);
    expect(own.map(({ name }) => name).sort()).toEqual([...BUILT_INS.keys()].sort());
    for (const { name, action } of own) expect(action.name).toBe(name);
  });

  it('has tools of the sandbox’s source only, each of which it has, with an effect that it admits', () => {
    const tools = new Map([...READING_TOOLS, ...WRITING_TOOLS].map((tool) => [tool.name, tool]));
    expect([...catalog.sources.values()].map(({ url }) => url)).toEqual([SANDBOX_URL]);
    const pinned = [...catalog.actions.values()].filter(({ action }) => action.pinned !== undefined);
    expect(pinned.length).toBeGreaterThan(10);
    for (const { name, action } of pinned)
      expect([name, tools.get(action.pinned?.tool ?? '')?.writes]).toEqual([name, action.effect !== 'read']);
  });

  it('requires approval for destructive actions, and for sending mail', () => {
    const destructive = [...catalog.actions.values()].filter(({ action }) => action.effect === 'destructive');
    expect(destructive.map(({ policy }) => policy.approval)).not.toContain('never');
    expect(catalog.actions.get('mail.send')?.policy).toMatchObject({ approval: 'always', rate: { calls: 20, perMs: 3_600_000 } });
  });

  it('shows no full account numbers', () => {
    expect([...catalog.actions.values()].some(({ policy }) => policy.unmasked)).toBe(false);
  });

  it('has an example that is valid without its #', async () => {
    const lines = SHIPPED.split('\n').map((line) => line.replace(/^( {6})# (?=formulas:| )/, '$1'));
    expect(await problemsOf(lines.join('\n'))).toEqual([]);
    expect(lines.join('\n')).toMatch(/^ {6}formulas:$/m);
  });
});

describe('the guide to the integrations file', () => {
  it('has valid examples', async () => {
    expect(EXAMPLES.length).toBeGreaterThan(3);
    for (const example of EXAMPLES) expect(await problemsOf(example)).toEqual([]);
  });

  it('lists every built-in action with its effect, its requirements, and its allow-lists', () => {
    const products: Record<string, string> = {
      'bank.transactions': '`transactions`',
      'bank.spending': '`transactions`',
      'bank.changes': '`transactions`',
      'bank.numbers': '`auth`',
    };
    const cells = GUIDE.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
    const rows = cells.filter((row) => row.length === 7 && BUILT_INS.has(row[1]?.slice(1, -1) ?? ''));
    expect(rows.map(([, name, , effect, needs, allow]) => [name?.slice(1, -1), effect, needs, allow])).toEqual(
      [...BUILT_INS.values()].map(({ name, effect, scopes, lists }) => [
        name,
        effect,
        scopes.map((scope) => `\`${scope}\``).join(', ') || (products[name] ?? ''),
        lists.map((list) => `\`${list}\``).join(', '),
      ]),
    );
  });

  it('returns messages unchanged', async () => {
    const source = EXAMPLES[0]?.replace('use: mail.search', 'use: mail.serch') ?? '';
    expect((await problemsOf(source))[0]).toContain(': there is no built-in action mail.serch; did you mean mail.search?');
  });
});

describe('the schema for editors', () => {
  const schema = JSON.parse(read('schemas/integrations.v1.json'));
  const accepts = new Ajv({ strict: false }).compile(schema);

  it('accepts the shipped file and the examples of the guide', () => {
    for (const source of [SHIPPED, ...EXAMPLES]) expect([accepts(load(source)), accepts.errors]).toEqual([true, null]);
  });

  it.each([
    ['an unknown key', 'use: mail.search }', 'use: mail.search, colour: red }'],
    ['an invalid policy', 'use: mail.search }', 'use: mail.search, policy: { timeout: 90s } }'],
    ['an unknown scope', 'mail.modify', 'mail.modfiy'],
    ['another version', 'version: 1', 'version: 2'],
  ])('rejects %s', (_title, from, to) => {
    expect(accepts(load((EXAMPLES[0] ?? '').replace(from, to)))).toBe(false);
  });

  it('is named in the shipped file', () => {
    expect(SHIPPED.split('\n')[0]).toBe('# yaml-language-server: $schema=./schemas/integrations.v1.json');
  });

  it('describes every key', () => {
    const silent: string[] = [];
    const visit = (node: any, path: string): void => {
      for (const [name, child] of Object.entries<any>(node?.properties ?? {})) {
        if (child.description === undefined) silent.push(`${path}/${name}`);
        visit(child, `${path}/${name}`);
      }
      for (const child of [node?.additionalProperties, ...(node?.oneOf ?? []), ...(node?.anyOf ?? [])]) if (child) visit(child, path);
    };
    visit(schema, '');
    expect(silent).toEqual([]);
  });
});

describe('a built-in action', () => {
  it('is described as in its code, without loading it', async () => {
    const told = [...BUILT_INS.values()].map(({ load: _, schemas: __, ...outline }) => outline);
    const actions = await loadBuiltIns();
    expect(told).toEqual(actions.map(outlineOf));
    const shown = await Promise.all([...BUILT_INS.values()].map(({ schemas }) => schemas()));
    expect(shown).toMatchObject(actions.map(schemasOf));
  });

  it('has the code of its name, and no more scopes than its agent', async () => {
    for (const [name, action] of BUILT_INS) expect((await action.load()).name).toBe(name);
    const file =
      'version: 1\nagents: { d: { provider: workspace, description: D, scopes: [drive], actions: { r: { use: documents.read } } } }\n';
    const { actions } = await parseIntegrations(file, 'test.yaml', integrationsFormat);
    const action = actions.get('d.r')?.action;
    expect([action?.scopes, (await action?.load())?.scopes]).toEqual([['drive'], ['drive']]);
  });

  it.each([...BUILT_INS.values()])('$name is described by its use, and shows no endless pattern', async ({ description, load }) => {
    const { input, output } = await load();
    expect(description).toMatch(/^[A-Z][a-z]*[^s\W] .*\.$/);
    for (const shown of [input.jsonSchema, output.jsonSchema]) {
      for (const [, pattern] of JSON.stringify(shown).matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)) expect(pattern?.length).toBeLessThan(100);
    }
  });
});
