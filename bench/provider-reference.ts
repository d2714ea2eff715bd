// Reference of (k): bare ws. For each call one undici request with a bearer header, and one row committed before the answer. Rows
// share statements as the service's audit rows do (src/database/statement-batcher.ts).
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { request } from 'undici';
import { WebSocketServer } from 'ws';

interface Waiting {
  row: [string, string, string, number];
  resolve: () => void;
  reject: (error: unknown) => void;
}

const BATCH = 128;
const CONCURRENT = 3;
const QUIET_TURNS = 2;
const TOKEN = `ya29.${'a'.repeat(200)}`;
const URL = `${process.env.API_URL}/gmail/v1/users/me/labels?fields=labels(id%2Cname%2Ctype)`;

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 10 });
await pool.query(`create table if not exists bench_provider_calls (
  id bigint generated always as identity primary key, call_id uuid, action text, outcome text, ms int, at timestamptz default now())`);
const INSERT = {
  name: 'insert-calls',
  text: `insert into bench_provider_calls (call_id, action, outcome, ms) select * from unnest($1::uuid[], $2::text[], $3::text[], $4::int[])`,
};

const waiting: Waiting[] = [];
let running = 0;

function isWorthAnother(others: number): boolean {
  return waiting.length >= (others === 0 ? 1 : BATCH);
}

function commit(row: Waiting['row']): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  waiting.push({ row, resolve, reject });
  if (running < CONCURRENT && isWorthAnother(running)) {
    running += 1;
    void runBatches();
  }
  return promise;
}

async function runBatches(): Promise<void> {
  while (isWorthAnother(running - 1)) {
    for (let quiet = 0, seen = 0; waiting.length < BATCH && quiet < QUIET_TURNS; seen = waiting.length) {
      quiet = waiting.length > seen ? 0 : quiet + 1;
      await nextTurn();
    }
    const batch = waiting.splice(0, BATCH);
    if (batch.length === 0) continue;
    const columns = [0, 1, 2, 3].map((column) => batch.map(({ row }) => row[column]));
    await pool.query(INSERT, columns).then(
      () => {
        for (const { resolve } of batch) resolve();
      },
      (error) => {
        for (const { reject } of batch) reject(error);
      },
    );
  }
  running -= 1;
}

async function answer(text: string): Promise<string> {
  const start = performance.now();
  const { type, requestId, action, account } = JSON.parse(text);
  if (type === 'authenticate') return JSON.stringify({ type: 'ready', requestId });
  const { statusCode, body } = await request(URL, { headers: { authorization: `Bearer ${TOKEN}` } });
  const { labels } = (await body.json()) as { labels: { id: string; name: string; type: string }[] };
  if (statusCode !== 200) throw new Error(`the provider answered ${statusCode}`);
  const ms = Math.round(performance.now() - start);
  await commit([randomUUID(), action, 'ok', ms]);
  return JSON.stringify({ type: 'result', requestId, data: { items: labels }, meta: { account, ms } });
}

const server = createServer((_request, response) => response.end());
const sockets = new WebSocketServer({ server, path: '/ws', perMessageDeflate: false, clientTracking: false, maxPayload: 65_536 });
sockets.on('connection', (socket) => {
  socket.on('message', (data) => {
    answer(String(data)).then(
      (text) => socket.send(text),
      (error) => socket.send(JSON.stringify({ type: 'error', errorText: String(error) })),
    );
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
