import fc from 'fast-check';
import { afterAll, beforeAll } from 'vitest';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/processes/process.ts';
import { connect, linkBank } from '../support/scenes/flows.ts';
import { type RawResponse, sendRaw } from '../support/servers/raw-http.ts';
import { check, type Outcome } from './support/check.ts';
import { CODINGS, encode, encoded, flat } from './support/codings.ts';
import { fitting, hostile, nearly, onTheEdges } from './support/hostile-values.ts';
import { logErrors } from './support/log-errors.ts';
import { SEED, tryOut } from './support/random.ts';

type Json = Record<string, any>;

const PLENTY = '100000000';
const LIMITS = ['REQUESTS', 'USER_REQUESTS', 'PROVIDER_REQUESTS', 'USER_PROVIDER_REQUESTS', 'WAITLIST', 'PROBES', 'USER_EXPORTS'];
const REQUEST_ID = /^[0-9a-f-]{36}$/;
/** Stack frames, files, SQL, libraries. */
const INTERNALS =
  /\n\s+at |node:internal|node_modules|\/src\/|\binsert into\b|\bselect .* from\b|ECONN|ENOENT|SyntaxError|TypeError|ZodError/;

let place: Place;
let steward: TestProcess;
let document: Json;
let victim: { token: string; secrets: string[]; ids: string[]; held: string };

beforeAll(async () => {
  place = await createPlace();
  const limits = Object.fromEntries(LIMITS.map((name) => [`LIMIT_${name}_PER_MINUTE`, PLENTY]));
  steward = await startProcess({ ...place.env, ...limits, LOG_LEVEL: 'debug' });
  document = (await steward.call('/openapi.json')).body;
  victim = await prepareVictim();
});

afterAll(async () => {
  await steward.kill('SIGKILL');
  await place.remove();
});

/** A user whose data no other caller may see or change. */
async function prepareVictim() {
  const token = await steward.signIn('victim-canary');
  await connect(steward, { token, email: 'victim-mailbox-canary@example.com' });
  await linkBank(steward, token);
  const { accounts } = (await steward.call('/auth/workspace/accounts', { token })).body;
  const banks = (await steward.call('/auth/bank/accounts', { token })).body.accounts;
  const ids = [...accounts, ...banks].map(({ id }: { id: string }) => id);
  const secrets = ['victim-canary@', 'victim-mailbox-canary', token.split('.')[2] ?? token];
  return { token, secrets, ids, held: JSON.stringify([accounts, banks]) };
}

interface Sent {
  parameters: Record<string, unknown>;
  query: unknown;
  body: unknown;
  coding: string;
  headers: string[];
  token: string;
}

const headers: fc.Arbitrary<string[]> = fc.array(
  fc.oneof(
    fc.constantFrom(
      'Accept: text/html',
      'Accept: application/json;q=0.1, text/html',
      'Accept: */*;q=x',
      'Origin: null',
      'Origin: https://evil.example',
      'Origin: http://localhost:3000',
      'Cookie: steward_binding=x; __proto__=1; =; a',
      `Cookie: ${'a=b; '.repeat(400)}`,
      'X-Forwarded-For: 203.0.113.1, unknown',
      'Forwarded: for="[::1]"',
      'X-HTTP-Method-Override: DELETE',
      'Range: bytes=0-1',
      'If-None-Match: *',
      'Expect: 200-ok',
      'Sec-Purpose: prefetch',
      'Content-Encoding: br',
      'Accept-Encoding: identity;q=0',
      'Upgrade: h2c\r\nConnection: Upgrade',
      'traceparent: 00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-ff',
      'Plaid-Verification: a.b.c',
    ),
    fc
      .tuple(fc.stringMatching(/^[A-Za-z-]{1,20}$/), fc.stringMatching(/^[\x21-\x7e\xa0-\xff]{1,60}$/))
      .map(([name, value]) => `X-${name}: ${value}`),
  ),
  { maxLength: 4 },
);

function schemasOf(operation: Json): { query: Json; body: Json; parameters: Json[] } {
  const parameters: Json[] = operation.parameters ?? [];
  const inQuery = parameters.filter((one) => one.in === 'query').map((one) => [one.name, one.schema]);
  const schema = operation.requestBody?.content['application/json'].schema ?? {};
  const body = schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)];
  return { query: { type: 'object', properties: Object.fromEntries(inQuery) }, body, parameters };
}

/** Every field of query and body at its bounds, which random values rarely reach. */
function edgesOf(operation: Json): Sent[] {
  const { query, body } = schemasOf(operation);
  const sample = <Input>(inputs: fc.Arbitrary<Input>) => fc.sample(inputs, { seed: SEED, numRuns: 1 })[0] as Input;
  const sent = {
    ...sample(inputsOf(operation)),
    query: sample(fitting(query)),
    body: sample(fitting(body)),
    coding: 'json',
    headers: [],
    token: 'own',
  };
  return [
    ...onTheEdges(query, SEED).map((edge) => ({ ...sent, query: edge })),
    ...onTheEdges(body, SEED).map((edge) => ({ ...sent, body: edge })),
  ];
}

