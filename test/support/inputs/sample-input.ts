import type { Action } from '../../../src/actions/shared/action.ts';
import { AppError } from '../../../src/errors.ts';
import { parseArguments } from '../../../src/executor/checks/parse-arguments.ts';

type Properties = Record<string, Record<string, any>>;
export type Sample = Record<string, unknown>;

/** Texts of which every built-in action's field accepts one. */
const TEXTS = ['x', 'a@example.org', '2026-05-01', '1', 'Europe/Berlin', '09:00', 'text/plain', 'RRULE:FREQ=DAILY'];

export function propertiesOf(schema: object): Properties {
  return ((schema as { properties?: Properties }).properties ?? {}) as Properties;
}

/** A valid input with as few properties as possible, found by trying. */
export function smallestInput({ name, input }: Action): Sample {
  const { required = [] } = input.jsonSchema as { required?: string[] };
  let sample: Sample = Object.fromEntries(required.map((one) => [one, valuesFor(propertiesOf(input.jsonSchema)[one])[0]]));
  for (let tries = 0; tries < 50; tries += 1) {
    const problem = problemOf(input, sample);
    if (problem === undefined) return sample;
    const [field = ''] = problem.split(/[.:]/);
    const property = propertiesOf(input.jsonSchema)[field];
    if (property === undefined) throw new Error(`${name}: ${problem}`);
    const values = valuesFor(property);
    const at = values.findIndex((value) => JSON.stringify(value) === JSON.stringify(sample[field]));
    sample = { ...sample, [field]: values[(at + 1) % values.length] };
  }
  throw new Error(`${name}: no valid input was found`);
}

function problemOf(input: Action['input'], sample: Sample): string | undefined {
  try {
    parseArguments(input, input.jsonSchema, sample);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

function valuesFor(schema: Record<string, any> = {}): unknown[] {
  if (schema.enum !== undefined) return schema.enum;
  if (schema.type === 'string') return TEXTS;
  if (schema.type === 'array') return valuesFor(schema.items).map((item) => [item]);
  if (schema.type === 'boolean') return [true, false];
  if (schema.type === 'object') {
    return [Object.fromEntries(Object.entries(propertiesOf(schema)).map(([name, property]) => [name, valuesFor(property)[0]]))];
  }
  return [schema.minimum ?? 1];
}
