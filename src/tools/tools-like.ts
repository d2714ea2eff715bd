import { WorkTurns } from '../concurrency/work-turns.ts';
import type { Catalog } from '../integrations/catalog.ts';
import { type CallableAction, toTool } from './callable-tools.ts';
import type { Tool } from './tool.ts';
import type { Searched, ToolSearch } from './tool-search.ts';

/** Lists of one catalog whose index is kept, those that were searched last. */
const KEPT = 16;
/** Work for a tool's definition, as that of a parser for so many bytes. */
const TOOL_COST = 4_000;

/** By what the callers of a list are shown. A catalog that is replaced takes its indexes with it. */
const indexes = new WeakMap<Catalog, Map<string, Promise<ToolSearch>>>();

/** The tools that fit a query best, at most eight, the best one first. */
export async function toolsLike(query: string, actions: readonly CallableAction[], catalog: Catalog): Promise<Tool[]> {
  return (await indexOf(actions, catalog)).find(query);
}

function indexOf(actions: readonly CallableAction[], catalog: Catalog): Promise<ToolSearch> {
  const kept = indexes.get(catalog) ?? new Map<string, Promise<ToolSearch>>();
  indexes.set(catalog, kept);
  const key = keyOf(actions);
  const index = kept.get(key) ?? makeIndex(actions, catalog);
  kept.delete(key);
  kept.set(key, index);
  index.catch(() => kept.delete(key));
  const [oldest] = kept.keys();
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
  return index;
}

/** Numbers of the definitions that accounts have approved: each is one object for all of them. */
const numbers = new WeakMap<object, number>();
let numbered = 0;

function numberOf(definition: object): number {
  const known = numbers.get(definition);
  if (known !== undefined) return known;
  numbered += 1;
  numbers.set(definition, numbered);
  return numbered;
}

/** Equal for equal definitions: the accounts that a user chooses from are part of them. */
function keyOf(actions: readonly CallableAction[]): string {
  return JSON.stringify(
    actions.map(({ configured: { tool }, choices, shown }) => [
      tool,
      shown === undefined ? 0 : numberOf(shown.input),
      ...choices.map(({ id, label, isDefault }) => [id, label, isDefault]),
    ]),
  );
}

async function makeIndex(actions: readonly CallableAction[], catalog: Catalog): Promise<ToolSearch> {
  const { ToolSearch } = await import('./tool-search.ts');
  const searched: Searched[] = [];
  const turns = new WorkTurns();
  for (const action of actions) {
    const about = catalog.agents.get(action.configured.agent)?.description ?? '';
    searched.push({ tool: await toTool(action, catalog), about });
    await turns.done(TOOL_COST);
  }
  return ToolSearch.of(searched);
}