function inputsOf(operation: Json): fc.Arbitrary<Sent> {
  const { query, body, parameters } = schemasOf(operation);
  const inPath = parameters
    .filter((one) => one.in === 'path')
    .map((one) => [one.name, fc.oneof(fitting(one.schema), hostile, fc.constantFrom(...victim.ids))]);
  return fc.record({
    parameters: fc.record(Object.fromEntries(inPath)) as fc.Arbitrary<Record<string, unknown>>,
    query: nearly(query),
    body: nearly(body),
    coding: fc.constantFrom(...CODINGS),
    headers,
    token: fc.constantFrom('own', 'own', 'own', 'bearer', 'none', 'cut', 'garbage', 'foreign'),
  });
}

function authorization(kind: string, token: string): string[] {
  if (kind === 'none') return [];
  const values: Record<string, string> = {
    bearer: `Bearer ${token}`,
    cut: token.slice(0, -4),
    garbage: 'a.b.c',
    foreign: 'eyJhbGciOiJub25lIn0.e30.',
  };
  return [`Authorization: ${values[kind] ?? token}`];
}

async function send(method: string, path: string, sent: Sent, token: string): Promise<RawResponse> {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encode(flat({ value: sent.parameters[name] })[0]?.[1] ?? ''));
  const query = flat(sent.query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');
  const { type, bytes } = method === 'GET' ? { type: undefined, bytes: Buffer.alloc(0) } : encoded(sent.coding, sent.body);
  const chunked = sent.coding === 'chunked' && method !== 'GET';
  const lines = [
    `${method} ${filled}${sent.query === null || query === '' ? '' : `?${query}`} HTTP/1.1`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes.length}`,
    ...authorization(sent.token, token),
    ...sent.headers,
    'Connection: close',
  ];
  const body = chunked
    ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from(bytes.length > 0 ? '\r\n0\r\n\r\n' : '\r\n')])
    : bytes;
  return sendRaw(steward.url, lines, body);
}

/** What holds for every response. */
function judge(response: RawResponse): void {
  const { status, headers, text, body } = response;
  if (status === 0) throw new Error('the connection ended without an answer');
  if (status === 500) throw new Error('the service failed: 500');
  if (headers.get('x-request-id')?.match(REQUEST_ID) == null) throw new Error(`${status} without a request id`);
  const isPage = headers.get('content-type')?.startsWith('text/html') === true;
  if (status >= 400 && !isPage) {
    if (
      Object.keys(body ?? {})
        .toSorted()
        .join() !== 'code,message,request_id,status'
    )
      throw new Error(`${status} in another form`);
    if (body.request_id !== headers.get('x-request-id')) throw new Error('another request id in the body');
  }
  if (status >= 400 && INTERNALS.test(text)) throw new Error(`${status} tells of the inside`);
  const shown = text + [...headers].flat().join('\n');
  for (const secret of victim.secrets) if (shown.includes(secret)) throw new Error('another user’s data was shown');
}

check('fuzz: every endpoint', async () => {
  const outcome: Outcome = { tried: 0, failed: [] };
  let own = await steward.signIn('attacker');
  for (const [path, operations] of Object.entries<Json>(document.paths)) {
    for (const [method, operation] of Object.entries<Json>(operations)) {
      const attack = async (sent: Sent) => judge(await send(method.toUpperCase(), path, sent, own));
      const { tried, failed } = await tryOut(`${method.toUpperCase()} ${path}`, inputsOf(operation), attack, 1, edgesOf(operation));
      outcome.tried += tried;
      outcome.failed.push(...failed);
      // The user may have been deleted by a request.
      own = await steward.signIn('attacker');
    }
  }
  outcome.failed.push(...(await aftermath()));
  return outcome;
});

check('fuzz: request lines and headers', async () => {
  const lines = fc.record({
    method: fc.oneof(
      fc.constantFrom('GET', 'POST', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'get', 'PRI'),
      fc.stringMatching(/^[\x21-\x7e]{1,10}$/),
    ),
    target: fc.oneof(
      fc.constantFrom('*', '/', '//', '/%', '/%00', '/test/%2e%2e/', 'http://evil.example/test', '/test#x', '/..;/test', '\\test'),
      fc.stringMatching(/^\/[\x21-\x7e]{0,60}$/),
    ),
    version: fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/1.1 x', ''),
    header: fc.oneof(
      fc.constantFrom('X: \0', 'X : y', ' folded', 'Content-Length: 1e3', 'Transfer-Encoding: gzip', 'Host: other.example'),
      fc.stringMatching(/^[\x20-\x7e]{0,40}$/),
    ),
  });
  const { tried, failed } = await tryOut(
    'request line',
    lines,
    async ({ method, target, version, header }) => {
      const response = await sendRaw(steward.url, [`${method} ${target} ${version}`, header, 'Connection: close']);
      // Node closes connections that are not HTTP without a response, as with HTTP/0.9 and CONNECT.
      if (response.status !== 0 && response.status !== 101) judge(response);
    },
    10,
  );
  return { tried, failed: [...failed, ...(await aftermath())] };
});

/** The state after all requests: running, no errors logged, and the other user's data unchanged. */
async function aftermath(): Promise<string[]> {
  const failed: string[] = [];
  if (!steward.running() || (await steward.call('/test')).status !== 200) failed.push('the process did not live through it');
  const accounts = (await steward.call('/auth/workspace/accounts', { token: victim.token })).body.accounts;
  const banks = (await steward.call('/auth/bank/accounts', { token: victim.token })).body.accounts;
  if (JSON.stringify([accounts, banks]) !== victim.held) failed.push('another user’s data was changed');
  const output = steward.output();
  failed.push(...logErrors(output));
  for (const secret of victim.secrets) if (output.includes(secret)) failed.push('the log contains user data');
  return failed;
}
