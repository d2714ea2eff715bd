// Reference of the open loop: the same traffic on bare node:http, ws, pg and a keep-alive agent, without a framework and
// without what only the service has (policy, taint, vault, encryption, leases, limits, headers, a log line). It checks each
// new ID token and remembers it for a minute; a call reads one row, asks the provider and commits one row, and both
// statements are shared by the calls that come meanwhile, as the service's are.
import { createPublicKey, type JsonWebKey, randomUUID, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { type WebSocket, WebSocketServer } from 'ws';

const { OIDC_ISSUER: issuer = '', OIDC_AUDIENCE: audience = '', GOOGLE_API_URL: api = '', INTEGRATIONS_FILE: file = '' } = process.env;
const REMEMBER_MS = 60_000;
/** Of a token's lifetime, as the service's. */
const EARLY_MS = 4_000;

interface Grant {
  userId: string;
  accessToken: string;
  refreshToken: string;
  expiresAt: Date;
}

const USER = { name: 'user', text: 'select id from users where issuer = $1 and subject = $2' };
const GRANTS = {
  name: 'grants',
  text: `select user_id as "userId", access_token as "accessToken", refresh_token as "refreshToken", expires_at as "expiresAt"
         from bench_grants where user_id = any($1::uuid[])`,
};
const RENEWED = {
  name: 'renewed',
  text: 'update bench_grants set access_token = $2, refresh_token = $3, expires_at = $4 where user_id = $1',
};
const AUDIT = {
  name: 'audit',
  text: `insert into bench_audit (user_id, call_id, action, outcome, milliseconds)
         select user_id, call_id, 'mail.labels', 'ok', ms from unnest($1::uuid[], $2::uuid[], $3::int[]) as row (user_id, call_id, ms)`,
};
const LISTS: Record<string, { name: string; text: string }> = {
  '/auth/workspace/accounts': {
    name: 'workspace',
    text: `select a.id, a.email, a.name, a.picture, a.is_default, g.status from workspace_accounts a join grants g on g.id = a.grant_id
           where a.user_id = $1 order by a.connected_at, a.id`,
  },
  '/auth/bank/accounts': {
    name: 'bank',
    text: `select i.id, i.bank_name, i.accounts, g.status from bank_items i join grants g on g.id = i.grant_id
           where i.user_id = $1 order by i.connected_at, i.id`,
  },
  '/integrations': {
    name: 'integrations',
    text: `select provider, count(*)::int as accounts from grants where user_id = $1 group by provider`,
  },
};

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 10 });
const agent = new Agent({ keepAlive: true });
const { keys } = (await (await fetch(`${issuer}/jwks`)).json()) as { keys: JsonWebKey[] };
const key = createPublicKey({ key: keys[0] as JsonWebKey, format: 'jwk' });
const remembered = new Map<string, { userId: string; until: number }>();
const renewals = new Map<string, Promise<string>>();

function subjectOf(token: string): string {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg: string };
  const isSigned = verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iss: string; aud: string; sub: string; exp: number };
  const isValid = alg === 'RS256' && isSigned && claims.iss === issuer && claims.aud === audience && claims.exp > Date.now() / 1000;
  if (!isValid) throw new Error('invalid token');
  return claims.sub;
}

async function userOf(token: string): Promise<string> {
  const known = remembered.get(token);
  if (known !== undefined && known.until > Date.now()) return known.userId;
  const { rows } = await pool.query<{ id: string }>(USER, [issuer, subjectOf(token)]);
  const userId = rows[0]?.id ?? '';
  remembered.set(token, { userId, until: Date.now() + REMEMBER_MS });
  return userId;
}

/** One statement at a time for the items that have come meanwhile. */
function grouped<Item, Result>(work: (items: Item[]) => Promise<Result[]>): (item: Item) => Promise<Result> {
  let waiting: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  let running = false;
  const run = async () => {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const results = await work(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, index) => {
          resolve(results[index] as Result);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!running) void run();
    });
}

