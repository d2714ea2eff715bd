import { Histogram, type Registry } from 'prom-client';

/** Combinations of label values; further ones are counted as `other`. */
const SERIES_MAX = 2_000;
const OTHER = 'other';
/** Names in the code have this form; an address or a sentence doesn't. */
const NAME = /^[\w.:/{}*-]{1,100}$/;

/** A histogram whose number of series is bounded, whatever label values it is given. */
export class BoundedHistogram {
  readonly #histogram: Histogram;
  readonly #labelNames: string[];
  readonly #series = new Set<string>();

  /** @param bounds seconds, ascending */
  constructor(registry: Registry, name: string, help: string, labelNames: string[], bounds: number[]) {
    this.#histogram = new Histogram({ name, help, labelNames, buckets: bounds, registers: [registry] });
    this.#labelNames = labelNames;
  }

  /** @param values of the labels, in their order */
  observe(seconds: number, ...values: string[]): void {
    this.#histogram.labels(...this.#bounded(values)).observe(seconds);
  }

  /** Adds a series without observations. @param values of the labels, in their order */
  addSeries(...values: string[]): void {
    const bounded = this.#bounded(values);
    this.#histogram.zero(Object.fromEntries(this.#labelNames.map((name, index) => [name, bounded[index] ?? OTHER])));
  }

  #bounded(values: string[]): string[] {
    // No name contains a space.
    const series = values.join(' ');
    if (this.#series.has(series)) return values;
    if (this.#series.size >= SERIES_MAX || !values.every((value) => NAME.test(value))) return values.map(() => OTHER);
    this.#series.add(series);
    return values;
  }
}
