import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it } from 'vitest';
import { Random } from '../../faults/support/random.ts';
import { draw } from '../../mutants/draw.ts';
import { placesIn, statesIn } from '../../mutants/places.ts';
import { instrumented, keyOf } from '../../mutants/reach.ts';

const FILE = 'src/executor/example-repository.ts';
const SOURCE = `
const MAX_ITEMS = 3;
export interface Item { status: 'open' | 'closed' }
export async function check(items: Item[], db: { run(text: string): Promise<void> }): Promise<string> {
  if (items.length >= MAX_ITEMS) return 'too_large';
  await db.run("update items set status = 'closed' where age > 3");
  logger.info('closed');
  return items[0]?.status === 'open' && !items[0].held ? 'open' : 'closed';
}
`;
const sources = new Map([[FILE, SOURCE]]);
const places = placesIn(FILE, SOURCE, statesIn(sources));
const changes = new Map(
  [...Map.groupBy(places, ({ kind }) => kind)].map(([kind, all]) => [
    kind,
    all.flatMap(({ start, end, options }) => options.map((option) => [SOURCE.slice(start, end), option])),
  ]),
);

/** Runs `check` of a source with one open item. */
async function run(source: string): Promise<{ result: string; said: string[] }> {
  const text = stripTypeScriptTypes(source).replaceAll('export ', '');
  const said: string[] = [];
  const db = { run: async (sql: string) => void said.push(sql) };
  const check = new Function('logger', `${text}; return check;`)({ info: (line: string) => void said.push(line) });
  return { result: await check([{ status: 'open' }], db), said };
}

describe('npm run test:mutants', () => {
  it('changes comparisons, conditions, codes, states, limits and awaits', () => {
    expect(changes.get('number')).toEqual([
      ['3', '4'],
      ['3', '2'],
    ]);
    expect(changes.get('comparison')).toEqual([
      ['items.length >= MAX_ITEMS', 'items.length > MAX_ITEMS'],
      ['items.length >= MAX_ITEMS', 'items.length < MAX_ITEMS'],
      ["items[0]?.status === 'open'", "items[0]?.status !== 'open'"],
    ]);
    expect(changes.get('code')).toContainEqual(["'too_large'", "'forbidden'"]);
    expect(changes.get('state')).toEqual([
      ["'open'", "'closed'"],
      ["'open'", "'closed'"],
      ["'closed'", "'open'"],
    ]);
    expect(changes.get('logic')?.map(([, after]) => after)).toEqual(["items[0]?.status === 'open' || !items[0].held", 'items[0].held']);
    expect(changes.get('condition')?.map(([, after]) => after)).toEqual(['true', 'false', 'true', 'false']);
    expect(changes.get('await')).toHaveLength(1);
  });

  it('changes states and comparisons in SQL', () => {
    expect(changes.get('sql')?.map(([, after]) => after)).toEqual([
      `"update items set status = 'open' where age > 3"`,
      `"update items set status = 'closed' where age <= 3"`,
    ]);
  });

  it('removes calls, but no line of the log', () => {
    expect(changes.get('statement')).toEqual([[`await db.run("update items set status = 'closed' where age > 3");`, ';']]);
  });

  it('draws the same changes with the same seed, and others with another', () => {
    const drawn = (seed: number) => draw(places, sources, new Random(seed), 8).map(({ source }) => source);
    expect(drawn(1)).toEqual(drawn(1));
    expect(new Set(drawn(1)).size).toBe(8);
    expect(drawn(2)).not.toEqual(drawn(1));
  });

  it('shows the line before and after', () => {
    const mutant = draw(places, sources, new Random(1), 20).find(({ at }) => at === `${FILE}:2`);
    expect(mutant).toMatchObject({ before: 'const MAX_ITEMS = 3;', after: expect.stringMatching(/^const MAX_ITEMS = [24];$/) });
  });

  it('records what a test reaches, and changes nothing else', async () => {
    const reached = new Set<string>();
    Object.assign(globalThis, { reached });
    try {
      expect(await run(instrumented(SOURCE, places))).toEqual(await run(SOURCE));
    } finally {
      Reflect.deleteProperty(globalThis, 'reached');
    }
    const texts = [...reached].map((key) => SOURCE.slice(...(key.split(':')[1]!.split(/[- ]/, 2).map(Number) as [number, number])));
    expect(texts).toContain('items.length >= MAX_ITEMS');
    expect(texts).toContain("'open'");
    expect(texts).not.toContain("'too_large'");
    const [test] = places.filter(({ kind }) => kind === 'condition').map(keyOf);
    expect([reached.has(`${test} false`), reached.has(`${test} true`)]).toEqual([true, false]);
  });
});