const readGrant = grouped(async (userIds: string[]) => {
  const { rows } = await pool.query<Grant>(GRANTS, [userIds]);
  const found = new Map(rows.map((row) => [row.userId, row]));
  return userIds.map((userId) => found.get(userId) as Grant);
});
const record = grouped(async (calls: { userId: string; milliseconds: number }[]) => {
  const times = calls.map(({ milliseconds }) => milliseconds);
  await pool.query(AUDIT, [calls.map(({ userId }) => userId), calls.map(() => randomUUID()), times]);
  return calls;
});

function exchange(method: string, path: string, headers: Record<string, string>, body = ''): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = send(`${api}${path}`, { method, agent, headers }, (response) => {
      text(response).then((received) => resolve({ status: response.statusCode ?? 0, body: received }), reject);
    });
    sent.on('error', reject).end(body);
  });
}

/** Reads again: another call may have renewed it since. */
async function renew(userId: string): Promise<string> {
  const { accessToken, refreshToken, expiresAt: end } = await readGrant(userId);
  if (end.getTime() - Date.now() > EARLY_MS) return accessToken;
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: 'bench',
    client_secret: 'bench',
  });
  const { status, body } = await exchange('POST', '/token', { 'content-type': 'application/x-www-form-urlencoded' }, form.toString());
  if (status !== 200) throw new Error(`the provider refused a refresh: ${status}`);
  const tokens = JSON.parse(body) as { access_token: string; refresh_token: string; expires_in: number };
  const expiresAt = new Date(Date.now() + tokens.expires_in * 1_000);
  await pool.query({ ...RENEWED, values: [userId, tokens.access_token, tokens.refresh_token, expiresAt] });
  return tokens.access_token;
}

async function accessTokenOf(userId: string): Promise<string> {
  const grant = await readGrant(userId);
  if (grant.expiresAt.getTime() - Date.now() > EARLY_MS) return grant.accessToken;
  const renewal = renewals.get(userId) ?? renew(userId).finally(() => renewals.delete(userId));
  renewals.set(userId, renewal);
  return renewal;
}

async function call(userId: string): Promise<object> {
  const startedAt = performance.now();
  const authorization = `Bearer ${await accessTokenOf(userId)}`;
  const { status, body } = await exchange('GET', '/gmail/v1/users/me/labels', { authorization });
  if (status !== 200) throw new Error(`the provider answered ${status}`);
  const { labels } = JSON.parse(body) as { labels: { id: string; name: string }[] };
  await record({ userId, milliseconds: Math.round(performance.now() - startedAt) });
  return { labels };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '' } = request;
  const list = LISTS[url];
  if (list !== undefined) {
    const { rows } = await pool.query(list, [await userOf(request.headers.authorization ?? '')]);
    return respond(response, 200, { rows });
  }
  if (url === '/update_integrations') await readFile(file);
  else if (url === '/health/ready') await pool.query('select 1');
  respond(response, 200, { status: 'success' });
}

function respond(response: ServerResponse, status: number, value: object): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

async function receive(socket: WebSocket, signedIn: { userId?: string }, frame: Record<string, string>): Promise<void> {
  const { type, requestId, token = '' } = frame;
  if (type === 'authenticate') {
    signedIn.userId = await userOf(token);
    socket.send(JSON.stringify({ type: 'ready', requestId }));
    return;
  }
  try {
    socket.send(JSON.stringify({ type: 'result', requestId, data: await call(signedIn.userId ?? '') }));
  } catch (error) {
    socket.send(JSON.stringify({ type: 'error', requestId, error: { code: (error as Error).message } }));
  }
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => respond(response, 500, {}));
});
new WebSocketServer({ server, path: '/ws', perMessageDeflate: false }).on('connection', (socket) => {
  const signedIn = {};
  socket.on('message', (data) => void receive(socket, signedIn, JSON.parse(String(data)) as Record<string, string>));
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
