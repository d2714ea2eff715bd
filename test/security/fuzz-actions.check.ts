import fc from 'fast-check';
import { afterAll, beforeAll } from 'vitest';
import WebSocket from 'ws';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/processes/process.ts';
import { connect, linkBank } from '../support/scenes/flows.ts';
import { SocketClient } from '../support/users/socket-client.ts';
import { check, type Outcome } from './support/check.ts';
import { fitting, nearly, onTheEdges } from './support/hostile-values.ts';
import { logErrors } from './support/log-errors.ts';
import { SEED, tryOut } from './support/random.ts';

type Json = Record<string, any>;

const PLENTY = '100000000';
const INTERNALS = /\n\s+at |node:internal|node_modules|\/src\/|SyntaxError|TypeError|ZodError/;
/** Per action: there are dozens of them. */
const SHARE = 0.5;
const TOO_LARGE = 1009;

let place: Place;
let steward: TestProcess;
let token: string;
let client: SocketClient;

beforeAll(async () => {
  place = await createPlace();
  steward = await startProcess({
    ...place.env,
    LIMIT_SOCKET_MESSAGES_PER_MINUTE: PLENTY,
    LIMIT_SOCKET_BYTES_PER_MINUTE: PLENTY,
    LIMIT_PROVIDER_REQUESTS_PER_MINUTE: PLENTY,
    LIMIT_USER_PROVIDER_REQUESTS_PER_MINUTE: PLENTY,
  });
  token = await steward.signIn('attacker');
  await connect(steward, { token, email: 'attacker@example.com' });
  await linkBank(steward, token);
  client = await SocketClient.signedIn(steward.url, token);
});

afterAll(async () => {
  await client.close();
  await steward.kill('SIGKILL');
  await place.remove();
});

async function judge(action: string, input: unknown): Promise<void> {
  if (client.socket.readyState !== WebSocket.OPEN) client = await SocketClient.signedIn(steward.url, token);
  const ended = client.ended.then(({ code }) => ({ type: 'end', code }));
  const response: Json = await Promise.race([client.request({ type: 'call', action, input }), ended]);
  // A frame beyond the limit closes the socket, as documented; the next call opens another.
  if (response.type === 'end' && response.code === TOO_LARGE) return;
  if (response.type !== 'result' && response.type !== 'error') throw new Error(`an answer of the type ${response.type}`);
  if (response.type === 'error' && response.error.code === 'internal') throw new Error('the service failed: internal');
  if (response.type === 'error' && INTERNALS.test(response.errorText)) throw new Error('an error tells of the inside');
}

check('fuzz: every action’s input, on connected accounts', async () => {
  const outcome: Outcome = { tried: 0, failed: [] };
  const { data } = await client.request({ type: 'list' });
  for (const { actions } of data.agents as Json[]) {
    for (const { name, input: schema } of actions as Json[]) {
      const inputs = fc.oneof(nearly(schema), fitting(schema));
      const { tried, failed } = await tryOut(name, inputs, (input) => judge(name, input), SHARE, onTheEdges(schema, SEED));
      outcome.tried += tried;
      outcome.failed.push(...failed);
    }
  }
  if (!steward.running() || (await steward.call('/test')).status !== 200) outcome.failed.push('the process did not live through it');
  outcome.failed.push(...logErrors(steward.output()));
  return outcome;
});
