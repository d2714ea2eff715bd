import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The state of one part of the sandbox; change `state` in place, then `save()`. */
export interface Store<S> {
  readonly state: S;
  save(): void;
}

/**
 * Opens a JSON file as state that survives restarts.
 *
 * `save()` is synchronous and atomic (temporary file, rename, mode 0600): what was
 * saved before an answer went out is still there after a kill.
 *
 * @param file path of the JSON file; its folder is made when missing (0700)
 * @param seed the state of a first start
 * @throws Error naming the file when it holds no JSON; Node's file errors otherwise
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
    if (error instanceof SyntaxError) throw new Error(`${file} holds no JSON; delete it to start afresh`, { cause: error });
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
