import { once } from 'node:events';
import WebSocket from 'ws';
import { patiently } from '../time/eventually.ts';

type Frame = Record<string, any>;

/** How the server ended a socket. */
export interface Ending {
  code: number;
  reason: string;
}

const ANSWERS = new Set(['ready', 'result', 'error']);

export interface UpgradeOptions {
  origin?: string;
  headers?: Record<string, string>;
}

/** A client of steward.v1 that stores the frames it receives. */
export class SocketClient {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly ended: Promise<Ending>;
  readonly #waiting = new Set<() => void>();
  #requests = 0;

  constructor(base: string, options: UpgradeOptions = {}) {
    this.socket = new WebSocket(`${base.replace('http', 'ws')}/ws`, options);
    this.socket.on('message', (data) => {
      this.frames.push(JSON.parse(String(data)));
      this.#look();
    });
    this.socket.on('error', () => {});
    this.ended = new Promise((resolve) => {
      this.socket.once('close', (code, reason) => {
        resolve({ code, reason: String(reason) });
        this.#look();
      });
    });
  }

  static async open(base: string, options: UpgradeOptions = {}): Promise<SocketClient> {
    const client = new SocketClient(base, options);
    await once(client.socket, 'open');
    return client;
  }

  /** Opens a socket and authenticates it. */
  static async signedIn(base: string, token: string, since?: number): Promise<SocketClient> {
    const client = await SocketClient.open(base);
    const response = await client.authenticate(token, { since });
    if (response.type !== 'ready') throw new Error(`not signed in: ${JSON.stringify(response)}`);
    return client;
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  authenticate(token: string, { requestId = '1', since }: { requestId?: string; since?: number | undefined } = {}): Promise<Frame> {
    this.send({ type: 'authenticate', requestId, token, since });
    return this.frame(requestId);
  }

  /** Authenticates by the session that came with the upgrade. */
  present(csrf: string, requestId = '1'): Promise<Frame> {
    this.send({ type: 'authenticate', requestId, csrf_token: csrf });
    return this.frame(requestId);
  }

  /** Sends a request under a new id and waits for its response. */
  request(frame: object): Promise<Frame> {
    this.#requests += 1;
    const requestId = `request-${this.#requests}`;
    this.send({ requestId, ...frame });
    return this.frame(requestId);
  }

  /** The response to a request. */
  frame(requestId: string): Promise<Frame> {
    return this.next((frame) => frame.requestId === requestId && ANSWERS.has(frame.type), `an answer to ${requestId}`);
  }

  /** The first event of this name, received already or later. */
  event(name: string): Promise<Frame> {
    return this.next((frame) => frame.type === 'event' && frame.event === name, name);
  }

  get events(): Frame[] {
    return this.frames.filter(({ type }) => type === 'event');
  }

  /** The first matching frame, received already or later. @throws when the socket closes, or on a timeout */
  async next(fits: (frame: Frame) => boolean, what = 'a frame'): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(fits);
      if (found !== undefined) return found;
      if (this.socket.readyState === WebSocket.CLOSED) {
        const { code, reason } = await this.ended;
        throw new Error(`the socket was closed with ${code} ${reason} instead of ${what}`);
      }
      await this.#change(what);
    }
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    this.socket.close();
    await this.ended;
  }

  #change(what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const came = patiently(() => reject(new Error(`${what} never came; there is ${JSON.stringify(this.frames).slice(0, 2_000)}`)));
      const look = () => {
        came();
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
    });
  }

  #look(): void {
    for (const look of this.#waiting) look();
  }
}
