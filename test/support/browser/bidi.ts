import { once } from 'node:events';
import { WebSocket } from 'ws';

interface Message {
  id?: number;
  type: 'success' | 'error' | 'event';
  result?: any;
  error?: string;
  message?: string;
}

/** A connection of WebDriver BiDi: commands, each with its response (https://www.w3.org/TR/webdriver-bidi/). */
export class BiDi {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<any>>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#receive(JSON.parse(data.toString())));
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the browser has closed the connection'));
    });
  }

  /** @param address of the browser, as it prints it */
  static async connect(address: string): Promise<BiDi> {
    const socket = new WebSocket(`${address}/session`);
    await once(socket, 'open');
    const connection = new BiDi(socket);
    await connection.send('session.new', { capabilities: {} });
    return connection;
  }

  /** @throws Error with the browser's reason */
  send(method: string, params: object): Promise<any> {
    const answer = Promise.withResolvers<any>();
    this.#last += 1;
    this.#waiting.set(this.#last, answer);
    this.#socket.send(JSON.stringify({ id: this.#last, method, params }));
    return answer.promise;
  }

  close(): void {
    this.#socket.terminate();
  }

  #receive({ id, type, result, error, message }: Message): void {
    const answer = this.#waiting.get(id ?? 0);
    if (id === undefined || answer === undefined) return;
    this.#waiting.delete(id);
    if (type === 'success') answer.resolve(result);
    else answer.reject(new Error(`${error}: ${message}`));
  }
}
