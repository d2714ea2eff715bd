import { Counter, Gauge, type Registry } from 'prom-client';
import type { Services } from '../context.ts';
import { lineCounts } from '../observability/logger.ts';
import { mcpDescriptor } from '../providers/mcp/mcp-descriptor.ts';
import { version } from '../startup/version.ts';
import { CountsInDatabase, type DatabaseCounts } from './database-counts.ts';
import type { FileToolRow } from './metrics-repository.ts';

/** State of the process that is not in the context. */
export interface ProcessStates {
  sockets(): { authenticated: number; waiting: number };
  draining(): boolean;
}

/** One value, undefined while it is unknown; or a value for each combination of labels. */
type Reading = number | undefined | [value: number, ...labels: string[]][];
type Show = (name: string, help: string, read: () => Reading | Promise<Reading>, labels?: string[]) => void;

/** Registers the gauges, which are read at each scrape; only {@link CountsInDatabase} queries the database. */
export function registerGauges(registry: Registry, services: Services, states: ProcessStates): void {
  const show: Show = (name, help, read, labelNames = []) => {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const reading = await read();
        this.reset();
        // Without labels, reset leaves a 0; an unknown value must be absent.
        if (labelNames.length === 0) this.remove();
        if (typeof reading === 'number') this.set(reading);
        for (const [value, ...labels] of Array.isArray(reading) ? reading : []) this.labels(...labels).set(value);
      },
    });
  };
  showProcess(show, services, states);
  showParts(show, services);
  showSources(show, services);
  const inDatabase = new CountsInDatabase(services.db, () => fileToolsOf(services));
  const count: Count = (name, help, read, labels) => show(name, help, async () => read(await inDatabase.read()), labels);
  showCounts(count);
  showAutomations(count);
  new Counter({
    name: 'steward_log_lines_total',
    help: 'Warnings and errors logged, by level',
    labelNames: ['level'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [level, lines] of Object.entries(lineCounts(services.logger))) this.inc({ level }, lines);
    },
  });
}

function showProcess(show: Show, { clock, db }: Services, { sockets, draining }: ProcessStates): void {
  const release = version();
  show('steward_build_info', 'Always 1; the release and its Node', () => [[1, release, process.version]], ['version', 'node']);
  show('steward_clock_seconds', 'Clock of this machine, seconds since 1970', () => clock.now() / 1000);
  show('steward_draining', '1 while the service is stopping', () => Number(draining()));
  show('steward_sockets', 'Open WebSockets, by state', () => Object.entries(sockets()).map(([state, open]) => [open, state]), ['state']);
  const connections = (): Reading => {
    const { total, idle, max } = db.load;
    return Object.entries({ used: total - idle, idle, max }).map(([state, count]) => [count, state]);
  };
  show('steward_database_connections', 'Database connections of this process, by state', connections, ['state']);
  show('steward_database_waiting', 'Requests waiting for a database connection', () => db.load.waiting);
}

function showParts(show: Show, { feed, integrations, reloads, keyring }: Services): void {
  show('steward_events_feed_age_seconds', 'Seconds since events were last read for the sockets of this process', () => feed.age);
  const revision = (): Reading => [[1, integrations.current.revision]];
  show('steward_integrations_info', 'Always 1; the revision of the integrations in force', revision, ['revision']);
  show('steward_integrations_diverged', '1 when another replica has read a different file', () => Number(reloads.isDiverged));
  const held = (): Reading => keyring.ids.map((id, index) => [1, id, index === 0 ? 'primary' : 'other']);
  show('steward_keys_held', 'Master keys that this process holds', held, ['key', 'role']);
}

function showSources(show: Show, { catalog, providers }: Services): void {
  // Also of a source on which no circuit is open, so that an alert knows the end of one.
  const open = (): Reading => {
    const circuits = providers.client(mcpDescriptor)?.openCircuits;
    return [...catalog().sources.keys()].map((source) => [circuits?.get(source) ?? 0, source]);
  };
  show('steward_source_circuits_open', 'Connections of users on which nothing is sent, because their source fails', open, ['source']);
}

async function fileToolsOf({ catalog, sourceTools }: Services): Promise<FileToolRow[]> {
  const sources = [...catalog().sources.values()];
  if (sources.length === 0) return [];
  const { fileTools } = await sourceTools();
  return sources.flatMap(({ name, url }) => [...fileTools(name)].map(([tool, { hash = null }]) => ({ source: name, url, tool, hash })));
}

