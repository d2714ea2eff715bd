import { z } from 'zod';
import { AppError } from '../errors.ts';
import { validate } from '../validation/validate.ts';
import type { Provider } from '../vault/grants-repository.ts';
import type { Action, Definition, Shape } from './action.ts';

/** Defines a built-in action; TypeScript infers `run` from the schemas. Inputs should be strict objects with described fields. */
export function builtIn<I extends z.ZodType, O extends z.ZodType, P extends Provider>(definition: Definition<I, O, P>): Action {
  const { input, output, ...rest } = definition;
  return { ...rest, input: inputShape(input), output: outputShape(output) } as unknown as Action;
}

function inputShape<S extends z.ZodType>(schema: S): Shape<z.output<S>> {
  return {
    // Made when it is asked for, which only `npm run generate` does: dozens of schemas would cost every start.
    get jsonSchema() {
      return z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
    },
    parse: (value) => validate(schema, value),
  };
}

/** What an action doesn't promise is not sent; what it promises and doesn't give is our fault. */
function outputShape<S extends z.ZodType>(schema: S): Shape<z.output<S>> {
  return {
    get jsonSchema() {
      return z.toJSONSchema(schema, { io: 'output', target: 'draft-7' });
    },
    parse(value) {
      const parsed = schema.safeParse(value);
      if (parsed.success) return parsed.data;
      const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
      throw new AppError('internal', 'Something went wrong on our side.', { cause: new Error(`output: ${fields}`) });
    },
  };
}
