import { request as send } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts';

export interface RoundRobin extends LoopbackServer {
  /** Requests that each replica has received. */
  readonly counts: readonly number[];
}

/**
 * A load balancer that sends each request to another of the replicas than the one before, streams included.
 *
 * @param replicas their addresses; those that have to know the balancer's own are added once they have started
 */
export async function startRoundRobin(replicas: readonly string[]): Promise<RoundRobin> {
  const counts: number[] = [];
  let next = 0;
  const server = await startLoopbackServer((request, response) => {
    const index = next % replicas.length;
    next += 1;
    counts[index] = (counts[index] ?? 0) + 1;
    const passed = send(new URL(request.url ?? '/', replicas[index]), { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers).flushHeaders();
      pipeline(answer, response).catch(() => {});
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  return { ...server, counts };
}
