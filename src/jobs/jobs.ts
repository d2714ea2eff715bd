import { PgBoss } from 'pg-boss';
import type { Clock, Timer } from '../clock/clock.ts';
import { withContext } from '../observability/log-context.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import { type ThrottledLog, throttledLog } from '../observability/throttled-log.ts';

/** Runs one statement for the queue, outside the service's transactions. */
export type ExecuteSql = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;

export interface JobsOptions {
  executeSql: ExecuteSql;
  embedded: boolean;
  /** Sends the jobs of every minute. The library waits and dates by clocks of its own: the machine's and the database's. */
  clock: Clock;
  logger: Logger;
  telemetry: Telemetry;
  /** How often each worker polls; at least 0.5. */
  pollSeconds?: number | undefined;
}

export interface QueueOptions {
  /** Pause before the first retry, seconds; doubles with jitter up to `retryMaxSeconds`. */
  retrySeconds: number;
  retryMaxSeconds: number;
  /** How long a job is retried in total, seconds. */
  keepSeconds: number;
}

const RETRIES = 1_000;
const POLL_SECONDS = 2;
/** Concurrent jobs of a queue. After a full batch, the next one is fetched immediately. */
const BATCH = 10;
const MINUTE_SECONDS = 60;

/**
 * The job queue (pg-boss), on the service's own pool. Finished jobs keep their data, so jobs contain ids only. Jobs are
 * never sent inside a transaction: pg-boss reads its cache on another connection, which hangs on the embedded database.
 */
export class Jobs {
  readonly #boss: PgBoss;
  readonly #options: JobsOptions;
  readonly #pollSeconds: number;
  readonly #minutes: Timer[] = [];
  /** Every worker polls every 2 seconds; while the database is unavailable, one line per minute is enough. */
  readonly #warn: ThrottledLog;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#pollSeconds = options.pollSeconds ?? POLL_SECONDS;
    this.#warn = throttledLog(options.clock, options.logger, 'warn');
    this.#boss = new PgBoss({
      db: { executeSql: options.executeSql },
      backend: options.embedded ? 'pglite' : 'postgres',
      // Reindexing and vacuum are the operator's task.
      reindex: false,
      monitorVacuum: false,
      // Its schedules load ICU: 8 MB of resident memory for a job that runs every minute.
      schedule: false,
    });
    this.#boss.on('error', (error) => this.#report(error));
  }

  /**
   * Installs or updates the queue's schema.
   *
   * @throws the driver's error also when another replica has just created the schema; it can be called again
   */
  async start(): Promise<void> {
    await this.#boss.start();
  }

  /**
   * Defines a queue and its worker. Each id has at most one queued or running job.
   *
   * @returns sends an id to the queue
   */
  async work(name: string, options: QueueOptions, handle: (id: string) => Promise<void>): Promise<(id: string) => Promise<void>> {
    const settings = {
      retryLimit: RETRIES,
      retryDelay: options.retrySeconds,
      retryBackoff: true,
      retryDelayMax: options.retryMaxSeconds,
      retentionSeconds: options.keepSeconds,
      expireInSeconds: 60,
    };
    await this.#boss.createQueue(name, { policy: 'exclusive', ...settings });
    await this.#boss.updateQueue(name, settings);
    const batches = { pollingIntervalSeconds: this.#pollSeconds, batchSize: BATCH, burstWhenBatchFull: true, perJobResults: true } as const;
    const worker = await this.#boss.work<{ id: string }>(name, batches, (jobs) =>
      Promise.all(
        jobs.map(async (job) => ({
          id: job.id,
          status: (await this.#try(name, job.id, () => handle(job.data.id))) ? 'completed' : 'failed',
        })),
      ),
    );
    return async (id) => {
      await this.#boss.send(name, { id }, { singletonKey: id });
      // Runs the job now; the poll is for jobs that other processes send.
      this.#boss.notifyWorker(worker);
    };
  }

  /** Runs `handle` once a minute, on one replica: every replica sends the job, and the queue keeps one a minute. */
  async everyMinute(name: string, handle: () => Promise<void>): Promise<void> {
    await this.#boss.createQueue(name, { policy: 'exclusive', retryLimit: 0, expireInSeconds: 60 });
    await this.#boss.work(name, { pollingIntervalSeconds: this.#pollSeconds }, async ([job]) => {
      await this.#try(name, job?.id ?? '', handle);
    });
    const send = () => this.#boss.send(name, null, { singletonSeconds: MINUTE_SECONDS }).catch((error: unknown) => this.#report(error));
    this.#minutes.push(this.#options.clock.every(MINUTE_SECONDS * 1_000, () => void send()));
  }

  /** Waits for running jobs, then stops. */
  async stop(): Promise<void> {
    for (const timer of this.#minutes) timer.cancel();
    await this.#boss.stop({ graceful: true, close: false, timeout: 15_000 });
  }

  #report(error: unknown): void {
    // pg-boss reports a plain object with the message of the error that it caught.
    const { message } = error as { message?: unknown };
    const plain = error instanceof Error || typeof message !== 'string' ? error : new Error(message);
    this.#warn({ err: describeError(plain) }, 'the job queue reported an error');
  }

  /** Errors are only logged, not thrown, because pg-boss stores what a handler throws. @returns whether the job succeeded */
  async #try(name: string, id: string, work: () => Promise<void>): Promise<boolean> {
    return withContext({ job: name, job_id: id }, async () => {
      try {
        await this.#options.telemetry.step({ kind: 'job', name }, work);
        return true;
      } catch (error) {
        this.#options.logger.info({ err: describeError(error) }, 'job failed; it will be retried');
        return false;
      }
    });
  }
}
