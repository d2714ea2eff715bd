export type Phase = 'before' | 'after';

/** A point at which a process can be killed: around a request to a provider, or around a write that Postgres commits. */
export interface Step {
  /** `database commit`, `workspace /token` … */
  at: string;
  phase: Phase;
}

/** What happens to the message that waits at a step: it is forwarded, or lost. */
export type Fate = 'go on' | 'lost';

/**
 * Where the database proxy and the emulated providers report each step of an operation, and wait.
 * Either all steps are recorded, or the n-th step is the last one.
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

  /** Calls `strike` at the n-th step from now, 0 being the first; the message that waits there is lost. @returns as {@link record} */
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
