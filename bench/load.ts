import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LoadOrder, LoadResult } from './load-client.ts';

const CONNECTIONS = 32;

/** The load client, in a separate process that stays warm between measurements. */
export class LoadClient {
  readonly #child: ChildProcess = fork(join(import.meta.dirname, 'load-client.ts'));

  /** Sends requests to a server for a time, milliseconds; each connection always the same one. */
  forTime(port: number, requests: readonly string[], durationMs: number): Promise<LoadResult> {
    return this.#run({ port, requests, connections: CONNECTIONS, durationMs, responses: Number.MAX_SAFE_INTEGER });
  }

  /** Sends a number of requests; at most one more per connection, which was in progress. */
  requests(port: number, request: string, responses: number): Promise<LoadResult> {
    return this.#run({ port, requests: [request], connections: CONNECTIONS, durationMs: Number.MAX_SAFE_INTEGER, responses });
  }

  close(): void {
    this.#child.disconnect();
  }

  async #run(order: LoadOrder): Promise<LoadResult> {
    this.#child.send(order);
    const [response] = (await once(this.#child, 'message')) as [LoadResult | { error: string }];
    if ('error' in response) throw new Error(response.error);
    return response;
  }
}

/** A GET as it goes over the wire. */
export function getRequest(path: string, token?: string): string {
  const authorization = token === undefined ? '' : `Authorization: ${token}\r\n`;
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n${authorization}\r\n`;
}
