import type { Clock } from '../../clock/clock.ts';
import { Coalescer } from '../../concurrency/coalescer.ts';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { type Telemetry, UNMEASURED } from '../../observability/telemetry.ts';
import type { Catalog } from '../catalog.ts';
import { IntegrationsError, type IntegrationsFormat } from '../file/integrations-file.ts';
import { integrationsReader } from '../file/integrations-reader.ts';

/** Minimum between the starts of two reloads. */
const INTERVAL_MS = 1_000;

/** Holds the integrations in force and reads them again on request. */
export class IntegrationsService {
  readonly #read: () => Promise<Catalog>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #telemetry: Telemetry;
  readonly #reloads: Coalescer<void>;
  readonly #listeners: ((current: Catalog) => void)[] = [];
  #current: Catalog;
  #runs = 0;
  /** Of the file as it was read last, unless it is in force. */
  #rejected: IntegrationsError | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;

  private constructor(read: () => Promise<Catalog>, clock: Clock, logger: Logger, telemetry: Telemetry, current: Catalog) {
    this.#read = read;
    this.#clock = clock;
    this.#reloads = new Coalescer(clock);
    this.#logger = logger;
    this.#telemetry = telemetry;
    this.#current = current;
  }

  /** @throws IntegrationsError when the file can't be read or is not valid */
  static async load(
    path: string,
    format: IntegrationsFormat<Catalog>,
    clock: Clock,
    logger: Logger,
    telemetry: Telemetry = UNMEASURED,
  ): Promise<IntegrationsService> {
    const read = integrationsReader(path, format);
    return new IntegrationsService(read, clock, logger, telemetry, await read());
  }

  /** Immutable: a reload replaces it with another object. */
  get current(): Catalog {
    return this.#current;
  }

  /** What is wrong with the file as it was read last; undefined: nothing, it is in force. */
  get rejected(): Pick<IntegrationsError, 'problems' | 'more'> | undefined {
    return this.#rejected;
  }

  /** Calls `listener` after every reload with another revision. */
  onChange(listener: (current: Catalog) => void): void {
    this.#listeners.push(listener);
  }

  /** Number of reloads. */
  get runs(): number {
    return this.#runs;
  }

  /**
   * Reads the file again. Any client may request it, so requests are combined and reloads begin at least a second
   * apart.
   *
   * @throws AppError `invalid_configuration`; the previous integrations stay in force and the log has the problems
   */
  reload(): Promise<void> {
    return this.#reloads.run('file', () => this.#run(), this.#startedAt + INTERVAL_MS - this.#clock.monotonic());
  }

  async #run(): Promise<void> {
    this.#startedAt = this.#clock.monotonic();
    this.#runs++;
    try {
      const before = this.#current.revision;
      this.#current = await this.#read();
      this.#rejected = undefined;
      this.#telemetry.count('reload', 'ok');
      this.#logger.info({ revision: this.#current.revision }, 'integrations read again');
      if (this.#current.revision !== before) for (const listener of this.#listeners) listener(this.#current);
    } catch (cause) {
      if (!(cause instanceof IntegrationsError)) throw cause;
      this.#telemetry.count('reload', 'invalid');
      this.#rejected = cause;
      const { problems, more } = cause;
      this.#logger.warn({ problems, ...(more > 0 && { more }) }, 'the integrations file is not valid; the previous one stays in force');
      throw new AppError('invalid_configuration', 'The integrations file is not valid; the previous one stays in force.', { cause });
    }
  }
}
