import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Steps } from './steps.ts';

export interface Asked {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface Answered {
  status: number;
  body: unknown;
}

/** The request is not processed: it never reached the provider. */
const UNTOUCHED = ['hang', 'reset', '500', '429', 'portal', 'error200', 'redirect'] as const;
/** The request is processed, and its response is late, corrupt or missing. */
const DONE = ['huge', 'delay', 'cut', 'html', 'truncated', 'type', 'endless'] as const;

/** A fault of a provider, or of a proxy in front of it. */
export const FAULTS = [...DONE, ...UNTOUCHED] as const;
export type Fault = (typeof FAULTS)[number];

const untouched: ReadonlySet<Fault> = new Set(UNTOUCHED);
const PAGE = '<!doctype html><title>Sign in</title>';
/** Target of redirects, which must not be followed, because they would send secrets. */
const ELSEWHERE = '/elsewhere';
const DRIP_MS = 20;
const DELAY_MS = 1_200;
const HUGE = 8 * 1024 * 1024;

/** An HTTP server that emulates a provider, fails on request, and reports each step. */
export class FaultEmulator {
  readonly #server = createServer((request, response) => void this.#serve(request, response).catch(() => response.destroy()));
  readonly #name: string;
  readonly #steps: Steps;
  readonly #handle: (asked: Asked) => Answered | Promise<Answered>;
  url = '';
  /** In force until it is set to undefined. */
  fault: Fault | undefined;
  /** Requests that followed a redirect. */
  followed = 0;
  /** Called for a response that never reached the service: its content is lost. */
  onLost: (asked: Asked) => void = () => {};

  /** The last request of a connection with a response. */
  readonly #last = new WeakMap<Socket, Asked>();

  constructor(name: string, steps: Steps, handle: (asked: Asked) => Answered | Promise<Answered>) {
    this.#name = name;
    this.#steps = steps;
    this.#handle = handle;
  }

  async start(): Promise<void> {
    this.#server.on('connection', (socket: Socket) => socket.on('error', () => this.#unread(socket)));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const asked = { method: request.method ?? 'GET', path, headers: request.headers, body: await text(request) };
    const { socket } = request;
    this.#last.delete(socket);
    const at = `${this.#name} ${path}`;
    const { fault } = this;
    if (path === ELSEWHERE) this.followed += 1;
    if ((await this.#steps.pass(at, 'before')) === 'lost') return void response.destroy();
    if (fault !== undefined && untouched.has(fault)) return refuse(response, fault);
    const answered = await this.#handle(asked);
    if ((await this.#steps.pass(at, 'after')) === 'lost' || response.destroyed) {
      this.onLost(asked);
      return void response.destroy();
    }
    if (fault === 'delay') await sleep(DELAY_MS);
    if (response.destroyed || !send(response, answered, fault)) this.onLost(asked);
    else {
      this.#last.set(socket, asked);
      response.once('close', () => response.writableFinished || this.onLost(asked));
    }
  }

  /** A connection is reset instead of closed if data on it was not read: the client had aborted. */
  #unread(socket: Socket): void {
    const asked = this.#last.get(socket);
    if (asked !== undefined) this.onLost(asked);
  }
}

function refuse(response: ServerResponse, fault: Fault): void {
  if (fault === 'reset') response.destroy();
  if (fault === '500') response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Service Unavailable</h1>');
  if (fault === '429') response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' }).end('{"error":"rate"}');
  if (fault === 'portal') response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
  if (fault === 'error200') response.writeHead(200, { 'content-type': 'application/json' }).end('{"error":"temporarily_unavailable"}');
  if (fault === 'redirect') response.writeHead(307, { location: ELSEWHERE }).end();
}

/** @returns false if the sent response is invalid */
function send(response: ServerResponse, { status, body }: Answered, fault: Fault | undefined): boolean {
  const json = JSON.stringify(body);
  const type = 'application/json';
  const half = json.slice(0, Math.floor(json.length / 2));
  if (fault === 'cut') {
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(json) }).write(half);
    setImmediate(() => response.destroy());
  } else if (fault === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
  else if (fault === 'truncated') response.writeHead(status, { 'content-type': type }).end(half);
  else if (fault === 'endless') drip(response.writeHead(status, { 'content-type': type }));
  else if (fault === 'huge') response.writeHead(status, { 'content-type': type }).end(`${json.slice(0, -1)},"x":"${'x'.repeat(HUGE)}"}`);
  else {
    // A wrong media type does not invalidate the JSON.
    response.writeHead(status, { 'content-type': fault === 'type' ? 'text/plain' : type }).end(json);
    return true;
  }
  return false;
}

/** Sends bytes until the client disconnects. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), DRIP_MS);
  response.once('close', () => clearInterval(timer));
}
