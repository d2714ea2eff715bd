/** Ends the requests of a session. Most need only to be told: an AbortSignal for each would be an event target, and an event at its end. */
export interface RunSignal {
  readonly aborted: boolean;
  /** For what takes no less. */
  readonly signal: AbortSignal;
  /** @param listener called once; must not throw */
  onAbort(listener: () => void): void;
  offAbort(listener: () => void): void;
}

/** An AbortSignal as a {@link RunSignal}. */
export function runSignal(signal: AbortSignal): RunSignal {
  return {
    get aborted() {
      return signal.aborted;
    },
    signal,
    onAbort: (listener) => signal.addEventListener('abort', listener, { once: true }),
    offAbort: (listener) => signal.removeEventListener('abort', listener),
  };
}
