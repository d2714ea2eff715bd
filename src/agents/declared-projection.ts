import { AppError } from '../errors.ts';

type Jmespath = typeof import('@jmespath-community/jmespath');

/** Applies an expression to an answer. */
export type Projection = (answer: unknown) => unknown;

/**
 * Checks a JMESPath expression and makes it ready.
 *
 * @returns why it can't be used, for the operator
 */
export function compileProjection(jmespath: Jmespath, expression: string): Projection | { refusal: string } {
  let tree: ReturnType<Jmespath['compile']>;
  try {
    tree = jmespath.compile(expression);
  } catch (error) {
    return { refusal: `is no JMESPath expression: ${error instanceof Error ? error.message : 'unreadable'}` };
  }
  const refusal = refusalOf(jmespath, tree);
  if (refusal !== undefined) return { refusal };
  return (answer) => {
    try {
      return jmespath.TreeInterpreter.search(tree, answer as Parameters<Jmespath['search']>[0]);
    } catch (cause) {
      // Its text repeats values of the answer.
      throw new AppError('provider_error', 'The answer has another shape than this action expects.', {
        cause: new Error(`projection: ${cause instanceof Error ? cause.name : 'failed'}`),
      });
    }
  };
}

/** A function is only looked up when its turn comes; fields are looked up on prototypes too. */
function refusalOf(jmespath: Jmespath, node: unknown): string | undefined {
  if (typeof node !== 'object' || node === null) return undefined;
  const { type, name } = node as { type?: unknown; name?: unknown };
  if (type === 'Literal') return undefined;
  if (type === 'Function' && !jmespath.isRegistered(String(name))) return `there is no JMESPath function ${String(name)}`;
  if ((type === 'Field' || type === 'KeyValuePair') && String(name) in Object.prototype) return `${String(name)} is a reserved name`;
  for (const child of Object.values(node)) {
    const refusal = refusalOf(jmespath, child);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
