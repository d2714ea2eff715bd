import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import type { Schema } from '../../actions/shared/action.ts';
import { AppError } from '../../errors.ts';
import type { Diagnostics } from '../file/diagnostics.ts';
import { checkConsistency, checkDefaults } from './declared-consistency.ts';
import { compilerReason, placeOf, plainName, pointer, reasonOf, schemaReasonOf } from './declared-messages.ts';
import { boundSchema, isSchema, type JsonSchema, typesOf } from './declared-schema.ts';

export type Input = Readonly<Record<string, unknown>>;

/** The input of a declared action. */
export interface DeclaredInput {
  shape: Schema<Input>;
  properties: ReadonlyMap<string, JsonSchema>;
  /** Whether a call always has it: it is required, or has a default. */
  isSure(name: string): boolean;
  /** Whether a call may pass null for it. */
  mayBeNull(name: string): boolean;
  /** Collects the diagnostics of a property. */
  place(name: string): Diagnostics;
}

const PROPERTY_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,59}$/;

/**
 * Checks and compiles an input schema, and adds diagnostics.
 *
 * @param declared undefined: the action has no input
 */
export function compileInput(ajv: Ajv, declared: JsonSchema | undefined, diagnostics: Diagnostics): DeclaredInput {
  const source = declared ?? { type: 'object' };
  const before = diagnostics.count;
  if (source.type !== 'object') diagnostics.under('type').inValue('must be object');
  if (source.additionalProperties !== undefined && source.additionalProperties !== false) {
    diagnostics.under('additionalProperties').inValue('must be false or omitted: undeclared properties are not used');
  }
  const properties = isSchema(source.properties) ? source.properties : {};
  for (const name of Object.keys(properties)) {
    if (!PROPERTY_NAME.test(name)) diagnostics.under('properties', name).inKey(misnamed(name));
  }
  const schema = { ...(boundSchema(source, diagnostics) as JsonSchema), additionalProperties: false };
  checkConsistency(source, diagnostics);
  // Ajv would report the same errors again, less clearly.
  const check = diagnostics.count === before ? compileSchema(ajv, schema, diagnostics) : ajv.compile(false);
  const required = Array.isArray(source.required) ? source.required : [];
  const declaredProperties = new Map(Object.entries(properties).map(([name, value]) => [name, isSchema(value) ? value : {}]));
  return {
    shape: { jsonSchema: schema, parse: (value) => parseInput(check, value) },
    properties: declaredProperties,
    isSure: (name) => required.includes(name) || declaredProperties.get(name)?.default !== undefined,
    mayBeNull: (name) => mayBeNull(declaredProperties.get(name) ?? {}),
    place: (name) => diagnostics.under('properties', name),
  };
}

function misnamed(name: string): string {
  const plain = plainName(name);
  return `must be a name of letters, digits and _${plain === undefined ? '' : `, such as ${plain}`}`;
}

/** Whether a schema's own keywords allow null. */
function mayBeNull(schema: JsonSchema): boolean {
  const { enum: listed, default: usual } = schema;
  return typesOf(schema).includes('null') || usual === null || (Array.isArray(listed) && listed.includes(null));
}

function compileSchema(ajv: Ajv, schema: JsonSchema, diagnostics: Diagnostics): ValidateFunction {
  const nothing: ValidateFunction = ajv.compile(false);
  try {
    if (ajv.validateSchema(schema) !== true) {
      const [error] = ajv.errors ?? [];
      diagnostics
        .under(...pointer(error?.instancePath ?? ''))
        .inValue(`is not valid JSON Schema: ${error ? schemaReasonOf(error) : 'not valid'}`);
      return nothing;
    }
    const check = ajv.compile(schema);
    checkDefaults(ajv, schema, diagnostics);
    return check;
  } catch (error) {
    const message = error instanceof Error ? error.message : 'not valid';
    const [, place = ''] = /"?#((?:\/[^"#\s]*)?)"?\s*(?:\(\w+\))?$/.exec(message) ?? [];
    diagnostics.under(...pointer(place)).inValue(compilerReason(message, Object.keys(ajv.formats)));
    return nothing;
  }
}

/** @throws AppError `invalid_request` that names the field at fault */
function parseInput(check: ValidateFunction, value: unknown): Input {
  // Ajv writes defaults into the value, which is the caller's.
  const input: unknown = structuredClone(value);
  if (check(input)) return input as Input;
  throw new AppError('invalid_request', inputMessage(check.errors?.[0]));
}

function inputMessage(error: ErrorObject | undefined): string {
  if (error === undefined) return 'The input is not valid.';
  const place = placeOf(error).join('.');
  return place === '' ? reasonOf(error) : `${place}: ${reasonOf(error)}`;
}
