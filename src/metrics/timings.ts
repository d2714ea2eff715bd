import type { Metric, Registry } from 'prom-client';

interface Series {
  labels: Record<string, string>;
  /** How many fell below each bound and not below the one before it; the last is for what is above all. */
  counts: number[];
  sum: number;
}

interface Sample {
  metricName: string;
  labels: Record<string, string | number>;
  value: number;
}

/** So many combinations of labels; what would be one more is counted under the words below. */
const SERIES_MAX = 2_000;
const OTHER = 'other';
/** Only words of ours have this form: an address, a path or a sentence has not. */
const WORD = /^[\w.:/{}*-]{1,100}$/;

/**
 * A histogram of durations. The library's own builds a string of the labels for each observation, which costs more
 * than all else that is measured; here a series is found by the label values themselves.
 */
export class Timings {
  readonly #name: string;
  readonly #labelNames: readonly string[];
  readonly #bounds: readonly number[];
  /** By the value of each label in its turn. */
  readonly #tree = new Map<string, unknown>();
  readonly #series: Series[] = [];

  /** @param bounds seconds, ascending */
  constructor(registry: Registry, name: string, help: string, labelNames: readonly string[], bounds: readonly number[]) {
    this.#name = name;
    this.#labelNames = labelNames;
    this.#bounds = bounds;
    const metric = { name, get: async () => ({ name, help, type: 'histogram', values: this.#samples(), aggregator: 'sum' }) };
    // What the registry asks of a metric is its name and this method.
    registry.registerMetric(metric as unknown as Metric);
  }

  /** @param values of the labels, in their order */
  observe(seconds: number, ...values: string[]): void {
    const series = this.#find(values);
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1;
    series.counts[bucket] = (series.counts[bucket] as number) + 1;
    series.sum += seconds;
  }

  /** Has the series shown, with nothing observed as yet. */
  show(...values: string[]): void {
    this.#find(values);
  }

  #find(values: readonly string[]): Series {
    let node: Map<string, unknown> = this.#tree;
    const last = values.length - 1;
    for (let index = 0; index < last; index += 1) {
      const value = values[index] as string;
      const next = node.get(value) as Map<string, unknown> | undefined;
      if (next === undefined) return this.#add(values);
      node = next;
    }
    return (node.get(values[last] as string) as Series | undefined) ?? this.#add(values);
  }

  #add(given: readonly string[]): Series {
    const values = given.map((value) => (this.#series.length < SERIES_MAX && WORD.test(value) ? value : OTHER));
    if (values.some((value, index) => value !== given[index])) return this.#find(values.map(() => OTHER));
    let node: Map<string, unknown> = this.#tree;
    for (const value of values.slice(0, -1)) {
      const next = (node.get(value) as Map<string, unknown> | undefined) ?? new Map<string, unknown>();
      node.set(value, next);
      node = next;
    }
    const labels = Object.fromEntries(this.#labelNames.map((name, index) => [name, values[index] as string]));
    const series = { labels, counts: new Array<number>(this.#bounds.length + 1).fill(0), sum: 0 };
    node.set(values.at(-1) as string, series);
    this.#series.push(series);
    return series;
  }

  #samples(): Sample[] {
    return this.#series.flatMap(({ labels, counts, sum }) => {
      let below = 0;
      const buckets = counts.map((count, index) => {
        below += count;
        return { metricName: `${this.#name}_bucket`, labels: { ...labels, le: this.#bounds[index] ?? '+Inf' }, value: below };
      });
      return [
        ...buckets,
        { metricName: `${this.#name}_sum`, labels, value: sum },
        { metricName: `${this.#name}_count`, labels, value: below },
      ];
    });
  }
}
