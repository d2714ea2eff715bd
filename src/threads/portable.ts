/** A pure function that may run on another thread: an export of a module, found there by the same two names. */
export interface Portable<Input, Output> {
  /** URL of the module that exports it. */
  readonly module: string;
  readonly name: string;
  run(input: Input): Output | Promise<Output>;
}

/**
 * Makes a function portable. It must be exported under the same name, work with its input alone, and take and give
 * only what can be cloned: JSON, bytes, maps.
 *
 * @param module `import.meta.url` of the module that exports it
 */
export function portable<Input, Output>(
  module: string,
  name: string,
  run: (input: Input) => Output | Promise<Output>,
): Portable<Input, Output> {
  return { module, name, run };
}

/** The portable function that is meant, on whichever thread this is. */
export async function findPortable({ module, name }: Pick<Portable<unknown, unknown>, 'module' | 'name'>) {
  const exports: Record<string, unknown> = await import(module);
  const found = exports[name];
  if (typeof found !== 'object' || found === null || !('run' in found)) throw new Error(`${module} exports no portable ${name}`);
  return found as Portable<unknown, unknown>;
}
