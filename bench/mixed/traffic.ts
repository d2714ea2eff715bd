import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { median } from '../figures.ts';
import type { Running } from '../processes.ts';
import { CallingSocket, closeRequests, lane, request } from './lanes.ts';
import { Latencies } from './latencies.ts';
import { startProbed } from './memory.ts';
import type { Person } from './people.ts';
import { waitedMs } from './processor-time.ts';
import type { Scene } from './scene.ts';
import type { WorkspaceEmulator } from './workspace-emulator.ts';

const LISTS = ['/auth/workspace/accounts', '/auth/bank/accounts', '/integrations'];
const HEALTH = ['/test', '/health/ready'];
/** Connections that send requests without a pause. */
const HEALTH_LANES = 1;
const LIST_LANES = 4;
const RELOAD_PAUSE_MS = 500;
/** Between two calls of a socket, on average: below the limit of 100 messages a minute, with room for chance. */
const CALL_PAUSE_MS = 1_200;
/** A warm-up is steady when resident memory has risen no further than this in one stretch of it. */
const WARM_UP_MS = 15_000;
const STEADY = 1.02;
const WARM_UPS_MAX = 10;
/** Stretch at the beginning and at the end whose memory is compared, milliseconds. */
const EDGE_MS = 10_000;
const SAMPLE_MS = 500;
/** Recent requests are retained for some seconds by their timers: this number of readings at this interval, of which the minimum counts. */
const LOOKS = 6;
const LOOK_MS = 2_500;

type Kind = 'health' | 'lists' | 'calls' | 'reloads';

export interface TrafficResult {
  kinds: Record<Kind, Latencies>;
  /** Calls with a response since the sockets were opened, including the warm-up. */
  callsAnswered: number;
  /** Rows of the audit log about successful calls. */
  auditRows: number;
  elapsedMs: number;
  /** Of the service, milliseconds of processor time, and of waiting for a processor. */
  cpuMs: number;
  waitedMs: number;
  /** MB of 10⁶ bytes. */
  memory: { start: Memory; end: Memory };
  provider: Pick<WorkspaceEmulator, 'refreshes' | 'refused' | 'late'>;
}

interface Memory {
  /** Without garbage, some seconds after the last request. */
  live: number;
  /** Median of the first or the last seconds. */
  resident: number;
}

/**
 * All traffic together for a time: probes and lists without a pause, a call on each socket about every second,
 * reloads of the integrations file. Each of the scene's people has one socket.
 */
export async function mixedTraffic({ stage, env, people, emulator }: Scene, durationMs: number): Promise<TrafficResult> {
  const { server, liveMb } = await startProbed(env);
  await using _ = server;
  const sockets: CallingSocket[] = [];
  for (const { token } of people) sockets.push(await CallingSocket.open(server.port, token));
  const callsBefore = await warmUp(server, people, sockets);
  const liveAtStart = await leastOf(liveMb);
  const samples: number[] = [];
  const sampler = setInterval(() => samples.push(server.residentMb()), SAMPLE_MS);
  const cpu = server.cpuMs();
  const waited = waitedMs(server.pid);
  const start = performance.now();
  const kinds = await drive(server.port, people, sockets, durationMs);
  const elapsedMs = performance.now() - start;
  const used = { cpuMs: server.cpuMs() - cpu, waitedMs: waitedMs(server.pid) - waited };
  clearInterval(sampler);
  const liveAtEnd = await leastOf(liveMb);
  for (const socket of sockets) socket.close();
  closeRequests();
  const edge = EDGE_MS / SAMPLE_MS;
  return {
    kinds,
    callsAnswered: callsBefore + kinds.calls.milliseconds.length,
    auditRows: await countAuditRows(stage.databaseUrl),
    elapsedMs,
    ...used,
    memory: {
      start: { live: liveAtStart, resident: median(samples.slice(0, edge)) },
      end: { live: liveAtEnd, resident: median(samples.slice(-edge)) },
    },
    provider: emulator,
  };
}

/**
 * The same traffic until the service's heap is as large as the engine lets it grow under it, which takes longer the
 * slower the machine is. One that grows without end is measured at the time limit.
 *
 * @returns calls with a response
 */
async function warmUp(server: Running, people: readonly Person[], sockets: readonly CallingSocket[]): Promise<number> {
  let calls = 0;
  for (let stretch = 0; stretch < WARM_UPS_MAX; stretch += 1) {
    const before = server.residentMb();
    const kinds = await drive(server.port, people, sockets, WARM_UP_MS);
    calls += kinds.calls.milliseconds.length;
    if (server.residentMb() <= before * STEADY) break;
  }
  return calls;
}

async function leastOf(look: () => Promise<number>): Promise<number> {
  let least = await look();
  for (let looks = 1; looks < LOOKS; looks += 1) {
    await sleep(LOOK_MS);
    least = Math.min(least, await look());
  }
  return least;
}

async function countAuditRows(databaseUrl: string): Promise<number> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const { rows } = await database.query<{ rows: number }>(`select count(*)::int as rows from audit_log where outcome = 'ok'`);
  await database.end();
  return rows[0]?.rows ?? 0;
}

async function drive(
  port: number,
  people: readonly Person[],
  sockets: readonly CallingSocket[],
  durationMs: number,
): Promise<Record<Kind, Latencies>> {
  const kinds = { health: new Latencies(), lists: new Latencies(), calls: new Latencies(), reloads: new Latencies() };
  const end = performance.now() + durationMs;
  const over = () => performance.now() >= end;
  const lanes = sockets.map((socket) => lane(over, CALL_PAUSE_MS, () => socket.call('mail.labels', kinds.calls)));
  for (let index = 0; index < HEALTH_LANES; index += 1) {
    lanes.push(lane(over, 0, () => request(port, anyOf(HEALTH), undefined, kinds.health)));
  }
  for (let index = 0; index < LIST_LANES; index += 1) {
    lanes.push(lane(over, 0, () => request(port, anyOf(LISTS), anyOf(people).token, kinds.lists)));
  }
  lanes.push(lane(over, RELOAD_PAUSE_MS, () => request(port, '/update_integrations', undefined, kinds.reloads)));
  await Promise.all(lanes);
  return kinds;
}

/** A random member. */
export function anyOf<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item;
}
