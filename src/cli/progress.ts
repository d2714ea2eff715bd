const WIDTH = 30;
/** Where nobody watches, a line for each of so many parts. */
const PARTS = 10;

/** Where progress goes: standard error, so that standard output holds results only. */
export type ProgressTarget = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;

/** How far a long command has come: a bar on a terminal, plain lines anywhere else. */
export class Progress {
  readonly #label: string;
  readonly #target: ProgressTarget;
  #total: number;
  #done = 0;
  #told = 0;

  /** @param total of whatever is counted; grows when more turns out to be done */
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

  /** Leaves the last state on the screen. @param isAll what was done is all there was, whatever was expected */
  end(isAll = false): void {
    if (isAll) this.#total = this.#done;
    if (this.#target.isTTY) this.#target.write(`\r${this.#bar()}\u001b[K\n`);
    else if (this.#told < this.#done) this.#line();
  }

  #draw(): void {
    if (this.#target.isTTY) this.#target.write(`\r${this.#bar()}\u001b[K`);
    else if (this.#done - this.#told >= this.#total / PARTS && this.#done > 0) this.#line();
  }

  #line(): void {
    this.#told = this.#done;
    this.#target.write(`${this.#label}: ${this.#done} of ${this.#total}\n`);
  }

  #bar(): string {
    const share = this.#total === 0 ? 1 : this.#done / this.#total;
    const full = Math.round(share * WIDTH);
    return `${this.#label} [${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${this.#done} of ${this.#total}`;
  }
}
