import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { SocketOrder, SocketResult } from './socket-load-client.ts';

/** The client of (g) and (h), in a separate process. */
export class SocketLoad {
  readonly #child: ChildProcess = fork(join(import.meta.dirname, 'socket-load-client.ts'));

  async run(order: SocketOrder): Promise<SocketResult> {
    this.#child.send(order);
    const [response] = (await once(this.#child, 'message')) as [SocketResult | { error: string }];
    if ('error' in response) throw new Error(response.error);
    return response;
  }

  [Symbol.dispose](): void {
    this.#child.disconnect();
  }
}

/** The first message on a socket of the service. */
export function hello(token: string): string {
  return JSON.stringify({ type: 'authenticate', requestId: '1', token });
}
