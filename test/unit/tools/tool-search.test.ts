import { beforeAll, describe, expect, it } from 'vitest';
import { stemOf, termsOf, wordsIn } from '../../../src/tools/search-words.ts';
import { toToolSchema } from '../../../src/tools/tool-schema.ts';
import { ToolSearch } from '../../../src/tools/tool-search.ts';
import { toolsLike } from '../../../src/tools/tools-like.ts';
import { corpusProducts, corpusQuestions, searchedTools } from '../../support/inputs/tool-corpus.ts';

let search: ToolSearch;

beforeAll(async () => {
  search = await ToolSearch.of(searchedTools());
});

const found = (query: string) => search.find(query).map(({ name }) => name);

describe('the search of 500 tools of 20 products', () => {
  it('has the right one among its eight for 95 % of 200 queries that models write', () => {
    const questions = corpusQuestions('held-out');
    expect(questions).toHaveLength(200);
    const missed = questions.filter(({ tool, query }) => !found(query).includes(tool));
    expect(missed.length).toBeLessThanOrEqual(10);
  });

  it('has it for four of five of the people’s own words', () => {
    const missed = corpusQuestions('held-out').filter(({ tool, words }) => !found(words).includes(tool));
    expect(missed.length).toBeLessThanOrEqual(40);
  });

  it('is of tools that there are, each asked for at most once', () => {
    const names = corpusProducts().flatMap(({ name, tools }) => tools.map((tool) => `${name}_${tool.name}`));
    expect(new Set(names).size).toBe(500);
    const asked = (['dev', 'people', 'held-out'] as const).flatMap(corpusQuestions).map(({ tool }) => tool);
    expect(new Set(asked).size).toBe(379);
    expect(asked).toHaveLength(379);
    expect(asked.filter((tool) => !names.includes(tool))).toEqual([]);
  });

  it('finds words that are misspelt or cut off, and an argument by its name', () => {
    expect(found('tracker: burndwon')).toContain('tracker_get_burndown');
    expect(found('isochr')).toContain('maps_get_isochrone');
    expect(found('passcode')).toContain('meetings_create_meeting');
  });

  it('finds at most eight, and nothing for words that say nothing', () => {
    expect(found('list')).toHaveLength(8);
    for (const query of ['', ' ', 'the of a', 'zzzzzz', '#999', '🙂']) expect(found(query)).toEqual([]);
  });

  it.each([
    ['many words', 'list '.repeat(10_000)],
    ['one long word', 'a'.repeat(50_000)],
    ['endings', `${'ing'.repeat(10_000)}`],
  ])('takes %s', (_, query) => {
    expect(found(query.slice(0, 500)).length).toBeLessThanOrEqual(8);
  });
});

describe('a definition', () => {
  it('is found by what is inside its arguments, whatever their names', async () => {
    const input = toToolSchema({
      type: 'object',
      properties: {
        constructor: { type: 'string' },
        a: { type: 'array', items: { type: 'object', properties: { wavelength: { type: 'number', description: 'In nanometres.' } } } },
        b: { anyOf: [{ type: 'object', properties: { amplitude: { type: 'number' } } }, { type: 'string' }] },
      },
    });
    const tool = { name: 'lab_x', description: '', input, effect: 'read' as const, mayExpose: false };
    const one = await ToolSearch.of([{ tool, about: 'toString __proto__' }]);
    for (const query of ['wavelengths', 'nanometres', 'amplitude', 'constructor', '__proto__']) expect(one.find(query)).toEqual([tool]);
  });
});

describe('tools like a query', () => {
  it('are of the definitions that the caller’s accounts have approved now', async () => {
    const catalog = { actions: new Map(), agents: new Map() } as never;
    const listed = (description: string, label?: string) => {
      const shown = { description, effect: 'read', input: { type: 'object' }, output: {} };
      const choices =
        label === undefined ? [] : [label, 'other'].map((one) => ({ id: one, label: one, isDefault: one === label, masks: [] }));
      return [{ configured: { tool: 'lab_x', agent: 'lab', action: { mayExpose: false } }, choices, shown }] as never;
    };
    const before = listed('Weighs a stone.');
    const descriptionsFor = async (actions: never) => (await toolsLike('stone', actions, catalog)).map(({ description }) => description);
    expect(await descriptionsFor(before)).toEqual(['Weighs a stone.']);
    expect(await descriptionsFor(listed('Throws a stone.'))).toEqual(['Throws a stone.']);
    expect(await descriptionsFor(listed('Weighs a leaf.'))).toEqual([]);
    expect(await descriptionsFor(before)).toEqual(['Weighs a stone.']);
    const [ana] = await toolsLike('stone', listed('Weighs a stone.', 'ana'), catalog);
    const [bob] = await toolsLike('stone', listed('Weighs a stone.', 'bob'), catalog);
    expect(JSON.stringify(ana)).toContain('ana');
    expect(JSON.stringify(bob)).not.toContain('ana');
  });
});

describe('a word', () => {
  it.each([
    ['issues', 'issue'],
    ['cities', 'city'],
    ['boxes', 'box'],
    ['planned', 'plan'],
    ['running', 'run'],
    ['missed', 'miss'],
    ['closing', 'close'],
  ])('%s has the stem of %s', (one, other) => expect(stemOf(one)).toBe(stemOf(other)));

  it.each(['is', 'bus', 'status', 'class', 'red', 'sing', 'thing'])('%s stays', (word) => expect(stemOf(word)).toBe(word));

  it('is taken out of names', () => {
    expect(wordsIn('create_issue closeTicket APIKey v2Beta über-Größe')).toEqual([
      ...['create', 'issue', 'close', 'ticket', 'apikey', 'v2', 'beta', 'über', 'größe'],
    ]);
  });

  it('has meanings in common with others', () => {
    const common = (one: string, other: string) => termsOf(one).filter((term) => termsOf(other).includes(term));
    expect(common('invoices', 'bill')).not.toEqual([]);
    expect(common('removing', 'deleted')).not.toEqual([]);
    expect(common('invoice', 'weather')).toEqual([]);
    expect(termsOf('the')).toEqual([]);
    expect(termsOf('constructor')).toEqual(['constructor']);
  });
});
