const WIDTH = 30;
/** Without a terminal, one line is printed for each tenth. */
const PARTS = 10;

/** Where progress goes: standard error, so that standard output holds results only. */
export type ProgressTarget = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;

/** The progress of a long command: a bar on a terminal, plain lines elsewhere. */
export class Progress {
  readonly #label: string;
  readonly #target: ProgressTarget;
  #total: number;
  #done = 0;
  #printed = 0;

  /** @param total an estimate; it grows when more is done */
  constructor(label: string, total: number, target: ProgressTarget = process.stderr) {
    this.#label = label;
    this.#total = total;
    this.#target = target;
    this.#draw();
  }

  advance(by: number): void {
    this.#done += by;
    this.#total = Math.max(this.#total, this.#done);
    this.#draw();
  }

  /** Prints the final state. @param isAll the total was an estimate: what was done is all */
  end(isAll = false): void {
    if (isAll) this.#total = this.#done;
    if (this.#target.isTTY) this.#target.write(`\r${this.#bar()}\u001b[K\n`);
    else if (this.#printed < this.#done) this.#line();
  }

  #draw(): void {
    if (this.#target.isTTY) this.#target.write(`\r${this.#bar()}\u001b[K`);
    else if (this.#done - this.#printed >= this.#total / PARTS && this.#done > 0) this.#line();
  }

  #line(): void {
    this.#printed = this.#done;
    this.#target.write(`${this.#label}: ${this.#done} of ${this.#total}\n`);
  }

  #bar(): string {
    const share = this.#total === 0 ? 1 : this.#done / this.#total;
    const full = Math.round(share * WIDTH);
    return `${this.#label} [${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${this.#done} of ${this.#total}`;
  }
}
