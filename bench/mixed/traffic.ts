import { median } from '../figures.ts';
import type { Running } from '../processes.ts';
import { CallingSocket, closeRequests, lane, request } from './lanes.ts';
import { Latencies } from './latencies.ts';
import type { Person } from './people.ts';

const LISTS = ['/auth/workspace/accounts', '/auth/bank/accounts', '/integrations'];
const HEALTH = ['/test', '/health/ready'];
/** Connections that ask without a pause. */
const HEALTH_LANES = 1;
const LIST_LANES = 4;
const RELOAD_PAUSE_MS = 500;
/** Between two calls of a socket, on average: below the limit of 100 messages a minute, with room for chance. */
const CALL_PAUSE_MS = 1_200;
const WARM_UP_MS = 15_000;
/** Stretch at the beginning and at the end whose memory is compared, milliseconds. */
const EDGE_MS = 10_000;
const SAMPLE_MS = 500;

type Kind = 'health' | 'lists' | 'calls' | 'reloads';

export interface TrafficResult {
  kinds: Record<Kind, Latencies>;
  /** Calls answered since the sockets were opened, those of the warm-up too. */
  callsAnswered: number;
  elapsedMs: number;
  /** Of the service, milliseconds of processor time. */
  cpuMs: number;
  /** Resident memory in the first and the last seconds, median, MB of 10⁶ bytes. */
  memoryMb: { start: number; end: number };
}

/**
 * Everything at once for a time: probes and lists without a pause, a call on each socket every second or so,
 * reloads of the integrations file.
 *
 * @param people one socket each
 */
export async function mixedTraffic(server: Running, people: readonly Person[], durationMs: number): Promise<TrafficResult> {
  const sockets: CallingSocket[] = [];
  for (const { token } of people) sockets.push(await CallingSocket.open(server.port, token));
  const warmUp = await drive(server.port, people, sockets, WARM_UP_MS);
  const samples: number[] = [];
  const sampler = setInterval(() => samples.push(server.residentMb()), SAMPLE_MS);
  const cpu = server.cpuMs();
  const start = performance.now();
  const kinds = await drive(server.port, people, sockets, durationMs);
  const elapsedMs = performance.now() - start;
  const cpuMs = server.cpuMs() - cpu;
  clearInterval(sampler);
  for (const socket of sockets) socket.close();
  closeRequests();
  const edge = EDGE_MS / SAMPLE_MS;
  const memoryMb = { start: median(samples.slice(0, edge)), end: median(samples.slice(-edge)) };
  const callsAnswered = warmUp.calls.milliseconds.length + kinds.calls.milliseconds.length;
  return { kinds, callsAnswered, elapsedMs, cpuMs, memoryMb };
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

/** A member, each as likely as the other. */
export function anyOf<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item;
}
