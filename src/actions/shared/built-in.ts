import { z } from 'zod';
import { internalError } from '../../errors.ts';
import { validate } from '../../validation/validate.ts';
import type { Action, Definition, Schema } from './action.ts';

/** Defines a built-in action; TypeScript infers `run` from the schemas. Inputs should be strict objects with described fields. */
export function builtIn<I extends z.ZodType, O extends z.ZodType, P extends string, Facts = undefined>(
  provider: P,
  definition: Definition<I, O, P, Facts>,
): Action {
  const { input, output, ...rest } = definition;
  return { ...rest, provider, input: inputSchema(input), output: outputSchema(output) } as unknown as Action;
}

function inputSchema<S extends z.ZodType>(schema: S): Schema<z.output<S>> {
  return {
    // Generated on demand, which only `npm run generate` needs: dozens of schemas would slow every start.
    get jsonSchema() {
      return z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
    },
    parse: (value) => validate(schema, value),
  };
}

/** Fields that the schema doesn't name are dropped; a missing field is an internal error. */
function outputSchema<S extends z.ZodType>(schema: S): Schema<z.output<S>> {
  return {
    get jsonSchema() {
      return z.toJSONSchema(schema, { io: 'output', target: 'draft-7' });
    },
    parse(value) {
      const parsed = schema.safeParse(value);
      if (parsed.success) return parsed.data;
      const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
      throw internalError(`output: ${fields}`);
    },
  };
}
