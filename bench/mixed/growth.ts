import pg from 'pg';
import { type Running, SERVICE, startServer } from '../processes.ts';
import { CallingSocket, closeRequests, request } from './lanes.ts';
import { Latencies } from './latencies.ts';
import type { Person } from './people.ts';
import { between, readProcessorTime } from './processor-time.ts';
import type { Scene } from './scene.ts';

export const SIZES = [100, 1_000, 10_000, 100_000];
const ROUNDS = 9;
const LANES = 8;
const LISTS = 1_000;
/** Calls of each person in a round, and of those that refresh first. */
const CALLS_EACH = 10;
const REFRESHES_EACH = 5;
const NS_PER_US = 1_000;
/** Limits are raised, because the users here send more messages than usual. */
const PLENTY = '100000000';

export type Operation = 'list' | 'call' | 'refresh and call';

/** Processor time of one request, microseconds. */
export interface Cost {
  service: number;
  database: number;
}

export interface GrowthRow {
  users: number;
  /** Entry n of every row was taken in the same round. */
  costs: Record<Operation, Cost[]>;
}

/** A scene, filled up to this total number of users. */
export interface Crowded {
  users: number;
  scene: Scene;
}

/** One number of users: a separate service, with the same active users among others. */
interface Town {
  row: GrowthRow;
  server: Running;
  database: pg.Client;
  people: readonly Person[];
  sockets: CallingSocket[];
}

const OPERATIONS: Record<Operation, (town: Town, problems: Latencies) => Promise<number>> = {
  list: async ({ server, people }, problems) => {
    const one = async () => {
      for (let index = 0; index < LISTS / LANES; index += 1) {
        await request(server.port, '/auth/workspace/accounts', anyOf(people).token, problems);
      }
    };
    await Promise.all(Array.from({ length: LANES }, one));
    return LISTS;
  },
  call: async (town, problems) => {
    for (let round = 0; round < CALLS_EACH; round += 1) await callAll(town, problems);
    return CALLS_EACH * town.people.length;
  },
  'refresh and call': async (town, problems) => {
    for (let round = 0; round < REFRESHES_EACH; round += 1) {
      await expire(town);
      await callAll(town, problems);
    }
    return REFRESHES_EACH * town.people.length;
  },
};

/**
 * Cost of one request as the number of users grows. All numbers are measured in each round, one after the other and
 * in turns, so that whatever slows the machine for some seconds slows them alike.
 */
export async function measureGrowth(crowded: readonly Crowded[]): Promise<{ rows: GrowthRow[]; problems: Latencies }> {
  await using open = new AsyncDisposableStack();
  open.defer(closeRequests);
  const towns: Town[] = [];
  for (const one of crowded) towns.push(await settle(one, open));
  const problems = new Latencies();
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [name, work] of Object.entries(OPERATIONS) as [Operation, (typeof OPERATIONS)[Operation]][]) {
      for (const town of round % 2 === 0 ? towns : towns.toReversed()) {
        // Opens the connections that were closed when idle.
        await callAll(town, problems);
        const before = await readProcessorTime(town.server, town.database);
        const done = await work(town, problems);
        const used = between(before, await readProcessorTime(town.server, town.database));
        // The first round compiles code and fills caches.
        if (round >= 0) town.row.costs[name].push({ service: used.service / NS_PER_US / done, database: used.database / NS_PER_US / done });
      }
    }
  }
  return { rows: towns.map(({ row }) => row), problems };
}

async function settle({ users, scene: { stage, env, people } }: Crowded, open: AsyncDisposableStack): Promise<Town> {
  const server = open.use(await startServer(SERVICE, { ...env, LIMIT_SOCKET_MESSAGES_PER_MINUTE: PLENTY }));
  const database = open.adopt(new pg.Client({ connectionString: stage.databaseUrl }), (client) => client.end());
  await database.connect();
  const sockets: CallingSocket[] = [];
  for (const { token } of people) sockets.push(open.adopt(await CallingSocket.open(server.port, token), (socket) => socket.close()));
  return { row: { users, costs: { list: [], call: [], 'refresh and call': [] } }, server, database, people, sockets };
}

async function callAll({ sockets }: Town, problems: Latencies): Promise<void> {
  await Promise.all(sockets.map((socket) => socket.call('mail.labels', problems)));
}

async function expire({ database, people }: Town): Promise<void> {
  const ids = people.map(({ grantId }) => grantId);
  await database.query(`update grants set expires_at = now() - interval '1 minute' where id = any($1::uuid[])`, [ids]);
}

/** A random member. */
function anyOf<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item;
}
