/** What a run has started, for the test that ends it. */
export interface Started {
  /** A process without the run's environment, and one that another started. */
  pids: number[];
  /** A database of the run, and the run's number. */
  database: { name: string; run: number } | undefined;
}
