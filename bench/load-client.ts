// The load's own process: a fixed number of keep-alive connections, each with one request in progress.
// Raw sockets and a request made once, so that the client costs a fraction of any server it measures.
import { connect, type Socket } from 'node:net';

/** The parent's request. */
export interface LoadOrder {
  port: number;
  /** Whole requests as they go over the wire; connection n sends the one at n, from the start again. */
  requests: readonly string[];
  connections: number;
  /** Stop after this time, milliseconds, … */
  durationMs: number;
  /** … or after this many responses, whichever comes first. */
  responses: number;
}

export interface LoadResult {
  answers: number;
  elapsedMs: number;
  /** Processor time of the client itself. */
  cpuMs: number;
}

const HEAD_END = '\r\n\r\n';
const OK = 'HTTP/1.1 200 ';

/** Length of the response at the beginning of a buffer, 0 while it is incomplete. */
function completeLength(buffer: Buffer): number {
  const headEnd = buffer.indexOf(HEAD_END);
  if (headEnd === -1) return 0;
  const head = buffer.toString('latin1', 0, headEnd);
  if (!head.startsWith(OK)) throw new Error(`unexpected answer: ${head.slice(0, 60)}`);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error('an answer has no length');
  const whole = headEnd + HEAD_END.length + Number(length);
  return buffer.length < whole ? 0 : whole;
}

function drive(order: LoadOrder): Promise<LoadResult> {
  const requests = order.requests.map((request) => Buffer.from(request, 'latin1'));
  const cpu = process.cpuUsage();
  const start = performance.now();
  let responses = 0;
  const isOver = () => responses >= order.responses || performance.now() - start >= order.durationMs;

  const runConnection = (request: Buffer) =>
    new Promise<void>((resolve, reject) => {
      const socket: Socket = connect({ port: order.port, host: '127.0.0.1', noDelay: true });
      let pending: Buffer | undefined;
      socket.on('connect', () => socket.write(request));
      socket.on('data', (chunk: Buffer) => {
        const buffer = pending === undefined ? chunk : Buffer.concat([pending, chunk]);
        try {
          const length = completeLength(buffer);
          if (length > 0 && length !== buffer.length) throw new Error('more was answered than asked');
          pending = length === 0 ? buffer : undefined;
        } catch (error) {
          socket.destroy(error as Error);
          return;
        }
        if (pending !== undefined) return;
        responses += 1;
        if (isOver()) socket.end();
        else socket.write(request);
      });
      socket.on('error', reject).on('close', () => resolve());
    });

  return Promise.all(
    Array.from({ length: order.connections }, (_, index) => runConnection(requests[index % requests.length] as Buffer)),
  ).then(() => {
    const elapsedMs = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    return { answers: responses, elapsedMs, cpuMs: (user + system) / 1000 };
  });
}

process.on('message', (order: LoadOrder) => {
  drive(order).then(
    (result) => process.send?.(result),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
