import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from '../stage.ts';
import type { Replica } from './replica.ts';
import type { Row } from './table.ts';

/** Coarse on purpose: caches fill and garbage is collected late. A leak of each fault's connections is far above. */
const MEMORY_MB = 150;
const FILES = 40;
const CONNECTIONS = 25;
const REST_MS = 1_500;

/** What processes use after the first fault, when every module is loaded, compared with after the last. */
export class Resources {
  readonly #stage: Stage;
  #before: ReturnType<Replica['usage']>[] | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Counts from the first call. */
  begin(): void {
    this.#before ??= this.#usage();
  }

  async compare(part: string): Promise<Row> {
    await sleep(REST_MS);
    const lost: string[] = [];
    const after = this.#usage();
    const before = this.#before ?? after;
    for (const [index, now] of after.entries()) {
      const then = before[index] ?? now;
      if (now.memory - then.memory > MEMORY_MB) lost.push(`memory grew from ${then.memory} to ${now.memory} MB`);
      if (now.files - then.files > FILES) lost.push(`open files grew from ${then.files} to ${now.files}`);
    }
    const open = await this.#stage.world.sql('select from pg_stat_activity where datname = current_database()');
    if (open.length > CONNECTIONS) lost.push(`${open.length} database connections are open`);
    const figures = after.map(
      ({ memory, files }, index) => `${before[index]?.memory}→${memory} MB, ${before[index]?.files}→${files} files`,
    );
    const count = after.length;
    return { fault: `all of ${part}`, moment: figures.join('; '), tried: count, answered: count, documented: [], lost };
  }

  #usage() {
    return this.#stage.replicas.map((replica) => replica.usage());
  }
}
