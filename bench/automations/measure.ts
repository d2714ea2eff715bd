import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Figure } from '../figures.ts';
import { createPeople, type Person } from '../mixed/people.ts';
import { tapStatements } from '../mixed/statement-tap.ts';
import { plainReference, type Running, SERVICE, startServer } from '../processes.ts';
import { providerCallEnv } from '../provider-calls.ts';
import type { Stage } from '../stage.ts';
import { startMailboxes } from './mailboxes.ts';
import { insertMailAutomations, insertSchedules } from './rows.ts';

const ACCOUNTS = 1_000;
const WAITING = 10_000;
const REPLICAS = 3;
const MINUTE_MS = 60_000;
const REST_MS = 5_000;
/** Until the schedules are due: the replicas have started, and what a first answer loads is loaded by some. */
const BEFORE_MS = 15_000;
const LONGEST_MS = 10 * MINUTE_MS;
const SAMPLE_MS = 50;
/** Per second, of one of the replicas. */
const CALLS = 20;
/** See model-server.ts. */
const MODEL = '50-20-0';

/** (m) Automations: accounts that are polled, runs that wait for their users, and schedules that are due together. */
export async function measureAutomations(stage: Stage): Promise<Figure[]> {
  const consent = () => ({
    accessToken: `ya29.${randomBytes(150).toString('base64url')}`,
    refreshToken: randomBytes(80).toString('base64url'),
  });
  const people = await createPeople(stage, { consent }, ACCOUNTS, () => 4 * 3_600);
  await using database = await connectTo(stage);
  const figures = [
    ...(await measurePolling(stage, people)),
    // Before the others: the space of deleted rows would be used again.
    ...(await measureSchedules(stage, people, database.client)),
    ...(await measureWaiting(stage, people, database.client)),
  ];
  await database.client.query('delete from automations');
  return figures;
}

/** A minute of a replica that polls all accounts, against one of a replica at rest. */
async function measurePolling(stage: Stage, people: readonly Person[]): Promise<Figure[]> {
  const mailboxes = await startMailboxes();
  const tap = await tapStatements(stage.databaseUrl);
  try {
    await using service = await startServer(SERVICE, { ...providerCallEnv(stage, mailboxes.url), DATABASE_URL: tap.url });
    const minute = async () => {
      const before = { statements: tap.executed, requests: mailboxes.requests, cpuMs: service.cpuMs() };
      await sleep(MINUTE_MS);
      return {
        statements: tap.executed - before.statements,
        requests: mailboxes.requests - before.requests,
        cpuMs: service.cpuMs() - before.cpuMs,
      };
    };
    await sleep(REST_MS);
    const rest = await minute();
    await insertMailAutomations(stage, people);
    // The first look at each account only takes its position.
    await sleep(MINUTE_MS + REST_MS);
    const polling = await minute();
    const figure = (label: string, unit: string, key: keyof typeof rest, reference = rest[key]) => ({
      label,
      unit,
      service: [polling[key]],
      reference: [reference],
    });
    return [
      figure(`(m) ${ACCOUNTS} accounts polled; reference: none`, 'statements/min', 'statements'),
      figure('    requests to the provider; reference: accounts', 'requests/min', 'requests', people.length),
      figure('    processor of the service', 'ms/min', 'cpuMs'),
    ];
  } finally {
    mailboxes.close();
    tap.close();
  }
}

/** A replica beside whose rest there are many runs that wait, against one without them. */
async function measureWaiting(stage: Stage, people: readonly Person[], database: pg.Client): Promise<Figure[]> {
  await database.query('delete from automations');
  const without = await atRest(stage, database);
  await insertSchedules(stage, people, new Date(Date.now() + 24 * 3_600_000));
  await database.query(
    `insert into automation_runs (id, user_id, automation_id, occurrence, status, thread_id, planned_at, started_at)
     select gen_random_uuid(), user_id, id, 'schedule:' || n, 'waiting', 'auto-' || md5(id::text || n), now(), now()
     from automations, generate_series(1, $1::int) n`,
    [WAITING / people.length],
  );
  const waiting = await atRest(stage, database);
  await database.query('delete from automations');
  const goal = { kind: 'at most', value: 20, of: 'service' } as const;
  return [
    {
      label: `    ${WAITING} waiting runs: more memory; reference: at rest`,
      unit: 'MB',
      service: [waiting.megabytes - without.megabytes],
      reference: [without.megabytes],
      goal,
    },
    { label: '    … connections', unit: 'connections', service: [waiting.connections], reference: [without.connections] },
  ];
}

async function atRest(stage: Stage, database: pg.Client): Promise<{ megabytes: number; connections: number }> {
  await using service = await startServer(SERVICE, stage.serviceEnv);
  // Longer than from one look for what is due to the next.
  await sleep(3 * REST_MS);
  const { rows } = await database.query<{ connections: number }>(
    `select count(*)::int as connections from pg_stat_activity where datname = current_database() and application_name = 'steward'`,
  );
  return { megabytes: service.residentMb(), connections: rows[0]?.connections ?? 0 };
}

