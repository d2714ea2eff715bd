import { didYouMean } from '../../validation/nearest-name.ts';
import type { Diagnostics } from '../file/diagnostics.ts';
import type { DeclaredInput, Input } from './declared-input.ts';
import { plainName } from './declared-messages.ts';

const REFERENCE = /^\$input\.([A-Za-z_][A-Za-z0-9_]*)$/;
/** Stands alone, but its name isn't one. */
const MISNAMED = /^\$input\.([^\s.]+)$/;
const BEGINNING = '$input';

/** The property of the input that a value of `with` refers to. */
export function referenceIn(value: unknown): string | undefined {
  return typeof value === 'string' ? REFERENCE.exec(value)?.[1] : undefined;
}

/**
 * Replaces references by the caller's input; those without a value are omitted.
 *
 * @param keepNull whether null is sent, or omitted
 */
export function resolve(value: unknown, input: Input, keepNull: boolean): unknown {
  const reference = referenceIn(value);
  const found = reference === undefined ? value : Object.hasOwn(input, reference) ? input[reference] : undefined;
  if (found === null && !keepNull) return undefined;
  if (reference !== undefined) return found;
  if (Array.isArray(value)) return value.map((item) => resolve(item, input, keepNull)).filter((item) => item !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, child]) => [key, resolve(child, input, keepNull)] as const);
  return Object.fromEntries(entries.filter(([, child]) => child !== undefined));
}

/** Reports invalid references in a value of `with`; valid ones are added to `used`. */
export function checkReferences(value: unknown, input: DeclaredInput, used: Set<string>, diagnostics: Diagnostics): void {
  if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) {
      checkReferences(child, input, used, diagnostics.under(Array.isArray(value) ? Number(key) : key));
    }
    return;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) diagnostics.inValue('must be a number that JSON knows');
  if (typeof value !== 'string' || !value.includes(BEGINNING)) return;
  const reference = referenceIn(value);
  if (reference === undefined) diagnostics.inValue(misshapen(value, input));
  else if (!input.properties.has(reference)) {
    diagnostics.inValue(`the input has no property ${reference}${didYouMean(reference, input.properties.keys())}`);
  } else used.add(reference);
}

function misshapen(value: string, input: DeclaredInput): string {
  const [, name] = MISNAMED.exec(value) ?? [];
  if (name !== undefined) {
    // The unchanged name would also be rejected among the properties.
    const plain = plainName(name);
    return `${name} can’t be the name of a property: names are letters, digits and _${plain === undefined ? '' : `, such as ${plain}`}`;
  }
  if (/^\$input\w/.test(value) && !/\s/.test(value)) {
    const [first] = input.properties.keys();
    return `references begin with $input and a dot${first === undefined ? '' : `, such as $input.${first}`}`;
  }
  return '$input.<name> must stand alone: strings are not concatenated';
}
