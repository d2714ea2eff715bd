import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_INS } from '../../src/actions/built-ins.ts';
import { BankEmulator } from '../support/emulators/bank-emulator.ts';
import { WorkspaceEmulator } from '../support/emulators/workspace-emulator.ts';
import { bank, CASES } from '../support/inputs/provider-cases.ts';
import { MainThread } from '../support/processes/main-thread.ts';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/processes/process.ts';
import { hostileResponses, type Kind, SIZES, usualResponse } from '../support/servers/hostile-responses.ts';
import { type LoopbackServer, startLoopbackServer } from '../support/servers/loopback-server.ts';
import { connectGrant } from '../support/users/refreshing.ts';
import { SocketClient } from '../support/users/socket-client.ts';

let place: Place;
let provider: WorkspaceEmulator;
let aggregator: BankEmulator;
let api: LoopbackServer;
let steward: TestProcess;
const mainThread = new MainThread();
let client: SocketClient;
let token: string;
/** The provider's current responses, by the end of their path. */
let said: Map<string, string>;
let asked: Set<string>;

const PLENTY = '1000000';
/** A call that a limit rejects tests nothing. */
const FAILURES = new Set(['internal', 'rate_limited']);
const MUCH = 1_000_000;

beforeAll(async () => {
  [place, provider, aggregator] = await Promise.all([createPlace(), new WorkspaceEmulator().start(), new BankEmulator().start()]);
  api = await startLoopbackServer(respond);
  await start();
  token = await steward.signIn('someone');
  await connectGrant(steward, provider, async () => [], { token });
  expect((await steward.call('/auth/bank/set_access_token', { token, form: { public_token: 'public' } })).body).toEqual({ success: true });
  for (const path of Object.keys(bank)) aggregator.on(path, (response, call) => say(response, call.path));
  client = await SocketClient.signedIn(steward.url, token);
});

afterAll(async () => {
  mainThread.close();
  MainThread.print();
  await client.close();
  await steward.kill('SIGKILL');
  await api.close();
  await Promise.all([provider.stop(), aggregator.stop()]);
  await place.remove();
});

/** The service in another process: this one emulates the providers, and measures. */
async function start(): Promise<void> {
  const limits = {
    LIMIT_PROVIDER_REQUESTS_PER_MINUTE: PLENTY,
    LIMIT_USER_PROVIDER_REQUESTS_PER_MINUTE: PLENTY,
    LIMIT_SOCKET_MESSAGES_PER_MINUTE: PLENTY,
  };
  steward = await startProcess({ ...place.env, ...provider.env, ...aggregator.env, ...limits, GOOGLE_API_URL: api.url, ...mainThread.env });
}

function respond(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://api.invalid');
  request.resume().on('end', () => say(response, searchParams.get('alt') === 'media' ? `${pathname}?media` : pathname));
}

function say(response: ServerResponse, path: string): void {
  const [end = '', body] = [...said].find(([one]) => path.endsWith(one)) ?? [];
  if (body !== undefined) asked.add(end);
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': end.endsWith('?media') ? 'text/plain' : 'application/json' });
  response.end(body ?? '{}');
}

/** Runs an action to its end, approved if it must be. */
async function act(action: string, input: object): Promise<string> {
  const first = await client.request({ type: 'call', action, input });
  if (first.error?.code !== 'approval_required') return first.error?.code ?? 'result';
  const second = await client.request({ type: 'approve', approvalId: first.error.approvalId, approved: true });
  return second.error?.code ?? 'result';
}

/** Actions with an effect read the same large responses as the reads before them. */
function isTried(action: string, kind: Kind, size: number): boolean {
  return BUILT_INS.get(action)?.effect === 'read' || size < MUCH || kind === 'long texts' || kind === 'items';
}

describe('an action that reads hostile content ends as the interface says', () => {
  it('covers every built-in action', () => {
    // Those of the service itself ask nobody.
    const asking = [...BUILT_INS.values()].filter(({ provider }) => provider !== 'steward');
    expect(Object.keys(CASES).sort()).toEqual(asking.map(({ name }) => name).sort());
  });

  it.each(Object.entries(CASES))('%s', async (action, { input, responses }) => {
    const usual = new Map(Object.entries(responses).map(([path, template]) => [path, usualResponse(template)]));
    said = usual;
    asked = new Set();
    await act(action, input);
    expect(asked.size).toBeGreaterThan(0);
    const failed: string[] = [];
    for (const [path, size] of [...asked].flatMap((path) => SIZES.map((size) => [path, size] as const))) {
      for (const [kind, make] of hostileResponses(responses[path], size)) {
        if (!isTried(action, kind, size)) continue;
        said = new Map([...usual, [path, make()]]);
        const name = `${action}: ${kind}, ${size} bytes at ${path}`;
        const { outcome, excess } = await mainThread.longestTurn(name, () => act(action, input));
        if (FAILURES.has(outcome)) failed.push(`${name}: ${outcome}`);
        if (excess !== undefined) failed.push(excess);
      }
    }
    expect(failed).toEqual([]);
  });
});
