import fc from 'fast-check';
import { afterAll, beforeAll } from 'vitest';
import WebSocket from 'ws';
import { z } from 'zod';
import { FRAMES } from '../../src/socket/frames/frames.ts';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/processes/process.ts';
import { SocketClient } from '../support/users/socket-client.ts';
import { check } from './support/check.ts';
import { hostile, hostileText, nearly, onTheEdges } from './support/hostile-values.ts';
import { logErrors } from './support/log-errors.ts';
import { SEED, tryOut } from './support/random.ts';

const PLENTY = '100000000';
const KNOWN = new Set(['ready', 'result', 'error', 'event', 'progress', 'start', 'chunk', 'end', 'no-active']);
const INTERNALS = /\n\s+at |node:internal|node_modules|\/src\/|SyntaxError|TypeError|ZodError/;
const PATIENCE_MS = 20_000;

let place: Place;
let steward: TestProcess;
let victim: SocketClient;
let actions: string[];

beforeAll(async () => {
  place = await createPlace();
  steward = await startProcess({
    ...place.env,
    LIMIT_SOCKET_MESSAGES_PER_MINUTE: PLENTY,
    LIMIT_SOCKET_BYTES_PER_MINUTE: PLENTY,
    LIMIT_SOCKETS_PER_USER: PLENTY,
    LIMIT_SOCKET_CALLS: '1000',
  });
  victim = await SocketClient.signedIn(steward.url, await steward.signIn('victim-canary'));
  const { data } = await victim.request({ type: 'list' });
  actions = data.agents.flatMap(({ name, actions: own }: { name: string; actions: { name: string }[] }) =>
    own.map((one) => (one.name.includes('.') ? one.name : `${name}.${one.name}`)),
  );
});

afterAll(async () => {
  await victim.close();
  await steward.kill('SIGKILL');
  await place.remove();
});

const schemas = Object.values(FRAMES).map(
  (frame) => z.toJSONSchema(frame, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>,
);

/** Almost valid frames, calls of real actions with any input, and texts that are no frames. */
function texts(): fc.Arbitrary<string> {
  const call = fc.record({
    type: fc.constant('call'),
    requestId: fc.string({ minLength: 1, maxLength: 10 }),
    action: fc.oneof(fc.constantFrom(...actions), fc.string({ unit: 'binary', maxLength: 30 }), hostileText),
    input: fc.oneof(fc.dictionary(fc.string({ maxLength: 10 }), hostile, { maxKeys: 4 }), hostile),
  });
  const json = fc.oneof(...schemas.map(nearly), call, call).map((frame) => JSON.stringify(frame) ?? 'null');
  const cut = fc
    .tuple(json, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([text, share]) => text.slice(0, Math.floor(text.length * share)));
  return fc.oneof(
    { weight: 6, arbitrary: json },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 200 }) },
  );
}

function judge(frame: Record<string, any>): void {
  if (!KNOWN.has(frame.type)) throw new Error(`a frame of the type ${frame.type}`);
  if (frame.type === 'error' && frame.error.code === 'internal') throw new Error('the service failed: internal');
  const text = JSON.stringify(frame);
  if (INTERNALS.test(text)) throw new Error('a frame tells of the inside');
  if (text.includes('victim-canary')) throw new Error('another user’s data was shown');
}

check('fuzz: every socket frame, signed in', async () => {
  const token = await steward.signIn('attacker');
  let client = await SocketClient.signedIn(steward.url, token);
  let marks = 0;
  const { tried, failed } = await tryOut(
    'frame',
    fc.array(texts(), { minLength: 1, maxLength: 8 }),
    async (frames) => {
      if (client.socket.readyState !== WebSocket.OPEN) client = await SocketClient.signedIn(steward.url, token);
      const before = client.frames.length;
      for (const text of frames) client.send(text);
      marks += 1;
      const mark = `mark-${marks}`;
      client.send({ type: 'approvals', requestId: mark });
      // An invalid frame may close the socket, as documented; the service itself must continue.
      await client.frame(mark).catch(() => client.ended);
      for (const frame of client.frames.slice(before)) judge(frame);
    },
    5,
    schemas.flatMap((schema) => onTheEdges(schema, SEED)).map((frame) => [JSON.stringify(frame)]),
  );
  return { tried, failed: [...failed, ...(await aftermath())] };
});

check('fuzz: frames before authentication, and bytes', async () => {
  const opening = fc.oneof(texts(), fc.uint8Array({ maxLength: 300 }));
  const { tried, failed } = await tryOut(
    'opening',
    opening,
    async (data) => {
      const client = await SocketClient.open(steward.url);
      client.socket.send(typeof data === 'string' ? data : Buffer.from(data));
      const timer = setTimeout(() => client.socket.terminate(), PATIENCE_MS);
      const { code } = await client.ended;
      clearTimeout(timer);
      if (code === 1006) throw new Error('it was left open, or cut without a word');
      for (const frame of client.frames) judge(frame);
    },
    1,
  );
  return { tried, failed: [...failed, ...(await aftermath())] };
});

async function aftermath(): Promise<string[]> {
  const failed: string[] = [];
  if (!steward.running() || (await steward.call('/test')).status !== 200) failed.push('the process did not live through it');
  if ((await victim.request({ type: 'approvals' })).type !== 'result') failed.push('another user’s socket suffered');
  failed.push(...logErrors(steward.output()));
  return failed;
}
