const WIDTH = 30;
/** Without a terminal, one line is printed for each tenth. */
const PARTS = 10;

/** The progress of a long command on standard error, so that standard output holds results only: a bar, or lines without a terminal. */
export class Progress {
  readonly #label: string;
  #total: number;
  #done = 0;
  #printed = 0;

  /** @param total an estimate; it grows when more is done */
  constructor(label: string, total: number) {
    this.#label = label;
    this.#total = total;
    this.#print(false);
  }

  advance(by: number): void {
    this.#done += by;
    this.#total = Math.max(this.#total, this.#done);
    this.#print(false);
  }

  /** Prints the final state. @param isAll the total was an estimate: what was done is all */
  end(isAll = false): void {
    if (isAll) this.#total = this.#done;
    this.#print(true);
  }

  #print(isEnd: boolean): void {
    const state = `${this.#done} of ${this.#total}`;
    if (process.stderr.isTTY) {
      const full = Math.round((this.#total === 0 ? 1 : this.#done / this.#total) * WIDTH);
      const bar = `${this.#label} [${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${state}`;
      process.stderr.write(`\r${bar}\u001b[K${isEnd ? '\n' : ''}`);
      return;
    }
    const fresh = this.#done - this.#printed;
    if (fresh === 0 || (!isEnd && fresh < this.#total / PARTS)) return;
    this.#printed = this.#done;
    process.stderr.write(`${this.#label}: ${state}\n`);
  }
}
