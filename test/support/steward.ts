import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import type { Overrides } from '../../src/context.ts';
import type { DatabaseTimeouts } from '../../src/database/database.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { type Steward, startServer } from '../../src/server.ts';
import { createDatabase } from './database/test-database.ts';
import { provideSandboxKeys } from './emulators/sandbox-keys.ts';
import { OF_TEST } from './sql/sent-statements.ts';
import { TestClock } from './time/test-clock.ts';
import { type CallOptions, type HttpResponse, send } from './users/request.ts';

export interface TestSteward extends Steward {
  /** Every line logged so far. */
  logs: string[];
  dataDir: string;
  /** The clock of the service and its sandbox: that of the machine, until a test advances it. */
  clock: TestClock;
  /** Runs each of the service’s polls once, instead of waiting for its interval. */
  tick(): Promise<void>;
  /** GET /update_integrations, without its pause between two readings of the file. */
  updateIntegrations(): Promise<HttpResponse>;
  /** Stops and starts again on the same data. */
  restart(env?: Record<string, string>): Promise<TestSteward>;
  /** Runs SQL on the service's own database. */
  sql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** An ID token of the sandbox's. */
  signIn(user?: string): Promise<string>;
  /** One request; a `form` makes it a POST. */
  call(path: string, options?: CallOptions): Promise<HttpResponse>;
  /** Calls one of the sandbox's controls. */
  control(path: string, body?: object): Promise<Record<string, any>>;
}

/** Replicas may share a clock. */
export type TestOverrides = Omit<Overrides, 'clock'> & { clock?: TestClock };

/** The part of a service that flows use: one in this process, or a child process. */
export type Service = Pick<TestSteward, 'url' | 'call' | 'signIn' | 'control'>;

/** The load of the machine that runs the tests is not the service’s: by its limits, it never counts as saturated. */
export const NEVER_SATURATED = { LIMIT_BUSY_LATENCY_MS: '600000', LIMIT_DATABASE_QUEUE_MS: '600000' };
/** On a busy machine, statements wait for the processor. Tests of the service’s own time limits override these. */
const PATIENT: DatabaseTimeouts = { connectMs: 60_000, statementMs: 60_000, idleMs: 60_000 };
/** The minimum of pg-boss. */
const QUEUE_POLL_SECONDS = 0.5;

/** Starts the whole service on a database of its own, with the sandbox as its providers. */
export async function startSteward(env: Record<string, string> = {}, overrides: TestOverrides = {}): Promise<TestSteward> {
  const dataDir = mkdtempSync(join(tmpdir(), 'steward-test-'));
  provideSandboxKeys(join(dataDir, 'sandbox'));
  const database = await createDatabase(dataDir);
  const cleanUp = async () => {
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return boot({ DATA_DIR: dataDir, ...database.env, ...env }, overrides, cleanUp);
}

async function boot(env: Record<string, string>, overrides: TestOverrides, cleanUp: () => Promise<void>): Promise<TestSteward> {
  const logs: string[] = [];
  const logger = createLogger('debug', { write: (line: string) => void logs.push(line) });
  const config = loadConfig({ PORT: '0', ...NEVER_SATURATED, ...env });
  const { clock = new TestClock() } = overrides;
  const injected = {
    loadSandbox: createSandbox,
    databaseTimeouts: PATIENT,
    logger,
    queuePollSeconds: QUEUE_POLL_SECONDS,
    ...overrides,
    clock,
  };
  const steward = await startServer(config, injected);
  const service = serviceAt(steward.url);
  return {
    ...steward,
    ...service,
    logs,
    dataDir: config.dataDir,
    clock,
    tick: () => steward.context.polls.tick(),
    async updateIntegrations() {
      await clock.advance(1_000);
      return send(steward.address, '/update_integrations');
    },
    sql: (text, values) => steward.context.db.query(`${OF_TEST}${text}`, values),
    async restart(changed = {}) {
      await steward.stop();
      return boot({ ...env, ...changed }, { ...overrides, clock }, cleanUp);
    },
    async stop() {
      await steward.stop();
      await cleanUp();
    },
  };
}

/** The calls that flows make, on a service that listens somewhere. */
export function serviceAt(url: string): Service {
  const call = (path: string, options: CallOptions = {}) => send(url, path, options);
  return {
    url,
    call,
    async signIn(user = 'demo') {
      const response = await call('/sandbox/identity/token', { form: { user } });
      return response.body.id_token;
    },
    async control(path, body) {
      const options =
        body === undefined ? {} : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      const response = await call(`/sandbox/control/${path}`, options);
      if (response.status !== 200) throw new Error(`control ${path}: ${response.status} ${response.text}`);
      return response.body;
    },
  };
}
