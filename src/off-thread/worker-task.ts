/** A pure function that can run on another thread: an export of a module, identified by both names. */
export interface WorkerTask<Input, Output> {
  /** URL of the module that exports it. */
  readonly module: string;
  readonly name: string;
  run(input: Input): Output | Promise<Output>;
}

/**
 * Makes a function a task of a worker thread. It must be exported under the same name and depend on its input only. Input
 * and result must be cloneable: JSON, bytes, maps.
 *
 * @param module `import.meta.url` of the module that exports it
 */
export function workerTask<Input, Output>(
  module: string,
  name: string,
  run: (input: Input) => Output | Promise<Output>,
): WorkerTask<Input, Output> {
  return { module, name, run };
}

/** Imports a task, on any thread. */
export async function findWorkerTask({ module, name }: Pick<WorkerTask<unknown, unknown>, 'module' | 'name'>) {
  const exports: Record<string, unknown> = await import(module);
  const found = exports[name];
  if (typeof found !== 'object' || found === null || !('run' in found)) throw new Error(`${module} exports no task ${name}`);
  return found as WorkerTask<unknown, unknown>;
}
