import type { TestSteward } from '../steward.ts';

/** The address of a service's metrics, from its log. */
export function metricsUrl(steward: Pick<TestSteward, 'logs'>): string {
  const line = steward.logs.map((text) => JSON.parse(text)).find(({ msg }) => msg === 'metrics are served');
  if (line === undefined) throw new Error('no metrics are served');
  return line.address;
}

export class Scrape {
  readonly text: string;
  readonly #samples = new Map<string, number>();

  constructor(text: string) {
    this.text = text;
    for (const line of text.split('\n')) {
      const [, name, value] = /^([a-z_]+(?:\{.*\})?) (\S+)$/i.exec(line) ?? [];
      if (name !== undefined) this.#samples.set(name, Number(value));
    }
  }

  static async of(url: string): Promise<Scrape> {
    const response = await fetch(url);
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return new Scrape(await response.text());
  }

  /** One sample by its full name with its labels in order; undefined if there is none. */
  value(name: string): number | undefined {
    return this.#samples.get(name);
  }

  /** Names of all metrics, without the suffixes of histograms. */
  get names(): string[] {
    return [...this.text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
  }

  /** Values that a label has anywhere. */
  labelValues(label: string): string[] {
    return [...new Set([...this.text.matchAll(new RegExp(`[{,]${label}="([^"]*)"`, 'g'))].map(([, value = '']) => value))].toSorted();
  }
}
