/** What a run has started, for the test that ends it. */
export interface Started {
  /** A process without the run's environment, and one that another started. */
  pids: number[];
  /** Address of a database of the run. */
  database: string | undefined;
}
