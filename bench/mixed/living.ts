import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '../../src/database/database.ts';
import { CountsInDatabase } from '../../src/metrics/database-counts.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { CallingSocket, closeRequests } from './lanes.ts';
import { Latencies } from './latencies.ts';
import type { Person } from './people.ts';

/** A minute and the time that the queue takes to notice it, on a busy machine. */
const SWEEP_MS = 180_000;
const LOOK_MS = 500;

/**
 * All call concurrently, and one of them does every other operation, the deletion last.
 *
 * @param signIn returns a new ID token, which the deletion requires
 */
export async function liveThrough(port: number, people: readonly Person[], signIn: (subject: string) => Promise<string>): Promise<void> {
  await callTogether(port, people);
  const token = await signIn(people[0]?.subject ?? '');
  const send = async (method: string, path: string, form?: Record<string, string>) => {
    const body = form && new URLSearchParams(form);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { authorization: token }, ...(body && { body }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return text;
  };
  await send('POST', '/waitlist', { email: 'somebody@example.com' });
  await send('POST', '/workspace_access_request', { email: 'somebody@example.com' });
  await send('GET', '/update_integrations');
  await send('GET', '/integrations');
  await send('GET', '/auth/bank/accounts');
  await send('GET', '/user/audit');
  await send('GET', '/user/export');
  const { accounts } = JSON.parse(await send('GET', '/auth/workspace/accounts')) as { accounts: { id: string }[] };
  await send('POST', `/auth/workspace/accounts/${accounts[0]?.id}/default`);
  await send('DELETE', `/auth/workspace/accounts/${accounts[0]?.id}`);
  await send('DELETE', '/user');
}

/** Concurrent calls share their statements. */
async function callTogether(port: number, people: readonly Person[]): Promise<void> {
  const sockets: CallingSocket[] = [];
  for (const { token } of people) sockets.push(await CallingSocket.open(port, token));
  const calls = new Latencies();
  for (let time = 0; time < 2; time += 1) await Promise.all(sockets.map((socket) => socket.call('mail.labels', calls)));
  for (const socket of sockets) socket.close();
  closeRequests();
  if (calls.errors > 0) throw new Error(calls.firstError);
}

/** The statements of the metrics. */
export async function countAll(databaseUrl: string): Promise<void> {
  const db = new Database({ connectionString: databaseUrl }, 1, createLogger('silent'));
  const { up } = await new CountsInDatabase(db, async () => []).read();
  await db.close();
  if (!up) throw new Error('the counts of the metrics failed');
}

/** The scheduled work of each minute ends with the old events. */
export async function untilSwept(statements: ReadonlyMap<string, unknown>): Promise<void> {
  const end = performance.now() + SWEEP_MS;
  while (![...statements.keys()].some((text) => /delete from events_\w+ where/.test(text))) {
    if (performance.now() > end) throw new Error('the sweep of the minute did not come');
    await sleep(LOOK_MS);
  }
}