type Count = (name: string, help: string, read: (counts: DatabaseCounts) => Reading, labels?: string[]) => void;

function showCounts(count: Count): void {
  count('steward_database_up', '1 when the database responds', ({ up }) => Number(up));
  count('steward_database_writable', '1 when the database accepts writes', ({ writable }) => Number(writable));
  const keyed = ({ rows }: DatabaseCounts): Reading =>
    rows?.keyed.flatMap(({ keyId, userKeys, revocations }) => [
      [userKeys, keyId, 'user_key'],
      [revocations, keyId, 'revocation'],
    ]);
  count('steward_keyed_rows', 'Rows under each master key, at most 100000 of each kind are counted', keyed, ['key', 'kind']);
  const unconfirmed = 'Tokens whose revocation was abandoned after 7 days; they may still work';
  count('steward_revocations_waiting', 'Tokens whose revocation the provider has not confirmed', ({ rows }) => rows?.revocations?.waiting);
  count('steward_revocations_oldest_seconds', 'Age of the oldest of them', ({ rows }) => rows?.revocations?.oldest);
  count('steward_revocations_unconfirmed', unconfirmed, ({ rows }) => rows?.revocations?.unconfirmed);
  count('steward_erasures_open', 'Deleted users with remaining rows', ({ rows }) => rows?.erasures?.open);
  count('steward_erasures_oldest_seconds', 'Since the oldest of these deletions', ({ rows }) => rows?.erasures?.oldest);
  const attention = ({ rows }: DatabaseCounts): Reading => rows?.attention.map((row) => [row.accounts, row.provider, row.status]);
  count('steward_accounts_attention', 'Accounts that need their user’s attention, by status', attention, ['provider', 'status']);
  const held = ({ rows }: DatabaseCounts): Reading => rows?.held.map((row) => [row.tools, row.source, row.decidedBy]);
  count('steward_source_tools_held', 'Tools of connections that are not called, by who decides', held, ['source', 'decided_by']);
  const waiting = ({ rows }: DatabaseCounts): Reading => rows?.jobs.map((job) => [job.waiting, job.queue]);
  count('steward_jobs_waiting', 'Jobs waiting to run, retries included', waiting, ['queue']);
  const overdue = ({ rows }: DatabaseCounts): Reading => rows?.jobs.map((job) => [job.overdue, job.queue]);
  count('steward_jobs_overdue_seconds', 'Seconds that the oldest due job has waited for a worker', overdue, ['queue']);
}

function showAutomations(count: Count): void {
  const looks = ({ automations }: DatabaseCounts): Reading => automations?.looks.map(({ age, kind }) => [age, kind]);
  count('steward_automation_look_age_seconds', 'Since the account that has waited longest was read for events, by kind', looks, ['kind']);
  const failing = ({ automations }: DatabaseCounts): Reading =>
    automations?.failing.map(({ accounts, kind, error }) => [accounts, kind, error]);
  count('steward_automation_looks_failing', 'Accounts whose events can’t be read, by kind and error', failing, ['kind', 'error']);
  const runs = ({ automations }: DatabaseCounts): Reading => automations?.runs.map((row) => [row.runs, row.status]);
  count('steward_automation_runs', 'Runs of automations that have not ended, by status', runs, ['status']);
  const overdue = 'Since the run that has waited longest should have been begun or continued';
  count('steward_automation_runs_overdue_seconds', overdue, ({ automations }) => automations?.overdue);
  const paused = ({ automations }: DatabaseCounts): Reading => automations?.paused.map((row) => [row.automations, row.pausedBy]);
  count('steward_automations_paused', 'Automations that Steward paused, by reason', paused, ['reason']);
  const channels = ({ automations }: DatabaseCounts): Reading => automations?.channels.map(({ waiting, type }) => [waiting, type]);
  count('steward_notification_channels_waiting', 'Channels with something to tell, by type', channels, ['type']);
  const late = ({ automations }: DatabaseCounts): Reading => automations?.channels.map((row) => [row.overdue, row.type]);
  count('steward_notification_overdue_seconds', 'Since a message should have been sent', late, ['type']);
}
