import MiniSearch from 'minisearch';
import { WorkTurns } from '../concurrency/work-turns.ts';
import { isMeaning, termsOf, wordsIn } from './search-words.ts';
import type { Tool } from './tool.ts';
import type { ToolSchema } from './tool-schema.ts';

/** Most tools that a search finds. */
const MOST = 8;
/** What a word counts for, by where it stands. */
const BOOST = { name: 2, description: 2, about: 1.5, arguments: 0.3, details: 0.15 };
/** The parameters of BM25+ (minisearch, `BM25Params`): texts are short, so that their lengths say little. */
const BM25 = { k: 1.2, b: 0.5, d: 0 };
const FIELDS = Object.keys(BOOST) as Field[];
/** What a word counts for that means the same. */
const MEANING = 0.7;
/** Shorter words that no definition has are not taken for others. */
const FUZZY_LENGTH = 5;
/** The term is one of the index already. */
const AS_ONE_TERM = { tokenize: (term: string) => [term], processTerm: (term: string) => term };
/** Work for a character, beside that of a parser of JSON. */
const COST = 40;

type Field = keyof typeof BOOST;
type Document = Record<Field, string> & { id: number };

/** A tool, and what it is a part of. */
export interface Searched {
  tool: Tool;
  about: string;
}

/** Finds tools by what they do: BM25+ over the words of their definitions, and over what the words mean. */
export class ToolSearch {
  readonly #tools: readonly Searched[];
  readonly #index: MiniSearch<Document>;
  readonly #known: ReadonlySet<string>;

  private constructor(tools: readonly Searched[], index: MiniSearch<Document>, known: ReadonlySet<string>) {
    this.#tools = tools;
    this.#index = index;
    this.#known = known;
  }

  /** Reads the definitions, some in each turn of the event loop. */
  static async of(tools: readonly Searched[]): Promise<ToolSearch> {
    const known = new Set<string>();
    const processTerm = (word: string) => {
      const terms = termsOf(word);
      for (const term of terms) known.add(term);
      return terms;
    };
    const index = new MiniSearch<Document>({ fields: FIELDS, tokenize: wordsIn, processTerm });
    const turns = new WorkTurns();
    for (const [id, one] of tools.entries()) {
      const document = documentOf(id, one);
      index.add(document);
      await turns.done(COST * FIELDS.reduce((sum, field) => sum + document[field].length, 0));
    }
    return new ToolSearch(tools, index, known);
  }

  /** The tools that fit a query best, at most eight, the best one first. */
  find(query: string): Tool[] {
    const scores = new Map<number, number>();
    for (const word of new Set(wordsIn(query))) {
      // The root keeps one rare word from deciding alone: a person's sentence names what no tool has heard of.
      for (const [id, score] of this.#scoresOf(word)) scores.set(id, (scores.get(id) ?? 0) + Math.sqrt(score));
    }
    const best = [...scores].sort(([, one], [, other]) => other - one).slice(0, MOST);
    return best.map(([id]) => (this.#tools[id] as Searched).tool);
  }

  /** By tool, what the word counts for: as itself or in its best meaning, so that words of many meanings don't count for more. */
  #scoresOf(word: string): Map<number, number> {
    const scores = new Map<number, number>();
    for (const term of termsOf(word)) {
      const isUnknown = !isMeaning(term) && !this.#known.has(term);
      const found = this.#index.search(term, {
        ...AS_ONE_TERM,
        boost: BOOST,
        bm25: BM25,
        prefix: isUnknown && term.length > 3,
        fuzzy: isUnknown && term.length > FUZZY_LENGTH && 0.2,
      });
      const weight = isMeaning(term) ? MEANING : 1;
      for (const { id, score } of found) scores.set(id, Math.max(scores.get(id) ?? 0, score * weight));
    }
    return scores;
  }
}

function documentOf(id: number, { tool: { name, description, input }, about }: Searched): Document {
  const named = argumentsOf(input);
  return {
    id,
    name,
    description,
    about,
    arguments: named.map(([argument]) => argument).join(' '),
    details: named.map(([, schema]) => [schema.description ?? '', ...(schema.enum ?? [])].join(' ')).join(' '),
  };
}

/** All arguments with their names, those inside others too. */
function argumentsOf({ properties = {}, items, anyOf = [] }: ToolSchema): [string, ToolSchema][] {
  const inside = [...(items === undefined ? [] : [items]), ...anyOf].flatMap(argumentsOf);
  return [...Object.entries(properties).flatMap(([name, one]): [string, ToolSchema][] => [[name, one], ...argumentsOf(one)]), ...inside];
}
