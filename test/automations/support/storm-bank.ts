import type { Random } from '../../faults/support/random.ts';
import type { ScriptedResponse } from '../../support/servers/scripted-server.ts';

interface Change {
  kind: 'added' | 'modified' | 'removed';
  row: Record<string, unknown>;
}

/** The transactions of a bank item, with changes as of /transactions/sync. */
export class StormBank {
  readonly #random: Random;
  readonly #now: () => number;
  readonly #changes: Change[] = [];
  /** Raised when cursors end. */
  #generation = 0;

  constructor(random: Random, now: () => number) {
    this.#random = random;
    this.#now = now;
  }

  pay(id: string, pendingId: string | null, isPending: boolean): void {
    if (pendingId !== null) this.#changes.push({ kind: 'removed', row: { transaction_id: pendingId, account_id: 'a1' } });
    this.#changes.push({ kind: 'added', row: this.#row(id, pendingId, isPending) });
    if (this.#random.next() < 0.1) this.#changes.push({ kind: 'modified', row: this.#row(id, pendingId, isPending) });
  }

  /** Cursors so far are no longer known. */
  end(): void {
    this.#generation += 1;
  }

  sync({ cursor = '', count }: { cursor?: string; count: number }): ScriptedResponse {
    const [generation, start = 0] = cursor === '' ? [this.#generation, 0] : cursor.split('-').map(Number);
    if (generation !== this.#generation) return { status: 400, body: { error_type: 'INVALID_INPUT', error_code: 'INVALID_FIELD' } };
    const end = Math.min(start + Math.min(count, 9), this.#changes.length);
    const page = this.#changes.slice(start, end);
    const rows = (kind: Change['kind']) => page.filter((change) => change.kind === kind).map(({ row }) => row);
    const more = end < this.#changes.length;
    const lists = { added: this.#shaken(rows('added')), modified: rows('modified'), removed: rows('removed') };
    return { body: { ...lists, next_cursor: `${this.#generation}-${end}`, has_more: more, request_id: 'storm', accounts: [] } };
  }

  #row(id: string, pendingId: string | null, isPending: boolean): Record<string, unknown> {
    const date = new Date(this.#now()).toISOString().slice(0, 10);
    const shown = { name: 'Atelier Nord', merchant_name: 'Atelier Nord', iso_currency_code: 'EUR', payment_channel: 'online' };
    return { transaction_id: id, pending_transaction_id: pendingId, account_id: 'a1', amount: 12.5, date, pending: isPending, ...shown };
  }

  #shaken<Row>(rows: Row[]): Row[] {
    const repeated = rows.flatMap((row) => (this.#random.next() < 0.15 ? [row, row] : [row]));
    return this.#random.next() < 0.3 ? repeated.reverse() : repeated;
  }
}
