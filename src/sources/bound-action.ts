import { plainWords } from '../../public/language/names.js';
import type { Action, DeclaredTool, LazyAction, RunContext } from '../actions/shared/action.ts';
import { declaredSummary } from '../actions/shared/declared-summary.ts';
import { quoted } from '../actions/shared/display-text.ts';
import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import type { SourceSession, ToolResult } from '../providers/mcp/source-session.ts';
import type { SourceSettings, ToolDefinition } from '../providers/mcp/source-settings.ts';
import type { Effect } from '../providers/shared/declared-call.ts';
import { canonicalJson } from '../validation/canonical-json.ts';
import { isObject } from '../validation/is-object.ts';
import { keepWantedScopes } from './accounts-repository.ts';
import { problemIn } from './check-value.ts';
import { type PlainSchema, plainSchema, withoutProperties } from './plain-schema.ts';
import { shownSchema, shownText } from './shown-definition.ts';
import { idsNamedIn, itemsIn } from './tool-items.ts';

export type Arguments = Record<string, unknown>;

/** What a caller receives of a tool. */
export interface ToolOutput {
  /** Left out if it only repeats `structured`. */
  text?: string;
  structured?: unknown;
  /** The tool says that it failed. */
  isError?: true;
}

/** An action of a tool, as one definition of it says. */
export interface BoundAction {
  action: Action;
  /** JSON Schema of the arguments that callers pass. */
  inputSchema: object;
  /** What models and people read of it. */
  description: string;
  /** @throws AppError `invalid_request` with the schema as `details.schema`; `too_large`, `unavailable` */
  check(input: unknown, userId: string, clock: Clock): Promise<void>;
}

/** A definition that may be called, and its hash. */
export interface ApprovedTool {
  definition: ToolDefinition;
  hash: string;
}

/** Makes the action that a definition says. @param declared with `pinned` */
export function boundAction(declared: LazyAction, source: SourceSettings, { definition, hash }: ApprovedTool): BoundAction {
  const pinned = declared.pinned as DeclaredTool;
  const { fixed } = pinned;
  const whole = plainSchema(definition.inputSchema);
  const inputSchema = shownSchema(withoutProperties(whole.schema, Object.keys(fixed)));
  const output = definition.outputSchema && plainSchema(definition.outputSchema);
  const description = pinned.isDescribed ? declared.description : descriptionOf(declared, definition);
  const host = new URL(source.url).host;
  const effect = strictEffect(declared.effect, definition.annotations ?? {});
  const { properties } = whole.schema;
  const action: Action<Arguments, ToolOutput, string, { hash: string }> = {
    name: declared.name,
    provider: declared.provider,
    effect,
    description,
    scopes: [],
    isDeclared: true,
    pinned,
    ...(declared.timeoutMs !== undefined && { timeoutMs: declared.timeoutMs }),
    input: { jsonSchema: inputSchema, parse: (value) => value as Arguments },
    output: { jsonSchema: outputSchemaOf(output), parse: (value) => value as ToolOutput },
    // What else an allow-list names can't be checked, which refuses each call.
    allow: Object.fromEntries(Object.keys(isObject(properties) ? properties : {}).map((name) => [name, (input) => valuesOf(input[name])])),
    facts: async () => ({ hash }),
    version: (facts) => facts.hash,
    exposes: () => [{ kind: 'service', host, name: source.label }],
    ...(source.trust === 'operator' && { isTrusted: true as const }),
    ...(pinned.isOwn && { integrity: 'own' as const }),
    ...(effect !== 'read' && { writes: (input, result) => [...idsNamedIn({ ...input, ...fixed }), ...idsNamedIn(result?.structured)] }),
    title: titleOf(declared, source),
    ...(Object.keys(fixed).length > 0 && { shown: () => ({ fixed }) }),
    summary: (input) => declaredSummary(purposeOf(declared, source), { ...input, ...fixed }),
    async run(input, context) {
      const calling = (context.session as SourceSession).callTool(source, pinned.tool, inOrder({ ...input, ...fixed }), definition);
      const { db, userId, account } = context;
      const result = await calling.catch((error) => keepWantedScopes(db, { userId, id: account.id }, error));
      return outputOf(result, output, effect, context);
    },
  };
  if (!pinned.isOwn) action.sources = ({ structured }) => sourcesOf(structured);
  return { action: action as Action, inputSchema, description, check: checker(whole, fixed, inputSchema) };
}

