import { expressionDiagnostic, unknownFunction } from './declared-expression.ts';

type Jmespath = typeof import('@jmespath-community/jmespath');

/** Applies an expression to a response. @throws any error if they do not match */
export type Projection = (response: unknown) => unknown;

/**
 * Checks a JMESPath expression and makes it ready.
 *
 * @returns why it can't be used, for the operator
 */
export function compileProjection(jmespath: Jmespath, expression: string): Projection | { rejection: string } {
  let tree: ReturnType<Jmespath['compile']>;
  try {
    tree = jmespath.compile(expression);
  } catch (error) {
    return { rejection: expressionDiagnostic(jmespath, expression, error) };
  }
  const rejection = rejectionOf(jmespath, tree);
  if (rejection !== undefined) return { rejection };
  return (response) => jmespath.TreeInterpreter.search(tree, response as Parameters<Jmespath['search']>[0]);
}

/** A function is only looked up when it is called; fields are also looked up on prototypes. */
function rejectionOf(jmespath: Jmespath, node: unknown): string | undefined {
  if (typeof node !== 'object' || node === null) return undefined;
  const { type, name, condition } = node as { type?: unknown; name?: unknown; condition?: { type?: unknown } };
  if (type === 'Literal') return undefined;
  if (type === 'Function' && !jmespath.isRegistered(String(name))) return unknownFunction(jmespath, String(name));
  // Assigning a name, which would apply to every entry.
  if (type === 'FilterProjection' && condition?.type === 'Binding') return 'compares with = in a filter: values are compared with ==';
  if ((type === 'Field' || type === 'KeyValuePair') && String(name) in Object.prototype) return `${String(name)} is a reserved name`;
  for (const child of Object.values(node)) {
    const rejection = rejectionOf(jmespath, child);
    if (rejection !== undefined) return rejection;
  }
  return undefined;
}
