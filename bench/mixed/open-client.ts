// The client of the open loop, in a process of its own: it sends each request when it is due, whatever is still under
// way, and counts its time from when it was due. A client that waits for a slow server sends less exactly when the server
// is slow, and measures only the requests that it sent ("coordinated omission").
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { hello } from '../socket-load.ts';
import { type OpenOrder, type OpenResult, OUTCOMES, type Outcome } from './open-result.ts';
import { type Arrival, arrivals, KINDS, type ScheduleOptions } from './schedule.ts';

/** How a request ended. */
interface End {
  outcome: Outcome;
  retryAfter?: unknown;
  error?: string;
}

const LISTS = ['/auth/workspace/accounts', '/auth/bank/accounts', '/integrations'];
const HEALTH = ['/test', '/health/ready'];
const OPEN_AT_A_TIME = 50;
/** For the responses of the last requests: longer than the service takes with its slowest time-out. */
const LAST_MS = 60_000;
const LOOK_MS = 20;

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
let port = 0;
let people: { token: string; socket: CallSocket }[] = [];

/** A signed-in socket with any number of calls under way. */
class CallSocket {
  readonly #socket: WebSocket;
  readonly #calls = new Map<string, (end: End) => void>();
  #next = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#receive(JSON.parse(String(data)) as Frame));
    socket.on('error', () => {}).on('close', (code) => this.#closed(code));
  }

  static async open(token: string): Promise<CallSocket> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, 'steward.v1', { perMessageDeflate: false });
    await once(socket, 'open');
    socket.send(hello(token));
    await once(socket, 'message');
    return new CallSocket(socket);
  }

  call(ended: (end: End) => void): void {
    if (this.#socket.readyState !== WebSocket.OPEN) {
      ended({ outcome: 'failed', error: 'a socket is closed' });
      return;
    }
    const requestId = `call-${this.#next++}`;
    this.#calls.set(requestId, ended);
    this.#socket.send(JSON.stringify({ type: 'call', requestId, action: 'mail.labels', input: {} }));
  }

  /** Events of the user and progress frames end no call. */
  #receive({ type, requestId = '', error }: Frame): void {
    if (type !== 'result' && type !== 'error') return;
    const ended = this.#calls.get(requestId);
    this.#calls.delete(requestId);
    if (type === 'result') ended?.({ outcome: 'answered' });
    else if (error?.code === 'unavailable') ended?.({ outcome: 'refused', retryAfter: error.retryAfter });
    else ended?.({ outcome: 'failed', error: `call: ${error?.code}` });
  }

  #closed(code: number): void {
    for (const ended of this.#calls.values()) ended({ outcome: 'failed', error: `a socket was closed with ${code}` });
    this.#calls.clear();
  }
}

interface Frame {
  type: string;
  requestId?: string;
  error?: { code: string; retryAfter?: number };
}

function get(path: string, token: string | undefined, ended: (end: End) => void): void {
  const headers = token === undefined ? {} : { authorization: token };
  const failed = (error: Error) => ended({ outcome: 'failed', error: `GET ${path}: ${error.message}` });
  const respond = (response: IncomingMessage) => {
    const { statusCode, headers: received } = response;
    response.resume().on('error', failed);
    response.on('end', () => {
      if (statusCode === 200) ended({ outcome: 'answered' });
      else if (statusCode === 503) ended({ outcome: 'refused', retryAfter: received['retry-after'] });
      else ended({ outcome: 'failed', error: `GET ${path} answered ${statusCode}` });
    });
  };
  request({ host: '127.0.0.1', port, path, agent, headers }, respond).on('error', failed).end();
}

function send({ kind, choice }: Arrival, ended: (end: End) => void): void {
  const person = people[Math.floor(choice * people.length)] as (typeof people)[number];
  if (kind === 'calls') person.socket.call(ended);
  else if (kind === 'lists') get(pick(LISTS, choice * people.length), person.token, ended);
  else if (kind === 'health') get(pick(HEALTH, choice), undefined, ended);
  else get('/update_integrations', undefined, ended);
}

/** @param choice its fractional part is uniform */
function pick(paths: readonly string[], choice: number): string {
  return paths[Math.floor((choice % 1) * paths.length)] as string;
}

async function run(schedule: ScheduleOptions): Promise<OpenResult> {
  const due = [...arrivals(schedule)];
  const record = new Recording(due);
  const cpu = process.cpuUsage();
  const start = performance.now();
  for (let next = 0; next < due.length; ) {
    const now = performance.now() - start;
    for (let arrival = due[next]; arrival !== undefined && arrival.at <= now; arrival = due[next]) {
      const index = next;
      record.lags[index] = performance.now() - start - arrival.at;
      send(arrival, (end) => record.end(index, end, performance.now() - start));
      next += 1;
    }
    const wait = (due[next]?.at ?? 0) - (performance.now() - start);
    if (wait > 0) await sleep(wait);
    else await new Promise(setImmediate);
  }
  for (const end = performance.now() + LAST_MS; record.open > 0 && performance.now() < end; ) await sleep(LOOK_MS);
  record.endOpen(performance.now() - start);
  const { user, system } = process.cpuUsage(cpu);
  return { ...record.result, cpuMs: (user + system) / 1000 };
}

/** What becomes of each request of a schedule. */
class Recording {
  readonly lags: Float64Array;
  readonly #due: readonly Arrival[];
  readonly #latencies: Float64Array;
  readonly #outcomes: Uint8Array;
  open: number;
  #withoutRetryAfter = 0;
  #firstError: string | undefined;

  constructor(due: readonly Arrival[]) {
    this.#due = due;
    this.open = due.length;
    this.lags = new Float64Array(due.length);
    this.#latencies = new Float64Array(due.length).fill(Number.NaN);
    this.#outcomes = new Uint8Array(due.length);
  }

  end(index: number, { outcome, retryAfter, error }: End, now: number): void {
    if (!Number.isNaN(this.#latencies[index])) return;
    this.open -= 1;
    this.#latencies[index] = now - (this.#due[index] as Arrival).at;
    this.#outcomes[index] = OUTCOMES.indexOf(outcome);
    if (outcome === 'refused' && !(Number(retryAfter) > 0)) this.#withoutRetryAfter += 1;
    this.#firstError ??= error;
  }

  endOpen(now: number): void {
    this.#due.forEach((_, index) => {
      this.end(index, { outcome: 'failed', error: 'no answer' }, now);
    });
  }

  get result(): Omit<OpenResult, 'cpuMs'> {
    return {
      kinds: Uint8Array.from(this.#due, ({ kind }) => KINDS.indexOf(kind)),
      due: Float64Array.from(this.#due, ({ at }) => at),
      latencies: this.#latencies,
      outcomes: this.#outcomes,
      lags: this.lags,
      withoutRetryAfter: this.#withoutRetryAfter,
      firstError: this.#firstError,
    };
  }
}

async function follow(order: OpenOrder): Promise<OpenResult | 'open'> {
  if (order.kind === 'run') return run(order.schedule);
  port = order.port;
  people = [];
  for (let first = 0; first < order.tokens.length; first += OPEN_AT_A_TIME) {
    const tokens = order.tokens.slice(first, first + OPEN_AT_A_TIME);
    people.push(...(await Promise.all(tokens.map(async (token) => ({ token, socket: await CallSocket.open(token) })))));
  }
  return 'open';
}

process.on('message', (order: OpenOrder) => {
  follow(order).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
process.on('disconnect', () => process.exit(0));
