// Reference of (b): GET /auth/bank/accounts on bare node:http, with prepared statements as the service has them.
// MODE=two: each request checks the ID token (RS256 and claims) and runs the service's two statements, user and list.
// MODE=one: each request checks the ID token, and one statement finds user and list together.
// MODE=remember: like the service, it caches a valid token for 60 s; then only the list's statement is left.
import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';

const { OIDC_ISSUER: issuer = '', OIDC_AUDIENCE: audience = '' } = process.env;
const mode = process.env.MODE;
const remember = mode === 'remember';
const REMEMBER_MS = 60_000;

interface Item {
  id: string;
  bankName: string;
  accounts: { name: string; mask: string | null }[];
  status: string;
}

const KNOWN_USER = {
  name: 'known-user',
  text: `select u.id, u.email, d.deleted_at as "deletedAt"
         from (select 1) as one
         left join users u on u.issuer = $1 and u.subject = $2
         left join deleted_users d on d.identity_hash = $3`,
};
const BANK_ITEMS = {
  name: 'bank-items',
  text: `select i.id, i.grant_id as "grantId", i.institution_id as "institutionId", i.bank_name as "bankName", i.accounts, g.status
         from bank_items i join grants g on g.id = i.grant_id
         where i.user_id = $1::uuid order by i.connected_at, i.id`,
};
const ITEMS_OF_SUBJECT = {
  name: 'items-of-subject',
  text: `select i.id, i.grant_id as "grantId", i.institution_id as "institutionId", i.bank_name as "bankName", i.accounts, g.status
         from users u join bank_items i on i.user_id = u.id join grants g on g.id = i.grant_id
         where u.issuer = $1 and u.subject = $2 order by i.connected_at, i.id`,
};

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 10 });
const { keys } = (await (await fetch(`${issuer}/jwks`)).json()) as { keys: JsonWebKey[] };
const key = createPublicKey({ key: keys[0] as JsonWebKey, format: 'jwk' });
const remembered = new Map<string, { userId: string; until: number }>();

function subjectOf(token: string): string | undefined {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg: string };
  if (alg !== 'RS256') return undefined;
  if (!verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'))) return undefined;
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iss: string; aud: string; sub: string; exp: number };
  if (claims.iss !== issuer || claims.aud !== audience || claims.exp <= Date.now() / 1000) return undefined;
  return claims.sub;
}

async function userOf(token: string): Promise<string | undefined> {
  const known = remember ? remembered.get(token) : undefined;
  if (known !== undefined && known.until > Date.now()) return known.userId;
  const subject = subjectOf(token);
  if (subject === undefined) return undefined;
  const hash = createHash('sha256').update(`${issuer}\0${subject}`).digest();
  const { rows } = await pool.query<{ id: string }>(KNOWN_USER, [issuer, subject, hash]);
  const userId = rows[0]?.id;
  if (remember && userId !== undefined) remembered.set(token, { userId, until: Date.now() + REMEMBER_MS });
  return userId;
}

/** undefined = the token is not valid. */
async function itemsOf(token: string): Promise<Item[] | undefined> {
  if (mode === 'one') {
    const subject = subjectOf(token);
    return subject === undefined ? undefined : (await pool.query<Item>(ITEMS_OF_SUBJECT, [issuer, subject])).rows;
  }
  const userId = await userOf(token);
  return userId === undefined ? undefined : (await pool.query<Item>(BANK_ITEMS, [userId])).rows;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/health/ready') return send(response, 200, {});
  const items = await itemsOf(request.headers.authorization ?? '');
  if (items === undefined) return send(response, 401, {});
  const accounts = items.map(({ id, bankName, accounts: list, status }) => ({
    id,
    bank_name: bankName,
    mask: list.map(({ name, mask }) => ({ name, mask: mask ?? '' })),
    status,
  }));
  send(response, 200, { accounts });
}

function send(response: ServerResponse, status: number, value: object): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

createServer((request, response) => {
  answer(request, response).catch(() => send(response, 500, {}));
}).listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
