import { Counter, Gauge, type Registry } from 'prom-client';
import type { LineCounts } from '../observability/logger.ts';
import type { DatabaseCounts } from './database-counts.ts';

/** What a scrape reads from the service's parts; only `counts` queries the database. */
export interface Sources {
  /** Milliseconds since 1970. */
  now(): number;
  version: string;
  sockets(): { authenticated: number; waiting: number };
  pool(): { total: number; idle: number; waiting: number; max: number };
  /** Seconds since events were last read; 0 without listeners. */
  feedAge(): number;
  integrations(): { revision: string; isDiverged: boolean };
  /** Ids of the master keys, the one that wraps first. */
  keyIds(): readonly string[];
  lines(): LineCounts;
  draining(): boolean;
  counts(): Promise<DatabaseCounts>;
}

type Value = [value: number, ...labels: string[]];

type Read = () => Value[] | Promise<Value[]>;
type Show = (name: string, help: string, labels: string[], read: Read) => void;

/** Registers the gauges, which are read at each scrape. */
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
        // Without labels, reset leaves a 0; an unknown value must be absent.
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
    help: 'Warnings and errors logged, by level',
    labelNames: ['level'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [level, lines] of Object.entries(sources.lines())) this.inc({ level }, lines);
    },
  });
}

/** A gauge without labels; an unknown value is absent. */
function single(gauge: Show, name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void {
  gauge(name, help, [], async () => {
    const value = await read();
    return value === undefined ? [] : [[value]];
  });
}

function showProcess(gauge: Show, sources: Sources): void {
  gauge('steward_build_info', 'Always 1; the release and its Node', ['version', 'node'], () => [[1, sources.version, process.version]]);
  single(gauge, 'steward_clock_seconds', 'Clock of this machine, seconds since 1970', () => sources.now() / 1000);
  single(gauge, 'steward_draining', '1 while the service is stopping', () => Number(sources.draining()));
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
  single(gauge, 'steward_database_waiting', 'Requests waiting for a database connection', () => sources.pool().waiting);
}

function showParts(gauge: Show, sources: Sources): void {
  const feedAge = 'Seconds since events were last read for the sockets of this process';
  single(gauge, 'steward_events_feed_age_seconds', feedAge, () => sources.feedAge());
  gauge('steward_integrations_info', 'Always 1; the revision of the integrations in force', ['revision'], () => [
    [1, sources.integrations().revision],
  ]);
  const diverged = '1 when another replica has read a different file';
  single(gauge, 'steward_integrations_diverged', diverged, () => Number(sources.integrations().isDiverged));
  gauge('steward_keys_held', 'Master keys that this process holds', ['key', 'role'], () =>
    sources.keyIds().map((id, index) => [1, id, index === 0 ? 'primary' : 'other']),
  );
}

function showCounts(gauge: Show, sources: Sources): void {
  // All gauges of a scrape share one query.
  const counted = async <Read>(read: (counts: DatabaseCounts) => Read) => read(await sources.counts());
  const count = (name: string, help: string, read: (counts: DatabaseCounts) => number | undefined) =>
    single(gauge, name, help, () => counted(read));
  count('steward_database_up', '1 when the database responds', ({ up }) => Number(up));
  count('steward_database_writable', '1 when the database accepts writes', ({ writable }) => Number(writable));
  gauge('steward_keyed_rows', 'Rows under each master key, at most 100000 of each kind are counted', ['key', 'kind'], () =>
    counted(({ keyed = [] }) =>
      keyed.flatMap(({ keyId, userKeys, revocations }): Value[] => [
        [userKeys, keyId, 'user_key'],
        [revocations, keyId, 'revocation'],
      ]),
    ),
  );
  const unconfirmed = 'Tokens whose revocation was abandoned after 7 days; they may still work';
  count('steward_revocations_waiting', 'Tokens whose revocation the provider has not confirmed', (counts) => counts.revocations?.waiting);
  count('steward_revocations_oldest_seconds', 'Age of the oldest of them', ({ revocations }) => revocations?.oldest);
  count('steward_revocations_unconfirmed', unconfirmed, ({ revocations }) => revocations?.unconfirmed);
  count('steward_erasures_open', 'Deleted users with remaining rows', ({ erasures }) => erasures?.open);
  count('steward_erasures_oldest_seconds', 'Since the oldest of these deletions', ({ erasures }) => erasures?.oldest);
  gauge('steward_accounts_attention', 'Accounts that need their user’s attention, by status', ['provider', 'status'], () =>
    counted(({ attention = [] }) => attention.map(({ provider, status, accounts }) => [accounts, provider, status])),
  );
  gauge('steward_jobs_waiting', 'Jobs waiting to run, retries included', ['queue'], () =>
    counted(({ jobs = [] }) => jobs.map(({ queue, waiting }) => [waiting, queue])),
  );
  gauge('steward_jobs_overdue_seconds', 'Seconds that the oldest due job has waited for a worker', ['queue'], () =>
    counted(({ jobs = [] }) => jobs.map(({ queue, overdue }) => [overdue, queue])),
  );
}
