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

/** Nothing is done of what was asked: it never got to the provider. */
const UNTOUCHED = ['hang', 'reset', '500', '429', 'portal', 'error200', 'redirect'] as const;
/** What was asked is done, and its answer comes late, spoilt or not at all. */
const DONE = ['huge', 'delay', 'cut', 'html', 'truncated', 'type', 'endless'] as const;

/** What a provider, or something before it, does wrong. */
export const FAULTS = [...DONE, ...UNTOUCHED] as const;
export type Fault = (typeof FAULTS)[number];

const untouched: ReadonlySet<Fault> = new Set(UNTOUCHED);
const PAGE = '<!doctype html><title>Sign in</title>';
/** Target of redirects, which must not be followed, because they would send secrets. */
const ELSEWHERE = '/elsewhere';
const DRIP_MS = 20;
const DELAY_MS = 1_200;
const HUGE = 8 * 1024 * 1024;

/** An HTTP server that stands in for a provider, goes wrong when told to, and reports each step. */
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
  /** An answer that never reached the service: whatever it held is lost. */
  onLost: (asked: Asked) => void = () => {};

  /** What was answered last on a connection. */
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

  /** A connection is reset, and not closed, where something on it was not read: whoever asked had given up. */
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

/** @returns false when what went out can't be understood */
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
    // A wrong media type around the right JSON says nothing against what it holds.
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
