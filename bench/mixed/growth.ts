import pg from 'pg';
import { median } from '../figures.ts';
import { cpuMs, type Running, SERVICE, startServer } from '../processes.ts';
import type { Stage } from '../stage.ts';
import { fillUp } from './crowd.ts';
import { CallingSocket, closeRequests, request } from './lanes.ts';
import { Latencies } from './latencies.ts';
import type { Person } from './people.ts';
import { anyOf } from './traffic.ts';

export const SIZES = [100, 1_000, 10_000, 100_000];
const RUNS = 5;
const LIST_REQUESTS = 1_000;
const LANES = 8;
/** Calls of each person in a run: processor time comes in ticks of 10 ms. */
const CALLS_EACH = 5;

type Operation = 'list' | 'call' | 'refresh and call';

/** Microseconds of processor time each, of the service and of the database's processes together. */
export interface GrowthRow {
  users: number;
  cost: Record<Operation, number>;
}

/** What one request costs as users become many: the same people ask, amid a crowd that grows. */
export async function measureGrowth(stage: Stage, env: Record<string, string>, people: readonly Person[]): Promise<GrowthRow[]> {
  const rows: GrowthRow[] = [];
  for (const users of SIZES) {
    await fillUp(stage.databaseUrl, users);
    console.error(`  with ${users.toLocaleString('en-GB')} users …`);
    rows.push({ users, cost: await costs(stage, env, people) });
  }
  return rows;
}

async function costs(stage: Stage, env: Record<string, string>, people: readonly Person[]): Promise<GrowthRow['cost']> {
  await using server = await startServer(SERVICE, env);
  const database = new pg.Client({ connectionString: stage.databaseUrl });
  await database.connect();
  const sockets: CallingSocket[] = [];
  for (const { token } of people) sockets.push(await CallingSocket.open(server.port, token));
  const problems = new Latencies();
  const callAll = async () => {
    await Promise.all(sockets.map((socket) => socket.call('mail.labels', problems)));
    return people.length;
  };
  const operations: Record<Operation, () => Promise<number>> = {
    list: () => listAccounts(server, people, problems),
    call: async () => {
      for (let round = 0; round < CALLS_EACH; round += 1) await callAll();
      return CALLS_EACH * people.length;
    },
    'refresh and call': callAll,
  };
  const samples: Record<Operation, number[]> = { list: [], call: [], 'refresh and call': [] };
  for (let run = -1; run < RUNS; run += 1) {
    for (const [name, operation] of Object.entries(operations) as [Operation, () => Promise<number>][]) {
      if (name === 'refresh and call') await expire(database, people);
      const before = await cpuMicros(server, database);
      const done = await operation();
      // The first run opens connections and compiles code.
      if (run >= 0) samples[name].push(((await cpuMicros(server, database)) - before) / done);
    }
  }
  for (const socket of sockets) socket.close();
  closeRequests();
  await database.end();
  if (problems.errors > 0) throw new Error(`${problems.errors} requests failed, the first one: ${problems.firstError}`);
  return { list: median(samples.list), call: median(samples.call), 'refresh and call': median(samples['refresh and call']) };
}

async function listAccounts(server: Running, people: readonly Person[], into: Latencies): Promise<number> {
  const one = async () => {
    for (let index = 0; index < LIST_REQUESTS / LANES; index += 1) {
      await request(server.port, '/auth/workspace/accounts', anyOf(people).token, into);
    }
  };
  await Promise.all(Array.from({ length: LANES }, one));
  return LIST_REQUESTS;
}

async function expire(database: pg.Client, people: readonly Person[]): Promise<void> {
  const ids = people.map(({ grantId }) => grantId);
  await database.query(`update grants set expires_at = now() - interval '1 minute' where id = any($1::uuid[])`, [ids]);
}

/** Of the service and of the database's processes that serve it, which have to run on this machine. */
async function cpuMicros(server: Running, database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'steward'`,
  );
  return 1000 * rows.reduce((sum, { pid }) => sum + cpuMs(pid), server.cpuMs());
}
