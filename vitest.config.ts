import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { findPostgres } from './test/support/database/find-postgres.ts';
import { LongestFirst } from './test/support/runner/longest-first.ts';

/** Files that also run on the embedded database: they depend on the SQL dialect, locks, transactions or restarts. */
const EMBEDDED = [
  'test/service/bank/bank-linking.test.ts',
  'test/service/bank/webhook-faults.test.ts',
  'test/service/database/partitions.test.ts',
  'test/service/events/events.test.ts',
  'test/service/executor/audit.test.ts',
  'test/service/executor/executor.test.ts',
  'test/service/executor/executor-outage.test.ts',
  'test/service/executor/idempotency.test.ts',
  'test/service/health/health.test.ts',
  'test/service/observability/log-outage.test.ts',
  'test/service/users/user-deletion.test.ts',
  'test/service/users/user-export.test.ts',
  'test/service/users/user-history.test.ts',
  'test/service/vault/revocation.test.ts',
  'test/service/vault/refresh/refresh-faults.test.ts',
  'test/service/waitlist/waitlist.test.ts',
  'test/service/workspace/workspace-connection.test.ts',
];
/** Files that start two services on one database, which the embedded one can't have. */
const REPLICAS = [
  'test/service/assistant/chat-replicas.test.ts',
  'test/service/assistant/frozen-database.test.ts',
  'test/service/assistant/hostile-clients.test.ts',
  'test/service/mcp/mcp-approvals.test.ts',
];
const EMBEDDED_PROCESS = [
  'test/process/process-kill.test.ts',
  'test/process/process-lifecycle.test.ts',
  'test/process/webhook-kill.test.ts',
  'test/cli/data-erase.test.ts',
];

/**
 * It makes network interfaces, which all browsers of the machine notice: what they are loading ends with
 * ERR_NETWORK_CHANGED. So it runs before them, with the tests of services.
 */
const FAILOVER = 'test/process/failover.test.ts';

/**
 * Files that only `npm run test:all` runs, and a run that names its files. Their code changes rarely or is to be replaced,
 * and they take long: what they test is not reworked meanwhile.
 */
const RARE: { why: string; files: string[] }[] = [
  { why: 'test the sandbox, which every other test uses anyway', files: ['test/sandbox/**/*.test.ts'] },
];

/** Of tests with services in their own process. */
const SERVICES = ['test/support/runner/judge-statements.ts'];

// Of chosen files, each test is printed as it ends; of all files, each file.
const [, ...chosen] = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const rare = process.env.TEST_ALL === undefined && chosen.length === 0 ? RARE.flatMap(({ files }) => files) : [];
const hasPostgres = (await findPostgres(chosen.length > 0 ? 'few' : 'all')) !== undefined;
// Files share a worker's modules, which halves the processor time. They wait half of the time, so six run on two cores.
// They load packages from compiled code, but for coverage, which Vitest takes care of.
const env = { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/steward-tests-code') };
const shared = { isolate: false, maxWorkers: 6, env };
// An order that was asked for, or Vitest’s sequencer of a shuffled run, is not replaced.
const isOrdered = process.argv.some((argument) => argument.startsWith('--sequence'));
// They start processes and browsers of their own, and wait for them.
const processes = { ...shared, sequence: { groupOrder: 1 } };

export default defineConfig({
  test: {
    globalSetup: ['test/support/runner/global-setup.ts'],
    setupFiles: ['test/support/processes/register-children.ts', 'test/support/runner/setup.ts'],
    // Real processes, databases and browsers: slow machines need the time, nothing is asserted about it.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    sequence: isOrdered ? {} : { sequencer: LongestFirst },
    reporters: chosen.length > 0 ? 'verbose' : 'default',
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'], reportOnFailure: true },
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts'], exclude: rare, ...shared } },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/{service,sandbox}/**/*.test.ts'],
          setupFiles: SERVICES,
          // Without a Postgres they would run on the same database twice.
          exclude: hasPostgres ? rare : [...rare, ...EMBEDDED, ...REPLICAS],
          ...shared,
        },
      },
      { extends: true, test: { name: 'failover', include: [FAILOVER], ...shared } },
      { extends: true, test: { name: 'embedded', include: EMBEDDED, setupFiles: SERVICES, provide: { embedded: true }, ...shared } },
      {
        extends: true,
        test: {
          name: 'process',
          include: ['test/{process,cli}/**/*.test.ts'],
          exclude: hasPostgres ? [FAILOVER] : [FAILOVER, ...EMBEDDED_PROCESS],
          ...processes,
        },
      },
      { extends: true, test: { name: 'embedded-process', include: EMBEDDED_PROCESS, provide: { embedded: true }, ...processes } },
      { extends: true, test: { name: 'browser', include: ['test/browser/**/*.test.ts'], ...processes } },
    ],
  },
});
