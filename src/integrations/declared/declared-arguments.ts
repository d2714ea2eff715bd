import { AppError } from '../../errors.ts';
import type { DeclaredCall } from '../../providers/shared/declared-call.ts';
import { didYouMean } from '../../validation/nearest-name.ts';
import type { Diagnostics } from '../file/diagnostics.ts';
import type { DeclaredInput, Input } from './declared-input.ts';
import { checkReferences, referenceIn, resolve } from './declared-references.ts';
import { checkValue, EXPECTED, fits } from './declared-values.ts';

const LEAVES_PATH = 'must not contain /, ? or #, because it is part of a URL path';

/** Checks `with` against the method's fields and the input's properties, and adds diagnostics. */
export function checkArguments(
  call: DeclaredCall,
  given: Readonly<Record<string, unknown>>,
  input: DeclaredInput,
  diagnostics: Diagnostics,
): void {
  const used = new Set<string>();
  for (const [name, value] of Object.entries(given)) {
    const place = diagnostics.under('with', name);
    const field = Object.hasOwn(call.fields, name) ? call.fields[name] : undefined;
    const rejection = call.rejection(name, value);
    if (rejection !== undefined) place.inKey(rejection);
    else if (field === undefined)
      place.inKey(`is not a parameter or body field of ${call.name}${didYouMean(name, Object.keys(call.fields))}`);
    else {
      checkValue(field, value, { input, takesNull: call.takesNull(name) }, place);
      if (typeof value === 'string' && call.escapesPath(name, value)) place.inValue(LEAVES_PATH);
    }
    checkReferences(value, input, used, place);
  }
  for (const name of call.required) checkRequired(call, name, given[name], input, diagnostics);
  for (const name of input.properties.keys()) {
    // A name that can't be referenced is reported elsewhere.
    if (!used.has(name) && referenceIn(`$input.${name}`) !== undefined)
      input.place(name).inKey(`is not used in with: refer to it as $input.${name}`);
  }
}

/** `with` for one call: references are replaced, and omitted where the input has no value. */
export function resolveArguments(call: DeclaredCall, given: Readonly<Record<string, unknown>>, input: Input): Record<string, unknown> {
  const entries = Object.entries(given).map(([name, value]) => [name, resolve(value, input, call.takesNull(name))] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/**
 * Checks the arguments of a call again, because an input's schema may allow any value.
 *
 * @throws AppError `invalid_request`
 */
export function assertArguments(call: DeclaredCall, args: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(args)) {
    const field = call.fields[name];
    const isLeftOut = value === null && call.takesNull(name);
    if (field !== undefined && !isLeftOut && !fits(field.kind, value)) {
      throw new AppError('invalid_request', `${name}: must be ${EXPECTED[field.kind]}`);
    }
    if (call.escapesPath(name, String(value))) throw new AppError('invalid_request', `${name}: ${LEAVES_PATH}`);
  }
  for (const name of call.required) {
    // As a path segment, these would address another resource.
    if (['', '.', '..'].includes(String(args[name] ?? ''))) throw new AppError('invalid_request', `${name}: must not be empty`);
  }
}

function checkRequired(call: DeclaredCall, name: string, value: unknown, input: DeclaredInput, diagnostics: Diagnostics): void {
  if (value === undefined) diagnostics.under('with').inKey(`${call.name} needs ${name}`);
  const reference = referenceIn(value);
  if (reference === undefined || !input.properties.has(reference)) return;
  const place = diagnostics.under('with', name);
  if (!input.isSure(reference)) {
    place.inValue(`${call.name} needs ${name}, so the input must require ${reference}, or have a default for it`);
  } else if (input.mayBeNull(reference)) place.inValue(`${call.name} needs ${name}, so ${reference} must not be null`);
}
