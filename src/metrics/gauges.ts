import { Counter, Gauge, type Registry } from 'prom-client';
import type { LineCounts } from '../observability/logger.ts';
import type { DatabaseCounts } from './database-counts.ts';

/** What a scrape asks the service's parts; all but the last answer at once. */
export interface Sources {
  version: string;
  sockets(): { authenticated: number; waiting: number };
  pool(): { total: number; idle: number; waiting: number; max: number };
  /** Seconds since events were last read; 0 while nobody listens. */
  feedAge(): number;
  integrations(): { revision: string; isDiverged: boolean };
  /** Master keys held, the first wraps. */
  keyIds(): readonly string[];
  lines(): LineCounts;
  draining(): boolean;
  counts(): Promise<DatabaseCounts>;
}

type Value = [value: number, ...labels: string[]];

type Read = () => Value[] | Promise<Value[]>;
type Show = (name: string, help: string, labels: string[], read: Read) => void;

/** States of now, read at each scrape. */
export function registerGauges(registry: Registry, sources: Sources): void {
  const gauge: Show = (name, help, labelNames, read) => {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const values = await read();
        this.reset();
        // The library's reset leaves a 0 where there are no labels: what isn't known has to be absent.
        if (labelNames.length === 0) this.remove();
        for (const [value, ...labels] of values)
          this.set(Object.fromEntries(labelNames.map((label, index) => [label, labels[index] ?? ''])), value);
      },
    });
  };
  showProcess(gauge, sources);
  showParts(gauge, sources);
  showCounts(gauge, sources);
  new Counter({
    name: 'steward_log_lines_total',
    help: 'Lines logged that somebody should read',
    labelNames: ['level'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [level, lines] of Object.entries(sources.lines())) this.inc({ level }, lines);
    },
  });
}

function showProcess(gauge: Show, sources: Sources): void {
  gauge('steward_build_info', 'Always 1; the release and its Node', ['version', 'node'], () => [[1, sources.version, process.version]]);
  gauge('steward_clock_seconds', 'This machine’s clock, seconds since 1970', [], () => [[Date.now() / 1000]]);
  gauge('steward_draining', '1 while the service is stopping', [], () => [[Number(sources.draining())]]);
  gauge('steward_sockets', 'Open WebSockets, by state', ['state'], () => {
    const { authenticated, waiting } = sources.sockets();
    return [
      [authenticated, 'authenticated'],
      [waiting, 'waiting'],
    ];
  });
  gauge('steward_database_connections', 'Database connections of this process, by state', ['state'], () => {
    const { total, idle, max } = sources.pool();
    return [
      [total - idle, 'used'],
      [idle, 'idle'],
      [max, 'max'],
    ];
  });
  gauge('steward_database_waiting', 'Requests that wait for a database connection', [], () => [[sources.pool().waiting]]);
}

function showParts(gauge: Show, sources: Sources): void {
  gauge('steward_events_feed_age_seconds', 'Since events were last read for the sockets here', [], () => [[sources.feedAge()]]);
  gauge('steward_integrations_info', 'Always 1; the revision of the integrations in force', ['revision'], () => [
    [1, sources.integrations().revision],
  ]);
  gauge('steward_integrations_diverged', '1 when another replica has read another file', [], () => [
    [Number(sources.integrations().isDiverged)],
  ]);
  gauge('steward_keys_held', 'Master keys that this process holds', ['key', 'role'], () =>
    sources.keyIds().map((id, index) => [1, id, index === 0 ? 'primary' : 'other']),
  );
}

function showCounts(gauge: Show, sources: Sources): void {
  // One answer of the database for all gauges of a scrape.
  const counted = async (values: (counts: DatabaseCounts) => Value[]) => values(await sources.counts());
  gauge('steward_database_up', '1 when the database answers', [], () => counted(({ up }) => [[Number(up)]]));
  gauge('steward_database_writable', '1 when the database takes writes', [], () => counted(({ writable }) => [[Number(writable)]]));
  gauge('steward_keyed_rows', 'Rows under each master key, at most 100000 of each kind are counted', ['key', 'kind'], () =>
    counted(({ keyed }) =>
      keyed.flatMap(({ keyId, userKeys, revocations }): Value[] => [
        [userKeys, keyId, 'user_key'],
        [revocations, keyId, 'revocation'],
      ]),
    ),
  );
  gauge('steward_revocations_waiting', 'Tokens that their provider has not confirmed to be revoked', [], () =>
    counted(({ revocations }) => (revocations === undefined ? [] : [[revocations.waiting]])),
  );
  gauge('steward_revocations_oldest_seconds', 'Age of the oldest of them', [], () =>
    counted(({ revocations }) => (revocations === undefined ? [] : [[revocations.oldest]])),
  );
  gauge('steward_revocations_unconfirmed', 'Tokens given up after 7 days; they may still work', [], () =>
    counted(({ revocations }) => (revocations === undefined ? [] : [[revocations.unconfirmed]])),
  );
  gauge('steward_erasures_open', 'Deleted users of whom rows are left', [], () =>
    counted(({ erasures }) => (erasures === undefined ? [] : [[erasures.open]])),
  );
  gauge('steward_erasures_oldest_seconds', 'Since the oldest of these deletions', [], () =>
    counted(({ erasures }) => (erasures === undefined ? [] : [[erasures.oldest]])),
  );
  gauge('steward_accounts_attention', 'Accounts whose users have to do something, by status', ['provider', 'status'], () =>
    counted(({ attention }) => attention.map(({ provider, status, accounts }) => [accounts, provider, status])),
  );
  gauge('steward_jobs_waiting', 'Jobs that wait, be it for another try', ['queue'], () =>
    counted(({ jobs }) => jobs.map(({ queue, waiting }) => [waiting, queue])),
  );
  gauge('steward_jobs_overdue_seconds', 'How long the job longest due has waited for a worker', ['queue'], () =>
    counted(({ jobs }) => jobs.map(({ queue, overdue }) => [overdue, queue])),
  );
}