/** Schedules that are due together on several replicas; beside them, calls at a steady pace. */
async function measureSchedules(stage: Stage, people: readonly Person[], database: pg.Client): Promise<Figure[]> {
  await using model = await startServer(plainReference('model-server'), {});
  const models = [{ name: MODEL, model: MODEL, provider: 'openai-compatible', baseUrl: `http://127.0.0.1:${model.port}/v1` }];
  const env = { ...stage.serviceEnv, MODELS: JSON.stringify(models) };
  await using replicas = await startReplicas(env);
  await database.query('delete from automations');
  await database.query('delete from watches');
  const dueAt = new Date(Date.now() + BEFORE_MS + people.length * 5);
  await insertSchedules(stage, people, dueAt);
  const before = await sizes(database);
  const token = await stage.signIn();
  const quiet = await callsUntil(replicas.first, token, async () => Date.now() > dueAt.getTime() - 1_000);
  let most = 0;
  let done = 0;
  const busy = await callsUntil(replicas.first, token, async () => {
    const { rows } = await database.query<{ running: number; done: number }>(
      `select count(*) filter (where status = 'running')::int as running, count(*) filter (where ended_at is not null)::int as done
       from automation_runs`,
    );
    most = Math.max(most, rows[0]?.running ?? 0);
    done = rows[0]?.done ?? 0;
    return done >= people.length || Date.now() > dueAt.getTime() + LONGEST_MS;
  });
  const after = await sizes(database);
  const { rows } = await database.query<{ answers: number; runs: number; succeeded: number }>(
    `select (select count(*)::int from messages m join threads t on t.user_id = m.user_id and t.id = m.thread_id
         where t.automation_id is not null and m.role = 'assistant') as answers,
       count(*)::int as runs, count(*) filter (where status = 'done')::int as succeeded from automation_runs`,
  );
  const [{ answers, runs, succeeded } = { answers: 0, runs: 0, succeeded: 0 }] = rows;
  return [
    {
      label: `    ${people.length} schedules due at once, ${REPLICAS} replicas: runs; reference: schedules`,
      unit: 'rows',
      service: [runs],
      reference: [people.length],
      goal: { kind: 'at most', value: 1, of: 'ratio' },
    },
    {
      label: '    … answers; reference: runs that succeeded',
      unit: 'answers',
      service: [answers],
      reference: [succeeded],
      goal: { kind: 'at most', value: 1, of: 'ratio' },
    },
    {
      label: '    … at a time; reference: LIMIT_AUTOMATION_RUNS of all replicas',
      unit: 'runs',
      service: [most],
      reference: [10 * REPLICAS],
      goal: { kind: 'at most', value: 1, of: 'ratio' },
    },
    {
      label: '    … p99 of calls beside them; reference: before',
      unit: 'ms',
      service: [p99(busy)],
      reference: [p99(quiet)],
      goal: { kind: 'at most', value: 50, of: 'service' },
    },
    {
      label: '    rows of a run; reference: in automation_runs',
      unit: 'rows',
      service: [(after.rows - before.rows) / runs],
      reference: [1],
    },
    {
      label: '    bytes of a run; reference: in automation_runs',
      unit: 'bytes',
      service: [(after.bytes - before.bytes) / runs],
      reference: [(after.ofRuns - before.ofRuns) / runs],
    },
  ];
}

async function startReplicas(env: Record<string, string>) {
  const stack = new AsyncDisposableStack();
  const started: Running[] = [];
  for (let index = 0; index < REPLICAS; index += 1) started.push(stack.use(await startServer(SERVICE, env)));
  const [first] = started;
  if (first === undefined) throw new Error('no replica was started');
  return { first, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Times of reading calls, milliseconds, each from when it was to begin. */
async function callsUntil({ port }: Running, token: string, isOver: () => Promise<boolean>): Promise<number[]> {
  const times: number[] = [];
  const calls: Promise<void>[] = [];
  const call = async () => {
    const start = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/auth/bank/accounts`, { headers: { authorization: token } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`a call beside the runs was answered with ${response.status}`);
    times.push(performance.now() - start);
  };
  const timer = setInterval(() => calls.push(call()), 1_000 / CALLS);
  try {
    while (!(await isOver())) await sleep(SAMPLE_MS);
  } finally {
    clearInterval(timer);
  }
  await Promise.all(calls);
  return times;
}

function p99(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

/** Rows and bytes, with indexes, of all tables. */
async function sizes(database: pg.Client): Promise<{ rows: number; bytes: number; ofRuns: number }> {
  const tables = await database.query<{ name: string; bytes: number }>(
    `select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  let rows = 0;
  for (const { name } of tables.rows) {
    const counted = await database.query<{ rows: number }>(`select count(*)::int as rows from ${pg.escapeIdentifier(name)}`);
    rows += counted.rows[0]?.rows ?? 0;
  }
  const bytes = tables.rows.reduce((sum, table) => sum + table.bytes, 0);
  return { rows, bytes, ofRuns: tables.rows.find(({ name }) => name === 'automation_runs')?.bytes ?? 0 };
}

async function connectTo(stage: Stage) {
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
