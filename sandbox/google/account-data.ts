import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Controls } from '../controls.ts';
import { openStore, type Store } from '../store.ts';
import type { Account } from '../workspace-accounts.ts';
import type { SandboxApi } from './api-method.ts';

export interface AccountDataOptions {
  /** Folder of the accounts' data. */
  directory: string;
  controls: Controls;
}

/** The data that each API has of each account, in one file each. */
export class AccountData {
  readonly #options: AccountDataOptions;
  readonly #stores = new Map<string, Store<unknown>>();

  constructor(options: AccountDataOptions) {
    this.#options = options;
  }

  /** The data of an account, for reading. Created on first use. */
  read<State>(api: SandboxApi<State>, account: Account): State {
    return this.#store(api, account).state;
  }

  /** Changes the data of an account, notes what has changed for those who ask for changes, and saves it. */
  change<State, Result>(api: SandboxApi<State>, account: Account, make: (state: State, now: number) => Result): Result {
    const store = this.#store(api, account);
    const now = this.#options.controls.now();
    const note = api.watch?.(store.state);
    const result = make(store.state, now);
    note?.(now);
    store.save();
    return result;
  }

  #store<State>(api: SandboxApi<State>, account: Account): Store<State> {
    // Addresses are user input, so they are not used as file names.
    const owner = createHash('sha256').update(account.sub).digest('hex').slice(0, 20);
    const name = `${api.store ?? api.name}-${owner}`;
    const known = this.#stores.get(name);
    if (known !== undefined) return known as Store<State>;
    const file = join(this.#options.directory, `${name}.json`);
    const store = openStore(file, () => api.seed(account, this.#options.controls.now()));
    this.#stores.set(name, store);
    return store;
  }
}
