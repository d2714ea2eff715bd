/** Times and failures of one kind of request. */
export class Latencies {
  readonly milliseconds: number[] = [];
  errors = 0;
  /** The first failure, as text. */
  firstError: string | undefined;

  answered(milliseconds: number): void {
    this.milliseconds.push(milliseconds);
  }

  failed(reason: string): void {
    this.errors += 1;
    this.firstError ??= reason;
  }
}

/** Nearest-rank percentile; NaN of no values. @param share from 0 to 1 */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? Number.NaN;
}
