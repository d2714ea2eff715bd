import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The stored data of one part of the sandbox. Change `state` in place, then call `save()`. */
export interface Store<S> {
  readonly state: S;
  save(): void;
}

/**
 * Opens a JSON file as state that survives restarts. `save()` is synchronous and atomic (temporary file, rename, mode
 * 0600), so that data saved before a response survives a kill.
 *
 * @param file path of the JSON file; its folder is created if it is missing (0700)
 * @param seed initial data
 * @throws Error naming the file when it is not JSON; otherwise Node's file errors
 */
export function openStore<S>(file: string, seed: () => S): Store<S> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const kept = read<S>(file);
  const state = kept ?? seed();
  const store = {
    state,
    save(): void {
      const temporary = `${file}.tmp`;
      writeFileSync(temporary, JSON.stringify(state, null, 1), { mode: 0o600 });
      renameSync(temporary, file);
    },
  };
  if (kept === undefined) store.save();
  return store;
}

function read<S>(file: string): S | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as S;
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error(`${file} is not JSON; delete it to start again`, { cause: error });
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
