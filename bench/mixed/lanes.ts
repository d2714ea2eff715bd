import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { WebSocket } from 'ws';
import { hello } from '../socket-load.ts';
import type { Latencies } from './latencies.ts';

/** The service responds to every request long before, if only with a time-out. */
const ANSWER_MS = 120_000;

interface Frame {
  type: string;
  message?: string;
  error?: { approvalId?: unknown };
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** One GET on a keep-alive connection, with the complete response. */
export async function request(port: number, path: string, token: string | undefined, into: Latencies): Promise<void> {
  const start = performance.now();
  try {
    const status = await new Promise<number>((resolve, reject) => {
      const headers = token === undefined ? {} : { authorization: token };
      const sent = get({ host: '127.0.0.1', port, path, agent, headers, timeout: ANSWER_MS }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
        response.on('error', reject);
      });
      sent.on('timeout', () => sent.destroy(new Error('no answer'))).on('error', reject);
    });
    if (status === 200) into.answered(performance.now() - start);
    else into.failed(`GET ${path} answered ${status}`);
  } catch (error) {
    into.failed(`GET ${path}: ${(error as Error).message}`);
  }
}

export function closeRequests(): void {
  agent.destroy();
}

/** An authenticated socket with one call at a time. */
export class CallingSocket {
  readonly #socket: WebSocket;
  #settle: ((frame: Frame) => void) | undefined;
  #calls = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Frame;
      // Events of the user and progress frames do not end a call.
      if (frame.type === 'result' || frame.type === 'error') this.#settle?.(frame);
    });
    socket.on('close', (code) => this.#settle?.({ type: 'error', message: `closed with ${code}` }));
    socket.on('error', () => {});
  }

  static async open(port: number, token: string): Promise<CallingSocket> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, 'steward.v1', { perMessageDeflate: false });
    await once(socket, 'open');
    socket.send(hello(token));
    await once(socket, 'message');
    return new CallingSocket(socket);
  }

  async call(action: string, into: Latencies, input: object = {}): Promise<void> {
    if (this.#socket.readyState !== WebSocket.OPEN) return into.failed('a socket is closed');
    const start = performance.now();
    const frame = await this.#send(action, input);
    if (frame.type === 'result') into.answered(performance.now() - start);
    else into.failed(`call: ${JSON.stringify(frame)}`);
  }

  /** A call that the user has to approve. @returns the id of the question */
  async ask(action: string, input: object): Promise<string> {
    const frame = await this.#send(action, input);
    const id = frame.error?.approvalId;
    if (typeof id !== 'string') throw new Error(`no question: ${JSON.stringify(frame)}`);
    return id;
  }

  async #send(action: string, input: object): Promise<Frame> {
    this.#calls += 1;
    const answered = new Promise<Frame>((resolve) => {
      this.#settle = resolve;
    });
    this.#socket.send(JSON.stringify({ type: 'call', requestId: `call-${this.#calls}`, action, input }));
    const patience = setTimeout(() => this.#socket.terminate(), ANSWER_MS);
    const frame = await answered;
    clearTimeout(patience);
    return frame;
  }

  close(): void {
    this.#socket.terminate();
  }
}
