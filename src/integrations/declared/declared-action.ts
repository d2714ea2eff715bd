import type { Ajv } from 'ajv';
import type { Action, RunContext } from '../../actions/action.ts';
import { AppError } from '../../errors.ts';
import { loadWorkspaceMethods, type WorkspaceMethods } from '../../providers/workspace/workspace-methods.ts';
import type { AgentDeclaration, CallDeclaration } from '../declaration.ts';
import type { Diagnostics } from '../declaration-diagnostics.ts';
import { assertArguments, checkArguments, resolveArguments } from './declared-arguments.ts';
import { bankTarget } from './declared-bank.ts';
import { isMilder } from './declared-effects.ts';
import { compileInput, type DeclaredInput, type Input } from './declared-input.ts';
import { linearRegExp } from './declared-pattern.ts';
import { compileProjection } from './declared-projection.ts';
import { isSchema, type JsonSchema, typesOf } from './declared-schema.ts';
import { declaredSummary } from './declared-summary.ts';
import type { Target, TargetOrRefusal } from './declared-target.ts';
import { workspaceTarget } from './declared-workspace.ts';

/** What compiling declared actions takes. */
export interface Tools {
  ajv: Ajv;
  jmespath: typeof import('@jmespath-community/jmespath');
  methods: WorkspaceMethods;
}

export async function loadTools(): Promise<Tools> {
  const [{ Ajv }, { default: addFormats }, jmespath, methods] = await Promise.all([
    import('ajv'),
    import('ajv-formats'),
    import('@jmespath-community/jmespath'),
    loadWorkspaceMethods(),
  ]);
  const ajv = new Ajv({
    strict: true,
    // What is required may be among the properties of the schema around it: declared-sound.ts looks there.
    strictRequired: false,
    allowUnionTypes: true,
    useDefaults: true,
    ownProperties: true,
    verbose: true,
    logger: false,
    code: { regExp: linearRegExp },
  });
  addFormats.default(ajv);
  return { ajv, jmespath, methods };
}

/**
 * Makes an action of a declared method.
 *
 * @param name its full name
 * @returns undefined when the declaration can't be used; `diagnostics` says why
 */
export function declaredAction(
  name: string,
  agent: AgentDeclaration,
  declaration: CallDeclaration,
  tools: Tools,
  diagnostics: Diagnostics,
): Action | undefined {
  const found = findTarget(agent, declaration.call, tools);
  const input = compileInput(tools.ajv, declaration.input, diagnostics.under('input'));
  const project = declaration.project === undefined ? undefined : compileProjection(tools.jmespath, declaration.project);
  if (project !== undefined && 'refusal' in project) diagnostics.under('project').inValue(project.refusal);
  if ('refusal' in found) {
    diagnostics.under('call').inValue(found.refusal);
    return undefined;
  }
  const { target } = found;
  const given = declaration.with ?? {};
  checkArguments(target, given, input, diagnostics);
  const least = target.effect(given);
  if (isMilder(declaration.effect, least)) {
    const field = least === 'destructive' ? target.tellingField(given) : undefined;
    const reason = field === undefined ? '' : ` because of ${field}`;
    diagnostics.under('effect').inValue(`what ${target.name} does here is ${least}${reason}: say effect: ${least}`);
  }
  return {
    name,
    provider: agent.provider,
    effect: declaration.effect,
    description: declaration.description,
    scopes: target.scopes,
    input: input.shape,
    output: { jsonSchema: {}, parse: (value) => value },
    allow: allowLists(input),
    ...(target.paid && { costs: () => true }),
    summary: (value) => declaredSummary(declaration.description, resolveArguments(target, given, value as Input)),
    run: (value, context) => run(target, resolveArguments(target, given, value as Input), declaration, context),
  };
}

function findTarget(agent: AgentDeclaration, call: string, { methods }: Tools): TargetOrRefusal {
  return agent.provider === 'bank' ? bankTarget(call, agent.products) : workspaceTarget(call, methods, agent.scopes);
}

async function run(
  target: Target,
  args: Record<string, unknown>,
  { project, effect }: CallDeclaration,
  context: RunContext,
): Promise<unknown> {
  assertArguments(target, args);
  const { value, fits } = await target.send(context, args, { project, capBytes: context.capBytes });
  if (fits) return value;
  // Once a change is made, an answer that doesn't fit the projection must not look like a failure.
  if (effect !== 'read') return null;
  throw new AppError('provider_error', 'The answer has another shape than this action expects.', { cause: new Error('projection') });
}

/** Properties that are texts or lists of texts can be held against an allow-list. */
function allowLists({ properties }: DeclaredInput): NonNullable<Action['allow']> {
  const textual = [...properties].filter(([, schema]) => {
    return isOnly('string', schema) || (isOnly('array', schema) && isSchema(schema.items) && isOnly('string', schema.items));
  });
  return Object.fromEntries(textual.map(([name]) => [name, (input: unknown) => texts((input as Input)[name])]));
}

/** Null is the same as nothing. */
function isOnly(type: string, schema: JsonSchema): boolean {
  const types = typesOf(schema).filter((one) => one !== 'null');
  return types.length === 1 && types[0] === type;
}

function texts(value: unknown): string[] {
  return [value].flat().flatMap((one) => (one === undefined || one === null ? [] : String(one)));
}
