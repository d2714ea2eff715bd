import { readUIMessageStream, type UIMessage, type UIMessageChunk, WebSocketChatTransport } from 'ai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Random } from '../faults/support/random.ts';
import { saysAtPace } from '../support/emulators/scripted-model.ts';
import { SEED } from '../support/runner/seed.ts';
import { ChatScene, FrontEnd, TRANSPORTS, textOf, toolParts } from '../support/scenes/chat-scene.ts';
import type { Replicas } from '../support/scenes/mcp-scene.ts';
import { eventually } from '../support/time/eventually.ts';
import type { ConnectedGrant } from '../support/users/refreshing.ts';

const RUNS = Number(process.env.CHAT_RUNS ?? 50);
/** Users, each with one run at a time. */
const LANES = 8;
const MOST_CUTS = 4;
const MOST_CALLS = 2;
const MOST_CHUNKS = 60;
const PLENTY = '1000000';

interface Step {
  parts: { text: string; turns: number }[];
  /** Whether the model calls a tool then. */
  calls: boolean;
}

interface Tally {
  cuts: number;
  /** Errors of the SDK's reader and of its transports, which no cut explains. */
  errors: string[];
  /** Runs whose message differs from the stored one, or is not what the model said. */
  wrong: string[];
}

let chat: ChatScene;
let replicas: Replicas;

beforeAll(async () => {
  ({ chat, replicas } = await ChatScene.replicated({
    LIMIT_REQUESTS_PER_MINUTE: PLENTY,
    LIMIT_USER_REQUESTS_PER_MINUTE: PLENTY,
    LIMIT_SOCKET_CONNECTS_PER_MINUTE: PLENTY,
  }));
  chat.model.always = async (response, call) => {
    const messages: { role: string; content: unknown }[] = call.body.messages;
    const run = Number(/\d+/.exec(JSON.stringify(messages.find(({ role }) => role === 'user')?.content)));
    const { parts, calls } = stepOf(run, messages.filter(({ role }) => role === 'tool').length);
    await saysAtPace(parts, calls ? [{ name: 'test_read', input: {} }] : [])(response, call);
  };
});
afterAll(() => chat.stop());

/** What the model says in a step of a run. */
function stepOf(run: number, step: number): Step {
  const random = new Random(SEED * 1_000_003 + run * 10 + step);
  const parts = Array.from({ length: random.between(1, MOST_CHUNKS) }, (_, index) => ({
    text: `${run}.${step}.${index} ${'long '.repeat(random.between(0, 20))}`,
    turns: random.pick([0, 0, 0, 5, 20]),
  }));
  return { parts, calls: step < callsOf(run) };
}

function callsOf(run: number): number {
  return run % (MOST_CALLS + 1);
}

function saidIn(run: number): string {
  const steps = Array.from({ length: callsOf(run) + 1 }, (_, step) =>
    stepOf(run, step)
      .parts.map(({ text }) => text)
      .join(''),
  );
  return steps.join('');
}

/** Reads as useChat does, up to a number of chunks. @returns the message, or undefined if it was cut */
async function readUpTo(
  most: number,
  stream: ReadableStream<UIMessageChunk>,
  frontEnd: FrontEnd,
  tally: Tally,
): Promise<UIMessage | undefined> {
  const reader = stream.getReader();
  let count = 0;
  let isCut = false;
  const parts = new ReadableStream<UIMessageChunk>({
    async pull(controller) {
      isCut = count === most;
      count += 1;
      const value = isCut ? undefined : (await reader.read()).value;
      if (value === undefined) controller.close();
      else controller.enqueue(value);
    },
  });
  let message: UIMessage | undefined;
  const onError = (error: unknown) => void tally.errors.push(String(error));
  for await (const state of readUIMessageStream({ stream: parts, onError })) message = state;
  // A reader of a socket that is cancelled stops the run; one whose connection ends doesn't.
  if (frontEnd.transport instanceof WebSocketChatTransport) frontEnd.transport.close();
  else await reader.cancel();
  if (isCut) tally.cuts += 1;
  return isCut ? undefined : message;
}

/** The stream of a run that has begun, perhaps a moment later than the cut. */
function resumed(frontEnd: FrontEnd, { errors }: Tally): Promise<ReadableStream<UIMessageChunk>> {
  return eventually(() =>
    frontEnd.transport.reconnectToStream({ chatId: frontEnd.thread }).catch((error: unknown) => {
      errors.push(String(error));
      return null;
    }),
  );
}

/** One answer, read with cuts at random places, each time by a new front end. */
async function readWithCuts(run: number, user: ConnectedGrant, tally: Tally): Promise<void> {
  const random = new Random(SEED * 7_919 + run);
  const frontEnd = () => new FrontEnd(random.pick([chat.steward, replicas.other]), user, random.pick(TRANSPORTS), `cuts-${run}`);
  let current = frontEnd();
  current.messages = [{ id: `said-${run}`, role: 'user', parts: [{ type: 'text', text: `Run ${run}` }] }];
  let stream = await current.open();
  // Its first chunk tells a front end that the service has its message; before that, it would have to send it again.
  let least = 1;
  for (let cuts = random.between(0, MOST_CUTS); ; cuts -= 1) {
    const most = cuts > 0 ? random.between(least, MOST_CHUNKS) : Number.POSITIVE_INFINITY;
    least = 0;
    const message = await readUpTo(most, stream, current, tally);
    if (message !== undefined) return compare(run, message, current, tally);
    current = frontEnd();
    stream = await resumed(current, tally);
  }
}

async function compare(run: number, message: UIMessage, frontEnd: FrontEnd, { wrong }: Tally): Promise<void> {
  const stored = await frontEnd.stored();
  try {
    expect(stored.messages).toEqual([expect.objectContaining({ role: 'user' }), message]);
    expect(textOf(message)).toBe(saidIn(run));
    expect(toolParts(message).map(({ state }) => state)).toEqual(Array(callsOf(run)).fill('output-available'));
    expect(stored.run).toMatchObject({ status: 'done' });
  } catch (error) {
    wrong.push(`run ${run}: ${(error as Error).message}`);
  }
}

it(`${RUNS} answers, cut off at random places and resumed on either replica, are read without an error, as they are stored`, async () => {
  const tally: Tally = { cuts: 0, errors: [], wrong: [] };
  const runs = Array.from({ length: RUNS }, (_, run) => run).values();
  const lane = async () => {
    const { user } = await chat.frontEnd();
    for (const run of runs) await readWithCuts(run, user, tally);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  process.stdout.write(`${RUNS} answers, ${tally.cuts} cuts, ${tally.errors.length} errors, ${tally.wrong.length} wrong (seed ${SEED})\n`);
  expect(tally).toMatchObject({ errors: [], wrong: [] });
  expect(tally.cuts).toBeGreaterThan(RUNS / 2);
});
