import type { CallSignal } from '../../executor/call/call.ts';

/** Aborts one request. In place of an AbortController, of which most requests use nothing and each would create an event target. */
export class RequestSignal implements CallSignal {
  aborted = false;
  readonly #listeners: (() => void)[] = [];

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const place = this.#listeners.indexOf(listener);
    if (place !== -1) this.#listeners.splice(place, 1);
  }

  /** Each listener is called once. */
  abort(): void {
    this.aborted = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}
