import type { AppError } from '../errors.ts';

/** Whether a run is over, and why. Its signal is made for whoever asks: most of what a run does never waits. */
export class RunAbort {
  #controller: AbortController | undefined;
  #reason: AppError | undefined;

  get isOver(): boolean {
    return this.#reason !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** The first reason counts. */
  end(reason: AppError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}
