import type { AppError } from '../errors.ts';

/** Aborts a run. The signal is created on first use, because most runs never need it. */
export class RunAbort {
  #controller: AbortController | undefined;
  #reason: AppError | undefined;

  get isAborted(): boolean {
    return this.#reason !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Only the first reason counts. */
  abort(reason: AppError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}
