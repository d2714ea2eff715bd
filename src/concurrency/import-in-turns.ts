import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Loads parts of a library before it, each in a turn of the event loop of its own: an import reads, compiles and runs all
 * that a module imports in one, which takes a tenth of a second with some.
 *
 * @param modules of packages, in this order
 */
export async function importInTurns(modules: readonly string[]): Promise<void> {
  for (const module of modules) {
    await import(module);
    await nextTurn();
  }
}
