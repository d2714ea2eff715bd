import { z } from 'zod';
import { identifier } from '../../providers/shared/provider-text.ts';
import type { ReadableRows } from '../../providers/transport/response-list.ts';
import { optional, type providerTransaction } from './bank-schemas.ts';

type Transaction = z.output<typeof providerTransaction>;
type Removal = z.output<typeof providerRemoval>;

export const providerRemoval = z
  .object({ transaction_id: identifier, account_id: optional(identifier) })
  .transform(({ transaction_id: id, account_id: account }) => ({ id, account }));

export interface Changes {
  added: Transaction[];
  modified: Transaction[];
  removed: Removal[];
  /** Number of changes that could not be read. */
  unreadable: number;
}

type ChangesPage = Record<'added' | 'modified', ReadableRows<Transaction>> & { removed: ReadableRows<Removal> };

/**
 * What the changes of several pages come to: no list has a transaction twice, and one that was removed is not also there as
 * added or modified, or the other way round. What was added and then modified is in both lists, as readers apply them.
 */
export class NetChanges {
  readonly #added = new Map<string, Transaction>();
  readonly #modified = new Map<string, Transaction>();
  readonly #removed = new Map<string, Removal>();
  #unreadable = 0;

  /** Within a page, changes count in the order of its lists. @returns the number of all changes */
  add({ added, modified, removed }: ChangesPage): number {
    for (const row of added.rows) this.#there(this.#added, row);
    for (const row of modified.rows) this.#there(this.#modified, row);
    for (const row of removed.rows) {
      this.#added.delete(row.id);
      this.#modified.delete(row.id);
      this.#removed.set(row.id, row);
    }
    this.#unreadable += added.unreadable + modified.unreadable + removed.unreadable;
    return this.#added.size + this.#modified.size + this.#removed.size;
  }

  all(): Changes {
    const lists = { added: [...this.#added.values()], modified: [...this.#modified.values()], removed: [...this.#removed.values()] };
    return { ...lists, unreadable: this.#unreadable };
  }

  #there(list: Map<string, Transaction>, row: Transaction): void {
    this.#removed.delete(row.id);
    list.set(row.id, row);
  }
}
