import { once } from 'node:events';
import type { Clock } from '../../clock/clock.ts';
import type { Reply, Response } from './endpoint.ts';
import { leavingSignal } from './endpoint.ts';

type EventReply = Extract<Reply<never>, { events: unknown }>;

/** Proxies close connections on which nothing is sent for a minute. */
const KEEP_ALIVE_MS = 15_000;

/** Sends server-sent events, no faster than the client reads them, and `[DONE]` after the last one. */
export async function sendEvents(clock: Clock, response: Response, { events, headers }: EventReply): Promise<void> {
  const leaving = leavingSignal(response);
  response.setHeader('cache-control', 'no-store');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.flushHeaders();
  const alive = clock.every(KEEP_ALIVE_MS, () => {
    if (!response.writableNeedDrain) response.write(': keep-alive\n\n');
  });
  try {
    for await (const batch of events(leaving)) {
      if (!response.write(batch.map((event) => `data: ${event}\n\n`).join('')))
        await once(response, 'drain', { signal: leaving }).catch(() => {});
    }
  } finally {
    alive.cancel();
  }
  response.end('data: [DONE]\n\n');
}
