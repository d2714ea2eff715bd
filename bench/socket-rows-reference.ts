// Reference of (g): bare ws and pg. For each frame it reads the account's row by its key, commits one row, and sends the input back.
// Statements are grouped as the service's: GROUPS holds the sizes of src/database/statement-batcher.ts.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';
import { WebSocketServer } from 'ws';

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}
interface Account {
  id: string;
  user_id: string;
  label: string;
}
interface Call {
  id: string;
  account: Account;
  action: string;
  ms: number;
}

const { batchSize, concurrency, quietTurns, turnsMax, ms } = JSON.parse(process.env.GROUPS ?? '{}');
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 10 });

/** One statement for the items of many frames. */
function grouped<Item, Result>(work: (items: Item[]) => Promise<Result[]>): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running = 0;
  const isWorthAnother = (others: number) => waiting.length >= (others === 0 ? 1 : batchSize);
  const next = () => {
    if (!isWorthAnother(running - 1)) running -= 1;
    else if (waiting.length >= batchSize) send();
    else gather(0, 0, 0, performance.now() + ms);
  };
  const gather = (turns: number, quiet: number, seen: number, end: number) => {
    if (turns === turnsMax || quiet === quietTurns || performance.now() >= end) return send();
    const { length } = waiting;
    setImmediate(() => gather(turns + 1, length > seen ? 0 : quiet + 1, length, end));
  };
  const send = () => {
    const batch = waiting.slice(0, batchSize);
    waiting = waiting.slice(batchSize);
    if (batch.length === 0) return next();
    work(batch.map(({ item }) => item))
      .then(
        (results) => {
          for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
        },
        (error) => {
          for (const { reject } of batch) reject(error);
        },
      )
      .then(next);
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (running >= concurrency || !isWorthAnother(running)) return;
      running += 1;
      next();
    });
}

const readAccount = grouped(async (ids: string[]) => {
  const { rows } = await pool.query<Account>({
    name: 'read',
    text: 'select id, user_id, bank_name as label from bank_items where id = any($1::uuid[])',
    values: [[...new Set(ids)]],
  });
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => found.get(id) as Account);
});

const commitCall = grouped(async (calls: Call[]) => {
  const texts = [
    calls.map(({ id }) => id),
    calls.map(({ account }) => account.user_id),
    calls.map(({ account }) => account.id),
    calls.map(({ action }) => action),
    calls.map(({ ms }) => ms),
  ].map((column) => column.join());
  await pool.query({
    name: 'commit',
    text: `insert into bench_calls (id, user_id, account_id, action, ms)
           select * from unnest(${['uuid', 'uuid', 'uuid', 'text', 'int'].map((type, index) => `string_to_array($${index + 1}, ',')::${type}[]`).join(', ')})`,
    values: texts,
  });
  return calls;
});

await pool.query(`create table bench_calls (
  id uuid primary key, user_id uuid not null, account_id uuid not null, at timestamptz not null default now(), action text not null, ms int not null
)`);
const { rows: accounts } = await pool.query<Account>('select id, bank_name as label from bank_items');
const ids = new Map(accounts.map(({ id, label }) => [label, id]));

async function call({ requestId, action, account: label, input }: Record<string, string>): Promise<string> {
  const startedAt = performance.now();
  const account = await readAccount(ids.get(label as string) as string);
  const ms = Math.round(performance.now() - startedAt);
  await commitCall({ id: randomUUID(), account, action: action as string, ms });
  return JSON.stringify({ type: 'result', requestId, data: input, meta: { account: account.label, accountId: account.id, ms } });
}

const server = createServer((_request, response) => response.end());
const sockets = new WebSocketServer({ server, path: '/ws', perMessageDeflate: false, clientTracking: false, maxPayload: 65_536 });
sockets.on('connection', (socket) => {
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data));
    if (frame.type === 'authenticate') return socket.send(JSON.stringify({ type: 'ready', requestId: frame.requestId }));
    call(frame).then(
      (response) => socket.send(response),
      (error) => socket.send(JSON.stringify({ type: 'error', message: String(error) })),
    );
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
