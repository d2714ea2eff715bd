import { Histogram, type Registry } from 'prom-client';

/** Combinations of label values; further ones are counted as `other`. */
const SERIES_MAX = 2_000;
const OTHER = 'other';
/** Names in the code have this form; an address or a sentence doesn't. */
const NAME = /^[\w.:/{}*-]{1,100}$/;

/** Values of the labels, in their order; undefined: the series does not have the label. */
type Values = readonly (string | undefined)[];
type Labels = Readonly<Record<string, string>>;

/** A histogram whose number of series is bounded, whatever label values it is given. */
export class BoundedHistogram {
  readonly #histogram: Histogram;
  readonly #labelNames: string[];
  readonly #series = new Map<string, Labels>();

  /** @param bounds seconds, ascending */
  constructor(registry: Registry, name: string, help: string, labelNames: string[], bounds: number[]) {
    this.#histogram = new Histogram({ name, help, labelNames, buckets: bounds, registers: [registry] });
    this.#labelNames = labelNames;
  }

  observe(seconds: number, ...values: Values): void {
    this.#histogram.observe(this.#bounded(values), seconds);
  }

  /** Adds a series without observations. */
  addSeries(...values: Values): void {
    this.#histogram.zero(this.#bounded(values));
  }

  #bounded(values: Values): Labels {
    // No name contains a space.
    const series = values.join(' ');
    const known = this.#series.get(series);
    if (known !== undefined) return known;
    const isBounded = this.#series.size < SERIES_MAX && values.every((value) => value === undefined || NAME.test(value));
    if (!isBounded) return this.#labelled(values.map(() => OTHER));
    const labels = this.#labelled(values);
    this.#series.set(series, labels);
    return labels;
  }

  #labelled(values: Values): Labels {
    const given = this.#labelNames.flatMap((name, index) => (values[index] === undefined ? [] : [[name, values[index]]]));
    return Object.fromEntries(given);
  }
}
