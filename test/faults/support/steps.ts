export type Phase = 'before' | 'after';

/** A moment at which a process can die: around a request to a provider, or around a write that Postgres makes last. */
export interface Step {
  /** `database commit`, `workspace /token` … */
  at: string;
  phase: Phase;
}

/** What becomes of the message that waits at a step: it goes on, or is lost. */
export type Fate = 'go on' | 'lost';

/**
 * Where the database proxy and the emulated providers report each step of an operation, and wait.
 * Either everything is written down, or the n-th step is the last that happens.
 */
export class Steps {
  /** Since the last call of {@link record}. */
  #passed: Step[] = [];
  #left = -1;
  #strike: ((step: Step) => Promise<void>) | undefined;

  /** @returns the list that fills while the operation runs */
  record(): Step[] {
    this.#strike = undefined;
    this.#passed = [];
    return this.#passed;
  }

  /** Calls `strike` at the n-th step from now, 0 being the first; whatever waits there is lost. @returns as {@link record} */
  strikeAt(index: number, strike: (step: Step) => Promise<void>): Step[] {
    const passed = this.record();
    this.#left = index;
    this.#strike = strike;
    return passed;
  }

  async pass(at: string, phase: Phase): Promise<Fate> {
    const step = { at, phase };
    this.#passed.push(step);
    if (this.#strike === undefined || this.#left-- > 0) return 'go on';
    const strike = this.#strike;
    this.#strike = undefined;
    await strike(step);
    return 'lost';
  }
}
