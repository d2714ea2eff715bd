import { AppError } from '../errors.ts';
import { CALL_TOOL_NAME, type ConfiguredAction, FIND_TOOLS_NAME } from '../integrations/catalog.ts';
import { cutText, shortened } from '../validation/cut-text.ts';
import { isObject } from '../validation/is-object.ts';
import { JsonBudget } from '../validation/json-budget.ts';
import type { Tool } from './tool.ts';

/** For the agents in a description, of which OpenAI permits 1,024 characters. */
const AGENTS_CHARACTERS = 800;
/** Of a description; fewer say nothing. */
const LEAST_CHARACTERS = 10;
const LINE_START = '\n- ';
/** What is searched of a longer query. */
const QUERY_CHARACTERS = 500;
const NAME_CHARACTERS = 100;

/** A call of a tool. */
export interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** An action, by its agent. */
interface OfAgent {
  configured: Pick<ConfiguredAction, 'agent'>;
}

/** Agents by name. */
type Described = ReadonlyMap<string, { description: string }>;

/** The tools that stand for those that a list leaves out. */
export function deferringTools(deferred: readonly OfAgent[], agents: Described): Tool[] {
  return [
    {
      name: FIND_TOOLS_NAME,
      description: `Finds tools that are not in this list, with their arguments; call them with ${CALL_TOOL_NAME}. They are of:${agentLines(deferred, agents)}`,
      input: {
        type: 'object',
        properties: {
          query: {
            type: 'string',
            description: 'One of these names, and what the tool should do, in a few English words: “tracker: close an issue”.',
          },
        },
        required: ['query'],
      },
      effect: 'read',
      mayExpose: false,
    },
    {
      name: CALL_TOOL_NAME,
      description: `Calls a tool that ${FIND_TOOLS_NAME} found.`,
      input: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'The tool’s name.' },
          arguments: { type: 'object', description: 'Its arguments, by its own schema.' },
        },
        required: ['name', 'arguments'],
      },
      // It may be any.
      effect: 'destructive',
      mayExpose: true,
    },
  ];
}

/** The agents of the tools in a line each: the more there are, the less is said of each. */
function agentLines(deferred: readonly OfAgent[], agents: Described): string {
  const names = [...new Set(deferred.map(({ configured }) => configured.agent))];
  const each = Math.floor(AGENTS_CHARACTERS / names.length) - LINE_START.length;
  const described = (name: string) => shortened(`${name}: ${agents.get(name)?.description ?? ''}`, each);
  const lines = names.map((name) => LINE_START + (each > name.length + LEAST_CHARACTERS ? described(name) : name));
  let left = AGENTS_CHARACTERS;
  const kept = lines.filter((line) => {
    left -= line.length;
    return left >= 0;
  });
  return kept.join('') + (kept.length < lines.length ? `${LINE_START}and ${lines.length - kept.length} more` : '');
}

/** What `find_tools` is asked. @throws AppError `invalid_request` */
export function queryIn(given: unknown): string {
  const query = isObject(given) ? given.query : undefined;
  if (typeof query === 'string' && query.trim() !== '') return cutText(query, QUERY_CHARACTERS);
  throw new AppError('invalid_request', 'query: is missing.');
}

/**
 * The call that `call_tool` stands for. Whether there is such a tool is for its caller to look up, which puts it on record if there
 * is none; what may be called is decided by the executor, about this call.
 *
 * @throws AppError `invalid_request`
 */
export function callIn(given: unknown): ToolCall {
  const { name, arguments: input = {} } = isObject(given) ? given : {};
  if (typeof name !== 'string' || name === '') throw new AppError('invalid_request', 'name: is missing.');
  const parsed = typeof input === 'string' ? parsedJson(input) : (input ?? {});
  if (!isObject(parsed)) throw new AppError('invalid_request', 'arguments: has to be an object.');
  return { name, arguments: parsed };
}

/** The error of a call of a tool that no action has. */
export function noSuchTool(name: string): AppError {
  return new AppError('not_found', `There is no tool ${cutText(name, NAME_CHARACTERS)}. ${FIND_TOOLS_NAME} tells the names.`);
}

/** Some models write an object inside an object as a text, whose levels nobody has counted. */
function parsedJson(text: string): unknown {
  if (new JsonBudget().add(Buffer.from(text)) !== undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
