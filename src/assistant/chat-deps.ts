import type { Clock } from '../clock/clock.ts';
import type { Polls } from '../clock/polls.ts';
import type { Config, ModelSettings } from '../config/config.ts';
import type { Database, Queryable } from '../database/database.ts';
import type { Executor } from '../executor/executor.ts';
import type { Catalog } from '../integrations/catalog.ts';
import type { Logger } from '../observability/logger.ts';
import type { Providers } from '../providers/open-providers.ts';
import type { UserKeys } from '../vault/keys/user-keys.ts';
import type { RunIdentity } from './runs/run.ts';
import type { RunStatus } from './runs/runs-repository.ts';
import type { Threads } from './threads/threads.ts';

export interface ChatDeps {
  db: Database;
  clock: Clock;
  polls: Polls;
  userKeys: UserKeys;
  threads: Threads;
  executor: Pick<Executor, 'invoke' | 'refuse' | 'outcome' | 'accounts' | 'threadGrant'>;
  catalog(): Catalog;
  providers: Providers;
  /** The default one first; none: chat is disabled. */
  models: readonly ModelSettings[];
  config: Pick<Config, 'limits' | 'modelBudget'>;
  logger: Logger;
  /** Told within the transaction that ends a run. @param error a code of errors */
  runEnded(tx: Queryable, run: RunIdentity, status: Exclude<RunStatus, 'running'>, error: string | null): Promise<void>;
}
