import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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

/** What a provider does wrong. The first four never look at the request; with the others it has done what was asked. */
export const FAULTS = ['hang', 'reset', '500', '429', 'delay', 'cut', 'html', 'truncated', 'type', 'huge'] as const;
export type Fault = (typeof FAULTS)[number];

const UNTOUCHED: ReadonlySet<Fault> = new Set(['hang', 'reset', '500', '429']);
const DELAY_MS = 1_200;
const HUGE = 8 * 1024 * 1024;

/** An HTTP server that stands in for a provider, goes wrong when told to, and reports each step. */
export class StandIn {
  readonly #server = createServer((request, response) => void this.#serve(request, response).catch(() => response.destroy()));
  readonly #name: string;
  readonly #steps: Steps;
  readonly #handle: (asked: Asked) => Answered | Promise<Answered>;
  url = '';
  /** In force until it is set to undefined. */
  fault: Fault | undefined;
  /** An answer that never reached the service: whatever it held is lost. */
  onLost: (asked: Asked) => void = () => {};

  constructor(name: string, steps: Steps, handle: (asked: Asked) => Answered | Promise<Answered>) {
    this.#name = name;
    this.#steps = steps;
    this.#handle = handle;
  }

  async start(): Promise<void> {
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
    const at = `${this.#name} ${path}`;
    const { fault } = this;
    if ((await this.#steps.pass(at, 'before')) === 'lost') return void response.destroy();
    if (fault !== undefined && UNTOUCHED.has(fault)) return refuse(response, fault);
    const answered = await this.#handle(asked);
    if ((await this.#steps.pass(at, 'after')) === 'lost' || response.destroyed) {
      this.onLost(asked);
      return void response.destroy();
    }
    if (fault === 'delay') await sleep(DELAY_MS);
    if (response.destroyed || !send(response, answered, fault)) this.onLost(asked);
  }
}

function refuse(response: ServerResponse, fault: Fault): void {
  if (fault === 'reset') response.destroy();
  if (fault === '500') response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Service Unavailable</h1>');
  if (fault === '429') response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' }).end('{"error":"rate"}');
}

/** @returns false when what went out can't be understood */
function send(response: ServerResponse, { status, body }: Answered, fault: Fault | undefined): boolean {
  const json = JSON.stringify(body);
  const type = 'application/json';
  const half = json.slice(0, Math.floor(json.length / 2));
  if (fault === 'cut') {
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(json) }).write(half);
    setImmediate(() => response.destroy());
  } else if (fault === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Sign in</title>');
  else if (fault === 'truncated') response.writeHead(status, { 'content-type': type }).end(half);
  else if (fault === 'huge') response.writeHead(status, { 'content-type': type }).end(`${json.slice(0, -1)},"x":"${'x'.repeat(HUGE)}"}`);
  else {
    // A wrong media type around the right JSON says nothing against what it holds.
    response.writeHead(status, { 'content-type': fault === 'type' ? 'text/plain' : type }).end(json);
    return true;
  }
  return false;
}
