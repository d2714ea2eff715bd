import { readFileSync } from 'node:fs';
import { toToolSchema } from '../../../src/tools/tool-schema.ts';
import type { Searched } from '../../../src/tools/tool-search.ts';

/** A tool of the corpus, as an MCP server would list it. */
export interface CorpusTool {
  /** The product that has it. */
  product: string;
  name: string;
  description: string;
  /** JSON Schema. */
  input: { type: 'object'; properties: Record<string, object>; required: string[] };
}

/** A product and what it is. */
export interface CorpusProduct {
  name: string;
  description: string;
  tools: CorpusTool[];
}

/** A question, and the tool that answers it. */
export interface CorpusQuestion {
  /** `product_tool`. */
  tool: string;
  /** As a person says it. */
  words: string;
  /** As a model asks `find_tools` for it. */
  query: string;
}

const FOLDER = new URL('./tool-corpus/', import.meta.url);
const TOOL_FILES = ['tools-1.txt', 'tools-2.txt', 'tools-3.txt', 'tools-4.txt'];
const TYPES: Record<string, object> = {
  n: { type: 'number' },
  b: { type: 'boolean' },
  l: { type: 'array', items: { type: 'string' } },
  d: { type: 'string', format: 'date' },
};
/** `name!:type(one/other) description`; the exclamation mark is of arguments that are required. */
const ARGUMENT = /^(\w+)(!?)(?::(\w))?(?:\(([^)]*)\))?(?: (.*))?$/;

/** 500 tools of 20 products (tool-corpus/README.md says how they were made). */
export function corpusProducts(): CorpusProduct[] {
  const products: CorpusProduct[] = [];
  for (const line of TOOL_FILES.flatMap(linesOf)) {
    if (line.startsWith('# ')) {
      const [name = '', description = ''] = line.slice(2).split(': ');
      products.push({ name, description, tools: [] });
    } else {
      const product = products.at(-1) as CorpusProduct;
      product.tools.push(toolOf(line, product.name));
    }
  }
  return products;
}

/** @param set `dev`, and `people`, which has no queries of models: to try a search on; `held-out`: to judge it */
export function corpusQuestions(set: 'dev' | 'people' | 'held-out'): CorpusQuestion[] {
  return linesOf(`questions-${set}.txt`).map((line) => {
    const [tool = '', words = '', query = ''] = line.split(' | ');
    return { tool, words, query };
  });
}

function toolOf(line: string, product: string): CorpusTool {
  const [name = '', description = '', given = ''] = line.split('|').map((part) => part.trim());
  const members = given === '' ? [] : given.split('; ').map((one) => argumentOf(one));
  return {
    product,
    name,
    description,
    input: {
      type: 'object',
      properties: Object.fromEntries(members.map(({ argument, schema }) => [argument, schema])),
      required: members.filter(({ isRequired }) => isRequired).map(({ argument }) => argument),
    },
  };
}

function argumentOf(text: string): { argument: string; isRequired: boolean; schema: object } {
  const found = ARGUMENT.exec(text);
  if (found === null) throw new Error(`not an argument: ${text}`);
  const [, argument = '', mark, type = '', values, description] = found;
  const schema = {
    ...(TYPES[type] ?? { type: 'string' }),
    ...(values && { enum: values.split('/') }),
    ...(description && { description }),
  };
  return { argument, isRequired: mark === '!', schema };
}

function linesOf(file: string): string[] {
  return readFileSync(new URL(file, FOLDER), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** The tools of the corpus, as a search gets those of a catalog. */
export function searchedTools(): Searched[] {
  return corpusProducts().flatMap(({ name: product, description: about, tools }) =>
    tools.map(({ name, description, input }) => ({
      tool: { name: `${product}_${name}`, description, input: toToolSchema(input), effect: 'read', mayExpose: false },
      about,
    })),
  );
}
