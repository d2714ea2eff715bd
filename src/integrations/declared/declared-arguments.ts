import { AppError } from '../../errors.ts';
import { didYouMean } from '../../validation/nearest-name.ts';
import type { Diagnostics } from '../declaration-diagnostics.ts';
import type { DeclaredInput, Input } from './declared-input.ts';
import { checkReferences, referenceIn, resolve } from './declared-references.ts';
import type { Target } from './declared-target.ts';
import { checkValue, EXPECTED, fits } from './declared-values.ts';

const LEAVES_PATH = 'must not hold /, ? or #, since it is part of an address';

/** Holds `with` against what the method takes and what the input gives; what is wrong is noted. */
export function checkArguments(
  target: Target,
  given: Readonly<Record<string, unknown>>,
  input: DeclaredInput,
  diagnostics: Diagnostics,
): void {
  const used = new Set<string>();
  for (const [name, value] of Object.entries(given)) {
    const place = diagnostics.under('with', name);
    const field = Object.hasOwn(target.fields, name) ? target.fields[name] : undefined;
    const refusal = target.refusal(name, value);
    if (refusal !== undefined) place.inKey(refusal);
    else if (field === undefined)
      place.inKey(`is no parameter or body field of ${target.name}${didYouMean(name, Object.keys(target.fields))}`);
    else {
      checkValue(field, value, { input, takesNull: target.takesNull(name) }, place);
      if (typeof value === 'string' && target.escapesPath(name, value)) place.inValue(LEAVES_PATH);
    }
    checkReferences(value, input, used, place);
  }
  for (const name of target.required) checkRequired(target, name, given[name], input, diagnostics);
  for (const name of input.properties.keys()) {
    // What can't be referred to is noted already.
    if (!used.has(name) && referenceIn(`$input.${name}`) !== undefined)
      input.place(name).inKey(`is used nowhere in with: refer to it as $input.${name}`);
  }
}

/** `with` for one call: references replaced; what the input doesn't give is left out. */
export function resolveArguments(target: Target, given: Readonly<Record<string, unknown>>, input: Input): Record<string, unknown> {
  const entries = Object.entries(given).map(([name, value]) => [name, resolve(value, input, target.takesNull(name))] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/**
 * A last look at what goes into the address: an input's schema may be loose.
 *
 * @throws AppError `invalid_request`
 */
export function assertArguments(target: Target, args: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(args)) {
    const field = target.fields[name];
    const isLeftOut = value === null && target.takesNull(name);
    if (field !== undefined && !isLeftOut && !fits(field.kind, value)) {
      throw new AppError('invalid_request', `${name}: must be ${EXPECTED[field.kind]}`);
    }
    if (target.escapesPath(name, String(value))) throw new AppError('invalid_request', `${name}: ${LEAVES_PATH}`);
  }
  for (const name of target.required) {
    // As part of a path, nothing or dots would name another resource.
    if (['', '.', '..'].includes(String(args[name] ?? ''))) throw new AppError('invalid_request', `${name}: must not be empty`);
  }
}

function checkRequired(target: Target, name: string, value: unknown, input: DeclaredInput, diagnostics: Diagnostics): void {
  if (value === undefined) diagnostics.under('with').inKey(`${target.name} needs ${name}`);
  const reference = referenceIn(value);
  if (reference === undefined || !input.properties.has(reference)) return;
  const place = diagnostics.under('with', name);
  if (!input.isSure(reference)) {
    place.inValue(`${target.name} needs ${name}, so the input must require ${reference}, or have a default for it`);
  } else if (input.mayBeNull(reference)) place.inValue(`${target.name} needs ${name}, so ${reference} must not be null`);
}
