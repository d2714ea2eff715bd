import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_INS } from '../../../src/actions/built-ins.ts';
import { isObject } from '../../../src/validation/is-object.ts';
import { BankEmulator } from '../../support/emulators/bank-emulator.ts';
import { WorkspaceEmulator } from '../../support/emulators/workspace-emulator.ts';
import { type Mark, markedResponse, type Size } from '../../support/inputs/marked-responses.ts';
import { bank, CASES } from '../../support/inputs/provider-cases.ts';
import { fc } from '../../support/runner/property.ts';
import { newToken } from '../../support/scenes/mcp-scene.ts';
import { type LoopbackServer, startLoopbackServer } from '../../support/servers/loopback-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { McpClient } from '../../support/users/mcp-client.ts';
import { connectGrant } from '../../support/users/refreshing.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

/** Members that say that there is more, and how it is read. */
const READ_ON = /^(next|next_offset|next_columns|cut|cursor|attendees_omitted|accounts_omitted|truncated)$/;
/** The end of a list of addresses of which some are left out. */
const MORE_ADDRESSES = /, and ([\d,]+ more|others)/;
const SMALL: Size = { items: 2, words: 1 };
/** A provider returns no more items than it is asked for. */
const MOST_ITEMS = 20;
const MOST_WORDS = 8_000;

let steward: TestSteward;
let aggregator: BankEmulator;
let provider: WorkspaceEmulator;
let api: LoopbackServer;
let socket: SocketClient;
let mcp: McpClient;
/** The provider's current responses, by the end of their path. */
let said = new Map<string, string>();

beforeAll(async () => {
  [provider, aggregator, api] = await Promise.all([
    new WorkspaceEmulator().start(),
    new BankEmulator().start(),
    startLoopbackServer(respond),
  ]);
  const plenty = {
    LIMIT_PROVIDER_REQUESTS_PER_MINUTE: '100000',
    LIMIT_USER_PROVIDER_REQUESTS_PER_MINUTE: '100000',
    LIMIT_SOCKET_MESSAGES_PER_MINUTE: '100000',
  };
  steward = await startSteward({ ...provider.env, ...aggregator.env, ...plenty, GOOGLE_API_URL: api.url });
  const { token } = await connectGrant(steward, provider, steward.sql);
  expect((await steward.call('/auth/bank/set_access_token', { token, form: { public_token: 'p' } })).body).toEqual({ success: true });
  for (const path of Object.keys(bank)) aggregator.on(path, (response, call) => say(response, call.path));
  socket = await SocketClient.signedIn(steward.url, token);
  mcp = new McpClient(steward, (await newToken(steward, { token })).token);
});

afterAll(async () => {
  await socket?.close();
  await steward?.stop();
  await Promise.all([provider?.stop(), aggregator?.stop(), api?.close()]);
});

function respond(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://api.invalid');
  request.resume().on('end', () => say(response, searchParams.get('alt') === 'media' ? `${pathname}?media` : pathname));
}

function say(response: ServerResponse, path: string): void {
  const [end = '', body] = [...said].find(([one]) => path.endsWith(one)) ?? [];
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': end.endsWith('?media') ? 'text/plain' : 'application/json' });
  response.end(body ?? '{}');
}

/** Of a call: the data, and whether it is truncated. */
interface Result {
  data: unknown;
  meta: { truncated?: true; hint?: string };
}

/** Each way by which a result is received; a change is approved. */
const SURFACES: Record<string, (action: string, input: object) => Promise<any>> = {
  async 'over a socket'(action, input) {
    const first = await socket.request({ type: 'call', action, input });
    if (first.error?.code !== 'approval_required') return first.error === undefined ? first : undefined;
    const second = await socket.request({ type: 'approve', approvalId: first.error.approvalId, approved: true });
    return second.error === undefined ? second : undefined;
  },
  async 'over MCP'(action, input) {
    if (BUILT_INS.get(action)?.effect !== 'read') return undefined;
    const { message } = await mcp.call(action.replace('.', '_'), input);
    return message.result.isError ? undefined : message.result.structuredContent;
  },
};

/** Makes the provider's responses of this size. */
function answering(responses: Record<string, unknown>, size: Size): Mark[] {
  const all: Mark[] = [];
  said = new Map(
    Object.entries(responses).map(([path, template], index) => {
      const { value, marks } = markedResponse(template, size, `${index}x`);
      all.push(...marks.map((mark) => ({ ...mark, place: `${path} ${mark.place}` })));
      const body = isObject(value) && 'total_transactions' in value ? { ...value, total_transactions: size.items } : value;
      return [path, typeof body === 'string' ? body : JSON.stringify(body)];
    }),
  );
  return all;
}

/** The texts of a value. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

function saysThereIsMore(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, one]) => (READ_ON.test(name) && isSaid(one)) || saysThereIsMore(one));
}

/** A number or a list of none is no sign. */
function isSaid(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;
}

/** Marks whose text a result has, by their place. */
function shownPlaces(marks: readonly Mark[], text: string): Map<string, number> {
  const shown = new Map<string, number>();
  for (const { place, beginning } of marks) if (text.includes(beginning)) shown.set(place, (shown.get(place) ?? 0) + 1);
  return shown;
}

/** What a result lacks without saying so. @param usual places of which all texts are shown if they are few */
function silentlyLost({ data, meta }: Result, marks: readonly Mark[], usual: ReadonlySet<string>): string[] {
  const texts = textsOf(data);
  const problems = texts.filter((text) => !text.isWellFormed()).map(() => 'half of a character');
  if (meta.truncated && !meta.hint?.includes('Left out: ')) problems.push('no hint');
  const isMarked = meta.truncated || saysThereIsMore(data) || texts.some((text) => MORE_ADDRESSES.test(text));
  for (const { place, beginning, end } of marks) {
    const holder = texts.find((text) => text.includes(beginning));
    const isWhole = holder === undefined ? !usual.has(place) : holder.includes(end);
    if (!isWhole && !isMarked && !holder?.includes('…')) problems.push(`${place} is cut`);
  }
  return problems;
}

/** Many short texts, or few long ones. */
const SIZES = fc
  .record({ items: fc.integer({ min: 1, max: MOST_ITEMS }), words: fc.nat({ max: 4_000 }) })
  .map(({ items, words }) => ({ words, items: Math.max(1, Math.min(items, Math.floor(MOST_WORDS / (words + 1)))) }));

describe('a result says what it leaves out', () => {
  it.each(Object.entries(CASES))('%s', async (action, { input, responses }) => {
    for (const [surface, run] of Object.entries(SURFACES)) {
      const few = answering(responses, SMALL);
      const small = await run(action, input);
      if (small === undefined) continue;
      const shown = shownPlaces(few, textsOf(small.data).join('\n'));
      const total = shownPlaces(few, few.map(({ beginning }) => beginning).join('\n'));
      const usual = new Set([...shown].filter(([place, count]) => count === total.get(place)).map(([place]) => place));
      const property = fc.asyncProperty(SIZES, async (size) => {
        const marks = answering(responses, size);
        const result = await run(action, input);
        if (result !== undefined) expect(silentlyLost(result, marks, usual), surface).toEqual([]);
      });
      await fc.assert(property, { numRuns: 6 });
    }
  });
});
