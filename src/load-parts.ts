import { setImmediate as nextTurn } from 'node:timers/promises';

/** Of about the same size, each on what those before it have loaded. */
const PIECES = [
  () => import('./http/body.ts'),
  () => import('./agents/executor.ts'),
  () => import('./bank/bank-webhooks.ts'),
  () => import('./vault/access-tokens.ts'),
  () => import('./context.ts'),
  () => import('./socket/socket-server.ts'),
  () => import('./workspace/workspace-routes.ts'),
  () => import('./app.ts'),
];

/**
 * Loads the code that is not needed before the database is connected. That holds the thread: so it comes in pieces,
 * and between them the database's answers are taken in, and the next statements go out. Connecting doesn't take part:
 * on a slow machine its time-out would be over before its answers were looked at.
 */
export async function loadParts() {
  for (const load of PIECES) {
    await nextTurn();
    await load();
  }
  const [{ createApp }, { createContext, isAllowedOrigin }, { SocketServer }, { workOf }, { Workers }] = await Promise.all([
    import('./app.ts'),
    import('./context.ts'),
    import('./socket/socket-server.ts'),
    import('./socket/requests.ts'),
    import('./workers.ts'),
  ]);
  return { createApp, createContext, isAllowedOrigin, SocketServer, workOf, Workers };
}