/** Stricter by what the server says of its tool, never milder: what it leaves out doesn't count. */
function strictEffect(declared: Effect, { destructiveHint, readOnlyHint }: Readonly<Record<string, unknown>>): Effect {
  if (destructiveHint === true && declared === 'write') return 'destructive';
  return readOnlyHint === false && declared === 'read' ? 'write' : declared;
}

function descriptionOf(declared: LazyAction, { title, description }: ToolDefinition): string {
  const shown = shownText(description ?? title ?? '').trim();
  return shown === '' ? declared.description : shown;
}

/** The operator's words, not the server's: people decide by them. */
function purposeOf({ description, pinned }: LazyAction, { label }: SourceSettings): string {
  const { tool = '', isDescribed = false } = pinned ?? {};
  if (isDescribed) return description;
  return `${label}: ${/^[\w./-]{1,128}$/.test(tool) ? tool : quoted(tool)}`;
}

/** “Tickets: search tickets”. */
function titleOf({ description, pinned }: LazyAction, { label }: SourceSettings): string {
  const { tool = '', isDescribed = false } = pinned ?? {};
  const words = plainWords(tool.replaceAll(/[-./]/g, ' ').replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')).toLowerCase();
  return `${label}: ${isDescribed ? description.trim().replace(/\.$/, '') : words}`;
}

function checker(whole: PlainSchema, fixed: Arguments, inputSchema: object): BoundAction['check'] {
  return async (input, userId, clock) => {
    const given = input as Arguments;
    const name = Object.keys(fixed).find((one) => Object.hasOwn(given, one));
    const problem =
      name === undefined ? await problemIn(whole, { ...given, ...fixed }, { userId, clock }) : `${name}: is fixed by the operator`;
    if (problem === undefined) return;
    throw new AppError('invalid_request', `${problem}${problem.endsWith('.') ? '' : '.'}`, { details: { schema: inputSchema } });
  };
}

/** In one order, whatever the caller's: calls with the same arguments must not differ in what they tell. */
function inOrder(args: Arguments): Arguments {
  return JSON.parse(canonicalJson(args));
}

/** All texts, numbers and truth values of an argument, as an allow-list compares them. */
function valuesOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return typeof value === 'object' ? Object.values(value).flatMap(valuesOf) : [String(value)];
}

function outputSchemaOf(structured: PlainSchema | undefined): object {
  return {
    type: 'object',
    properties: {
      text: { type: 'string' },
      structured: structured === undefined ? {} : shownSchema(structured.schema),
      isError: { const: true, description: 'The tool says that it failed.' },
    },
  };
}

/** undefined: any text in the result may name what it is of. */
function sourcesOf(structured: unknown): ReturnType<NonNullable<Action['sources']>> {
  const items = itemsIn(structured);
  return items.length === 0 ? undefined : items;
}

/** @throws AppError `provider_error` for a result of a read that is not as the tool's definition says */
async function outputOf(
  { text, structured, isError }: ToolResult,
  schema: PlainSchema | undefined,
  effect: Effect,
  { userId, clock }: Pick<RunContext, 'userId' | 'clock'>,
): Promise<ToolOutput> {
  if (isError) return { text, isError };
  if (structured === undefined) return { text };
  const problem = schema && (await problemIn(schema, structured, { userId, clock }));
  if (problem === undefined) return { ...(text !== '' && !repeats(text, structured) && { text }), structured };
  // After a change, this must not look like a failure.
  if (effect !== 'read') return { text };
  throw new AppError('provider_error', 'The result is not as the tool’s definition says.', { cause: new Error('outputSchema') });
}

/** Servers also send a structured result as text, for clients that know no other. */
function repeats(text: string, structured: unknown): boolean {
  try {
    return canonicalJson(JSON.parse(text)) === canonicalJson(structured);
  } catch {
    return false;
  }
}
