import type { AppError } from '../../errors.ts';
import type { RunSignal } from '../../providers/transport/run-signal.ts';

/** Aborts a run. An AbortSignal is created on first use, because most runs never need one. */
export class RunAbort implements RunSignal {
  #controller: AbortController | undefined;
  #reason: AppError | undefined;
  readonly #listeners: (() => void)[] = [];

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  onAbort(listener: () => void): void {
    this.#listeners.push(listener);
  }

  offAbort(listener: () => void): void {
    const place = this.#listeners.indexOf(listener);
    if (place !== -1) this.#listeners.splice(place, 1);
  }

  /** Only the first reason counts. */
  abort(reason: AppError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const listener of this.#listeners.splice(0)) listener();
    this.#controller?.abort(reason);
  }
}
