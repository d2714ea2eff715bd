import MiniSearch from 'minisearch';
import { WorkTurns } from '../concurrency/work-turns.ts';
import type { Tool } from './tool.ts';
import type { ToolSchema } from './tool-schema.ts';

/** Most tools that a search finds. */
const MOST = 8;
/** What a word counts for, by where it stands. */
const BOOST = { name: 3, description: 2, arguments: 1, details: 0.5 };
const FIELDS = Object.keys(BOOST) as (keyof typeof BOOST)[];

type Document = Record<keyof typeof BOOST, string> & { id: number };

/** Finds tools by what they do: BM25+ over the words of their definitions. */
export class ToolSearch {
  readonly #tools: readonly Tool[];
  readonly #index: MiniSearch<Document>;

  private constructor(tools: readonly Tool[], index: MiniSearch<Document>) {
    this.#tools = tools;
    this.#index = index;
  }

  /** Reads the definitions, some in each turn of the event loop. */
  static async of(tools: readonly Tool[]): Promise<ToolSearch> {
    const index = new MiniSearch<Document>({ fields: FIELDS });
    const turns = new WorkTurns();
    for (const [id, tool] of tools.entries()) {
      const document = documentOf(id, tool);
      index.add(document);
      await turns.done(FIELDS.reduce((sum, field) => sum + document[field].length, 0) * 10);
    }
    return new ToolSearch(tools, index);
  }

  /** The tools that fit a query best, at most eight, the best one first. */
  find(query: string): Tool[] {
    const found = this.#index.search(query, {
      boost: BOOST,
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.2 : false),
    });
    return found.slice(0, MOST).map(({ id }) => this.#tools[id] as Tool);
  }
}

function documentOf(id: number, { name, description, input }: Tool): Document {
  const named = argumentsOf(input);
  return {
    id,
    name,
    description,
    arguments: named.map(([argument]) => argument).join(' '),
    details: named.map(([, schema]) => schema.description ?? '').join(' '),
  };
}

/** All arguments with their names, those inside others too. */
function argumentsOf({ properties = {}, items, anyOf = [] }: ToolSchema): [string, ToolSchema][] {
  const inside = [...(items === undefined ? [] : [items]), ...anyOf].flatMap(argumentsOf);
  return [...Object.entries(properties).flatMap(([name, one]): [string, ToolSchema][] => [[name, one], ...argumentsOf(one)]), ...inside];
}
