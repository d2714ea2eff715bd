import { AppError } from '../errors.ts';
import { didYouMean } from '../http/nearest-name.ts';
import type { ValueKind } from '../providers/workspace-methods.ts';
import type { Mistakes } from './declaration-mistakes.ts';
import type { DeclaredInput, Input } from './declared-input.ts';
import type { JsonSchema } from './declared-schema.ts';
import type { Target } from './declared-target.ts';

const REFERENCE = /^\$input\.([A-Za-z_][A-Za-z0-9_]*)$/;

const EXPECTED: Record<ValueKind, string> = {
  string: 'a text (in quotes where it looks like a number)',
  number: 'a number',
  boolean: 'true or false',
  'string[]': 'a list of texts',
  array: 'a list',
  object: 'an object',
  any: 'anything',
};

const LEAVES_PATH = 'must not hold /, ? or #, since it is part of an address';

/** Holds `with` against what the method takes and what the input gives; what is wrong is noted. */
export function checkArguments(target: Target, given: Readonly<Record<string, unknown>>, input: DeclaredInput, mistakes: Mistakes): void {
  const used = new Set<string>();
  for (const [name, value] of Object.entries(given)) {
    const place = mistakes.under('with', name);
    const kind = Object.hasOwn(target.fields, name) ? target.fields[name] : undefined;
    const refusal = target.refusal(name, value);
    if (refusal !== undefined) place.inKey(refusal);
    else if (kind === undefined)
      place.inKey(`is no parameter or body field of ${target.name}${didYouMean(name, Object.keys(target.fields))}`);
    else {
      checkKind(kind, value, input, place);
      if (typeof value === 'string' && target.leavesPath(name, value)) place.inValue(LEAVES_PATH);
    }
    checkReferences(value, input, used, place);
  }
  for (const name of target.required) checkRequired(target, name, given[name], input, mistakes);
  for (const name of input.properties.keys()) {
    if (!used.has(name)) mistakes.under('input', 'properties', name).inKey('is used nowhere in with');
  }
}

/** `with` for one call: references replaced; what the input doesn't give is left out. */
export function resolveArguments(given: Readonly<Record<string, unknown>>, input: Input): Record<string, unknown> {
  return resolve(given, input) as Record<string, unknown>;
}

/**
 * A last look at what goes into the address: an input's schema may be loose.
 *
 * @throws AppError `invalid_request`
 */
export function assertArguments(target: Target, args: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(args)) {
    const kind = target.fields[name];
    if (kind !== undefined && !fits(kind, value)) throw new AppError('invalid_request', `${name}: must be ${EXPECTED[kind]}`);
    if (target.leavesPath(name, String(value))) throw new AppError('invalid_request', `${name}: ${LEAVES_PATH}`);
  }
  for (const name of target.required) {
    // As part of a path, nothing or dots would name another resource.
    if (['', '.', '..'].includes(String(args[name] ?? ''))) throw new AppError('invalid_request', `${name}: must not be empty`);
  }
}

function resolve(value: unknown, input: Input): unknown {
  const reference = referenceIn(value);
  if (reference !== undefined) return Object.hasOwn(input, reference) ? input[reference] : undefined;
  if (Array.isArray(value)) return value.map((item) => resolve(item, input)).filter((item) => item !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, child]) => [key, resolve(child, input)] as const);
  return Object.fromEntries(entries.filter(([, child]) => child !== undefined));
}

function referenceIn(value: unknown): string | undefined {
  return typeof value === 'string' ? REFERENCE.exec(value)?.[1] : undefined;
}

function checkReferences(value: unknown, input: DeclaredInput, used: Set<string>, mistakes: Mistakes): void {
  if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) {
      checkReferences(child, input, used, mistakes.under(Array.isArray(value) ? Number(key) : key));
    }
    return;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) mistakes.inValue('must be a number that JSON knows');
  if (typeof value !== 'string' || !value.includes('$input')) return;
  const reference = referenceIn(value);
  if (reference === undefined) mistakes.inValue('$input.<name> must stand alone: texts are not put together here');
  else if (!input.properties.has(reference)) {
    mistakes.inValue(`the input has no property ${reference}${didYouMean(reference, input.properties.keys())}`);
  } else used.add(reference);
}

function checkRequired(target: Target, name: string, value: unknown, input: DeclaredInput, mistakes: Mistakes): void {
  if (value === undefined) mistakes.under('with').inKey(`${target.name} needs ${name}`);
  const reference = referenceIn(value);
  if (reference === undefined || !input.properties.has(reference) || input.isSure(reference)) return;
  mistakes.under('with', name).inValue(`${target.name} needs ${name}, so the input must require ${reference}, or have a default for it`);
}

function checkKind(kind: ValueKind, value: unknown, input: DeclaredInput, mistakes: Mistakes): void {
  const reference = referenceIn(value);
  if (reference === undefined) {
    if (!fits(kind, value)) mistakes.inValue(`must be ${EXPECTED[kind]}`);
    return;
  }
  const schema = input.properties.get(reference);
  if (schema !== undefined && !mayFit(kind, schema))
    mistakes.inValue(`must be ${EXPECTED[kind]}, but ${reference} is ${String(schema.type)}`);
}

function fits(kind: ValueKind, value: unknown): boolean {
  if (kind === 'any') return true;
  // The provider takes one of a list's texts alone as well.
  if (kind === 'string[]') return typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string'));
  if (kind === 'array') return Array.isArray(value);
  if (kind === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === kind;
}

/** Whether values of a property can be of a kind, as far as its schema says. */
function mayFit(kind: ValueKind, { type }: JsonSchema): boolean {
  if (typeof type !== 'string' || kind === 'any') return true;
  const types: Record<Exclude<ValueKind, 'any'>, string[]> = {
    string: ['string'],
    number: ['number', 'integer'],
    boolean: ['boolean'],
    'string[]': ['array', 'string'],
    array: ['array'],
    object: ['object'],
  };
  return types[kind].includes(type);
}
