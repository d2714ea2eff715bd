import type { ServerContext } from '@modelcontextprotocol/server';
import type { Clock } from '../clock/clock.ts';

/** Interval of notifications while a call runs and says nothing itself; a stream without data is cut by proxies. */
const TICK_MS = 5_000;

export interface Progress {
  /** Says what is being done. */
  message(text: string): void;
  end(): void;
}

/** Progress of a request, for a client that sent a token for it; the numbers only rise (Model Context Protocol, “Progress”). */
export function progressOf({ mcpReq: { _meta, notify, signal } }: ServerContext, clock: Clock): Progress {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return { message: () => {}, end: () => {} };
  let progress = 0;
  const send = (message?: string) => {
    if (signal.aborted) return;
    progress += 1;
    const params = { progressToken, progress, ...(message !== undefined && { message }) };
    // A client that has left needs none.
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  const timer = clock.every(TICK_MS, () => send()).unref();
  return { message: send, end: () => timer.cancel() };
}
