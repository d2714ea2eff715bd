import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import { boundedMap } from '../rate-limit/bounded-map.ts';

interface State {
  /** Name of the server in the integrations file. */
  source: string;
  /** One after the other, without a success. */
  failures: number;
  /** Monotonic. Until then nothing is sent; later one call tries. */
  openUntil: number;
  isTrying: boolean;
}

const FAILURES = 5;
const OPEN_MS = 30_000;
/** Servers that fail at the moment, of all users; beyond it, the oldest are forgotten. */
const MOST = 10_000;

/** Sends nothing more to a server that fails, for a while: whoever waits for it would only wait. */
export class Circuits {
  readonly #clock: Clock;
  readonly #states = boundedMap<State>(MOST);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Connections on which nothing is sent at the moment: how many, by source. */
  get open(): ReadonlyMap<string, number> {
    const now = this.#clock.monotonic();
    const isOpen = ({ failures, openUntil }: State) => failures >= FAILURES && openUntil > now;
    const open = Map.groupBy([...this.#states.values()].filter(isOpen), ({ source }) => source);
    return new Map([...open].map(([source, states]) => [source, states.length]));
  }

  /**
   * @param key the circuit
   * @param isFailure whether an error says that the server does not work
   * @throws AppError `unavailable` while the circuit is open
   */
  async run<Result>(
    { key, source }: { key: string; source: string },
    work: () => Promise<Result>,
    isFailure: (error: unknown) => boolean,
  ): Promise<Result> {
    const state = this.#states.get(key);
    if (state !== undefined && state.failures >= FAILURES) this.#try(state);
    try {
      const result = await work();
      this.#states.delete(key);
      return result;
    } catch (error) {
      if (isFailure(error)) this.#failed(key, source);
      else if (state !== undefined) state.isTrying = false;
      throw error;
    }
  }

  #try(state: State): void {
    const left = state.openUntil - this.#clock.monotonic();
    if (left > 0 || state.isTrying) {
      throw new AppError('unavailable', 'The server has failed several times. It is tried again in a moment.', {
        retryAfter: Math.max(1, Math.ceil(left / 1000)),
      });
    }
    state.isTrying = true;
  }

  #failed(key: string, source: string): void {
    const failures = (this.#states.get(key)?.failures ?? 0) + 1;
    this.#states.set(key, { source, failures, openUntil: this.#clock.monotonic() + OPEN_MS, isTrying: false });
  }
}
