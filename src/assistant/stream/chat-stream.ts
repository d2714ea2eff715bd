/** A run of the assistant, as one client reads it. Ending the reading leaves the run as it is. */
export interface ChatStream {
  /** Batches of UI message chunks, each as JSON, from the first one on until the run ends. */
  read(signal: AbortSignal): AsyncIterable<readonly string[]>;
  /** Stops the run, on whichever replica it is. */
  cancel(): Promise<void>;
}
