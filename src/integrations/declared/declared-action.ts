import type { Ajv } from 'ajv';
import type { Action, RunContext } from '../../actions/shared/action.ts';
import { changedMeanwhile } from '../../actions/shared/as-shown.ts';
import { declaredSummary } from '../../actions/shared/declared-summary.ts';
import { isLabelled, type Taint } from '../../actions/shared/labels.ts';
import { namedIds } from '../../actions/shared/named-ids.ts';
import { AppError } from '../../errors.ts';
import { union } from '../../providers/shared/audience.ts';
import type { CallExposure, CallOrRejection, DeclaredCall, Effect } from '../../providers/shared/declared-call.ts';
import type { CallDeclaration } from '../file/declaration.ts';
import type { Diagnostics } from '../file/diagnostics.ts';
import { assertArguments, checkArguments, resolveArguments } from './declared-arguments.ts';
import { compileInput, type DeclaredInput, type Input } from './declared-input.ts';
import { itemIdsIn, readNames, writtenNames } from './declared-items.ts';
import { linearRegExp } from './declared-pattern.ts';
import { compileProjection } from './declared-projection.ts';
import { declaredResponse } from './declared-response.ts';
import { isSchema, type JsonSchema, typesOf } from './declared-schema.ts';

const RANK: Record<Effect, number> = { read: 0, write: 1, destructive: 2 };

/** The libraries that compile declared actions. */
export interface Tools {
  ajv: Ajv;
  jmespath: typeof import('@jmespath-community/jmespath');
}

export async function loadTools(): Promise<Tools> {
  const [{ Ajv }, { default: addFormats }, jmespath] = await Promise.all([
    import('ajv'),
    import('ajv-formats'),
    import('@jmespath-community/jmespath'),
  ]);
  const ajv = new Ajv({
    strict: true,
    // Required properties may be defined in an enclosing schema: declared-consistency.ts checks that.
    strictRequired: false,
    allowUnionTypes: true,
    useDefaults: true,
    ownProperties: true,
    verbose: true,
    logger: false,
    code: { regExp: linearRegExp },
  });
  addFormats.default(ajv);
  return { ajv, jmespath };
}

/**
 * Makes an action of a declared method.
 *
 * @param name its full name
 * @returns undefined if the declaration is invalid, with the reason in `diagnostics`
 */
export function declaredAction(
  name: string,
  provider: string,
  found: CallOrRejection,
  declaration: CallDeclaration,
  tools: Tools,
  diagnostics: Diagnostics,
): Action | undefined {
  const input = compileInput(tools.ajv, declaration.input, diagnostics.under('input'));
  const project = declaration.project === undefined ? undefined : compileProjection(tools.jmespath, declaration.project);
  if (project !== undefined && 'rejection' in project) diagnostics.under('project').inValue(project.rejection);
  if ('rejection' in found) {
    diagnostics.under('call').inValue(found.rejection);
    return undefined;
  }
  const { call } = found;
  const given = declaration.with ?? {};
  checkArguments(call, given, input, diagnostics);
  checkEffect(call, given, declaration.effect, diagnostics.under('effect'));
  const argsOf = (value: unknown) => resolveArguments(call, given, value as Input);
  const summarise = (args: Record<string, unknown>) => declaredSummary(declaration.description, args, call.destructiveFields);
  return {
    name,
    provider,
    effect: declaration.effect,
    description: declaration.description,
    scopes: call.scopes,
    isDeclared: true,
    input: input.shape,
    output: { jsonSchema: {}, parse: (value) => value },
    allow: allowLists(input),
    ...(call.paid && { costs: () => true }),
    ...(declaration.effect !== 'read' && {
      about: (value, exposure) => [...namedIds(argsOf(value)), ...((exposure as CallExposure | undefined)?.items ?? [])],
      writes(value) {
        const named = itemIdsIn(argsOf(value));
        return named === undefined ? [] : writtenNames(named);
      },
      async facts(value, { session, account }) {
        const args = argsOf(value);
        assertArguments(call, args);
        return call.exposure(session, args, account.label);
      },
      version: (exposure) => (exposure as CallExposure).version,
      exposes(_value, exposure, taint) {
        const { audience, unreadable = [] } = exposure as CallExposure;
        return isLabelled(taint) ? union(audience, unreadable) : audience;
      },
    }),
    summary: (value) => summarise(argsOf(value)),
    preview: async (value, { taint }, exposure) => {
      // Reads have none.
      return summarise(exposure === undefined ? argsOf(value) : sentArguments(argsOf(value), exposure as CallExposure, taint));
    },
    run: async (value, context) => run(call, await checkedArguments(call, argsOf(value), context), declaration, context),
  };
}

/** An effect that is declared is not milder than the call's. */
function checkEffect(call: DeclaredCall, given: Input, declared: CallDeclaration['effect'], diagnostics: Diagnostics): void {
  const least = call.effect(given);
  if (RANK[declared] >= RANK[least]) return;
  const field = least === 'destructive' ? call.tellingField(given) : undefined;
  const reason = field === undefined ? '' : ` because of ${field}`;
  diagnostics.inValue(`${call.name} is ${least} here${reason}: set effect: ${least}`);
}

/**
 * What is sent. The exposure is read again as the last thing before the change.
 *
 * @throws AppError `conflict` when it isn't that of the check; what reading it throws
 */
async function checkedArguments(call: DeclaredCall, args: Record<string, unknown>, context: RunContext): Promise<Record<string, unknown>> {
  if (context.version === undefined) return args;
  const now = await call.exposure(context.session, args, context.account.label);
  if (now.version !== context.version) throw changedMeanwhile('input');
  return sentArguments(args, now, context.taint);
}

function sentArguments(args: Record<string, unknown>, { restricting }: CallExposure, taint: Taint): Record<string, unknown> {
  return isLabelled(taint) ? { ...args, ...restricting } : args;
}

async function run(
  call: DeclaredCall,
  args: Record<string, unknown>,
  { project, effect }: CallDeclaration,
  context: RunContext,
): Promise<unknown> {
  assertArguments(call, args);
  const { value, fits, ids } = await call.send(context.session, args, declaredResponse, {
    project,
    capBytes: context.capBytes,
    masked: call.masked === true,
    partOf: args.fields === undefined ? undefined : call.name,
  });
  context.uses(readNames(call.name, args, ids));
  if (effect !== 'read') context.wrote(ids && writtenNames(ids));
  if (fits) return value;
  // After a change, a response that does not match the projection must not look like a failure.
  if (effect !== 'read') return null;
  throw new AppError('provider_error', 'The response has another shape than this action expects.', { cause: new Error('projection') });
}

/** Properties that are texts or lists of texts can be checked against an allow-list. */
function allowLists({ properties }: DeclaredInput): NonNullable<Action['allow']> {
  const textual = [...properties].filter(([, schema]) => {
    return isOnly('string', schema) || (isOnly('array', schema) && isSchema(schema.items) && isOnly('string', schema.items));
  });
  return Object.fromEntries(textual.map(([name]) => [name, (input: unknown) => texts((input as Input)[name])]));
}

/** Null is equal to absent. */
function isOnly(type: string, schema: JsonSchema): boolean {
  const types = typesOf(schema).filter((one) => one !== 'null');
  return types.length === 1 && types[0] === type;
}

function texts(value: unknown): string[] {
  return [value].flat().flatMap((one) => (one === undefined || one === null ? [] : String(one)));
}
