import type { Cluster } from './support/cluster.ts';
import type { Random } from './support/random.ts';
import type { Row } from './support/table.ts';

/** The context of the suite's parts. */
export interface Suite {
  random: Random;
  rounds: number;
  cluster: Cluster;
  /** Whether a fault was selected, by its name or its part's. */
  wants(name: string): boolean;
  /** Adds a finished row. */
  report(row: Row): void;
  /** Work that is awaited before the table is printed. */
  later(work: Promise<void>): void;
  say(text: string): void;
}

export type Part = (suite: Suite) => Promise<void>;
