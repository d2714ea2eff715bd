import { deferringTools } from '../src/tools/deferred-tools.ts';
import { mcpTools } from '../src/tools/mcp-tools.ts';
import { ToolSearch } from '../src/tools/tool-search.ts';
import { corpusProducts, corpusQuestions, searchedTools } from '../test/support/inputs/tool-corpus.ts';
import type { Figure } from './figures.ts';

/** (l) Lists of 500 tools of 20 sources: their bytes, how often the right tool is found, and how long that takes. */
export async function measureToolSearch(): Promise<Figure[]> {
  const tools = searchedTools();
  const search = await ToolSearch.of(tools);
  const questions = corpusQuestions('held-out');
  const share = (query: (question: (typeof questions)[number]) => string) => {
    const right = questions.filter((question) => search.find(query(question)).some(({ name }) => name === question.tool));
    return (100 * right.length) / questions.length;
  };
  const byQuery = share(({ query }) => query);
  const byWords = share(({ words }) => words);
  const times = questions.map(({ words }) => {
    const start = performance.now();
    search.find(words);
    return performance.now() - start;
  });
  const products = corpusProducts();
  const agents = products.map(({ name, description }) => [name, { description }] as const);
  const deferred = products.map(({ name: agent }) => ({ configured: { agent } }));
  const whole = Buffer.byteLength(JSON.stringify(mcpTools(tools.map(({ tool }) => tool))));
  return [
    {
      label: '(l) list of 500 tools of sources; reference: all definitions',
      unit: 'bytes',
      service: [Buffer.byteLength(JSON.stringify(mcpTools(deferringTools(deferred, new Map(agents)))))],
      reference: [whole],
      goal: { kind: 'at most', value: 30_000, of: 'service' },
    },
    {
      label: '(l) right tool among eight; reference: by people’s own words',
      unit: '%',
      service: [byQuery],
      reference: [byWords],
      goal: { kind: 'at least', value: 95, of: 'service' },
    },
    {
      label: '(l) slowest 5 % of searches; reference: the median',
      unit: 'ms',
      service: [percentile(times, 0.95)],
      reference: [percentile(times, 0.5)],
      goal: { kind: 'at most', value: 5, of: 'service' },
    },
  ];
}

/** @param share of the values that are at most the result */
function percentile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;
}
