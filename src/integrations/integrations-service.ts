import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { type Integrations, IntegrationsError, readIntegrations } from './integrations-file.ts';

/** Between the starts of two reloads. */
const INTERVAL_MS = 1_000;

/** Holds the integrations in force and reads them again on request. */
export class IntegrationsService {
  readonly #path: string;
  readonly #logger: Logger;
  #current: Integrations;
  #running: Promise<void> | undefined;
  #waiting: Promise<void> | undefined;
  #runs = 0;
  #startedAt = Number.NEGATIVE_INFINITY;

  private constructor(path: string, logger: Logger, current: Integrations) {
    this.#path = path;
    this.#logger = logger;
    this.#current = current;
  }

  /** @throws IntegrationsError when the file can't be read or is not valid: there is nothing to fall back on at start */
  static async load(path: string, logger: Logger): Promise<IntegrationsService> {
    return new IntegrationsService(path, logger, await readIntegrations(path));
  }

  /** A snapshot: a reload puts another object here and leaves this one alone. */
  get current(): Integrations {
    return this.#current;
  }

  /** How often the file was read again. */
  get runs(): number {
    return this.#runs;
  }

  /**
   * Reads the file again. Anyone may ask, so at most one reload runs and one waits, and a second has at most
   * one of them; all further requests share the waiting one, which begins after they came and so sees what
   * they want seen.
   *
   * @throws AppError `invalid_configuration`; the previous integrations stay in force and the log has the problems
   */
  reload(): Promise<void> {
    if (this.#waiting !== undefined) return this.#waiting;
    const pause = Math.max(0, this.#startedAt + INTERVAL_MS - performance.now());
    if (this.#running === undefined && pause === 0) return this.#start();
    this.#waiting = this.#afterwards(pause);
    return this.#waiting;
  }

  async #afterwards(pause: number): Promise<void> {
    await this.#running?.catch(() => {});
    await sleep(pause);
    this.#waiting = undefined;
    await this.#start();
  }

  #start(): Promise<void> {
    this.#startedAt = performance.now();
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    this.#runs++;
    try {
      this.#current = await readIntegrations(this.#path);
      this.#logger.info({ revision: this.#current.revision }, 'integrations read again');
    } catch (cause) {
      if (!(cause instanceof IntegrationsError)) throw cause;
      this.#logger.warn({ problems: cause.problems }, 'the integrations file is not valid; the previous one stays in force');
      throw new AppError('invalid_configuration', 'The integrations file is not valid; the previous one stays in force.', { cause });
    }
  }
}
