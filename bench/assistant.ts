import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { read, toModel, toResume, toService, type Wire } from './chat-stream.ts';
import { type Figure, median } from './figures.ts';
import { type Probed, startProbed } from './mixed/probed.ts';
import { plainReference, type Running, SERVICE, startServer } from './processes.ts';
import type { Stage } from './stage.ts';

/** See model-server.ts: milliseconds before the first token, tokens, milliseconds between them. */
const SHORT = '50-20-0';
const LONG = '10-100-10';
const TOKENS = 100;
const MANY = '50-50-20';

const WARM_UP = 5;
const PAIRS = 31;
const RESUMES = 15;
const ROUNDS = 3;
const USERS = 100;
const RUNS_EACH = 2;
/** Of the measurements of memory, the lowest counts: a request's time-outs keep its objects for some seconds. */
const MEASUREMENTS = 4;
const SETTLE_MS = 2_500;

/** (j) The assistant with a model that takes a fixed time, against the same client straight to the model. */
export async function measureAssistant(stage: Stage): Promise<Figure[]> {
  await using model = await startServer(plainReference('model-server'), {});
  // Without a bank: reading its items each minute loads the bank's SDK, 27 MB that stay, at some time during the measurements.
  const env = { ...stage.serviceEnv, MODELS: modelsAt(model) };
  return [
    ...(await measureFirstToken(stage, model, env)),
    ...(await measureResume(stage, env)),
    ...(await measureCrowd(stage, model, env)),
  ];
}

function modelsAt({ port }: Running): string {
  const models = [SHORT, LONG, MANY].map((name) => ({
    name,
    model: name,
    provider: 'openai-compatible',
    baseUrl: `http://127.0.0.1:${port}/v1`,
  }));
  return JSON.stringify(models);
}

async function measureFirstToken(stage: Stage, model: Running, env: Record<string, string>): Promise<Figure[]> {
  await using service = await startServer(SERVICE, env);
  const token = await stage.signIn();
  const ofService = async () => (await read(toService(service.port, token, SHORT)).done).firstMs;
  const ofModel = async () => (await read(toModel(model.port, SHORT)).done).firstMs;
  for (let times = 0; times < WARM_UP; times += 1) await Promise.all([ofService(), ofModel()]);
  const figure = { service: [] as number[], reference: [] as number[] };
  const more: number[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    if (pair % 2 === 0) figure.service.push(await ofService());
    figure.reference.push(await ofModel());
    if (pair % 2 === 1) figure.service.push(await ofService());
    more.push((figure.service.at(-1) ?? Number.NaN) - (figure.reference.at(-1) ?? Number.NaN));
  }
  const goal = { kind: 'at most', value: 100, of: 'service' } as const;
  return [
    { label: '(j) first token of an answer', unit: 'ms', ...figure },
    { label: '    more than the model’s own', unit: 'ms', service: more, reference: figure.reference, goal },
    { label: '    … in the worst pair', unit: 'ms', service: [Math.max(...more)], reference: [median(figure.reference)], goal },
  ];
}

/** Until a second reader has what the first one had when the second one came: on another replica, or (reference) on the same. */
async function measureResume(stage: Stage, env: Record<string, string>): Promise<Figure[]> {
  await using service = await startServer(SERVICE, env);
  await using other = await startServer(SERVICE, env);
  const token = await stage.signIn();
  const resumeOn = async ({ port }: Running): Promise<number> => {
    const thread = randomUUID();
    const first = read(toService(service.port, token, LONG, thread));
    const done = first.done;
    await first.reached((`token 10 `.length * TOKENS) / 2);
    const start = performance.now();
    const second = read(toResume(port, token, thread));
    await second.reached(first.text.length);
    const elapsedMs = performance.now() - start;
    const [{ text }, again] = await Promise.all([done, second.done]);
    if (again.text !== text) throw new Error('the second reader has another answer');
    return elapsedMs;
  };
  for (const on of [other, service]) await resumeOn(on);
  const figure = { service: [] as number[], reference: [] as number[] };
  for (let pair = 0; pair < RESUMES; pair += 1) {
    if (pair % 2 === 0) figure.service.push(await resumeOn(other));
    figure.reference.push(await resumeOn(service));
    if (pair % 2 === 1) figure.service.push(await resumeOn(other));
  }
  const goal = { kind: 'at most', value: 500, of: 'service' } as const;
  return [
    { label: '    resumed on another replica', unit: 'ms', ...figure, goal },
    { label: '    … the slowest', unit: 'ms', service: [Math.max(...figure.service)], reference: [Math.max(...figure.reference)], goal },
  ];
}

/** Runs of many users at once, on one service. */
async function measureCrowd(stage: Stage, model: Running, env: Record<string, string>): Promise<Figure[]> {
  const { server, liveMb } = await startProbed(SERVICE, env);
  await using service = server;
  const tokens = await Promise.all(Array.from({ length: USERS }, (_, user) => stage.issuer.sign(`chat-${user}`)));
  // Their first requests create them.
  for (const token of tokens) await read(toService(service.port, token, SHORT)).done;
  const runs = tokens.flatMap((token) => Array<string>(RUNS_EACH).fill(token));
  const throughService = () => crowd(runs.map((token) => toService(service.port, token, MANY)));
  const straight = () => crowd(runs.map(() => toModel(model.port, MANY)));
  const rounds = { service: [await throughService()], reference: [await straight()] };
  const before = await lowest(liveMb);
  const after: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.service.push(await throughService());
    rounds.reference.push(await straight());
    after.push(await lowest(liveMb));
  }
  const column = (key: keyof Crowd) => ({
    service: rounds.service.map((one) => one[key]),
    reference: rounds.reference.map((one) => one[key]),
  });
  const memory = { service: after, reference: after.map(() => before) };
  return [
    {
      label: `    ${runs.length} runs at once, not completed`,
      unit: 'runs',
      ...column('failed'),
      goal: { kind: 'at most', value: 0, of: 'service' },
    },
    { label: '    … until the last has ended', unit: 'ms', ...column('elapsedMs') },
    { label: '    … memory after and before', unit: 'MB', ...memory, goal: { kind: 'at most', value: 1.1, of: 'ratio' } },
  ];
}

interface Crowd {
  /** Until the last answer has ended, milliseconds. */
  elapsedMs: number;
  failed: number;
}

/** All answers at once. */
async function crowd(wires: Wire[]): Promise<Crowd> {
  const start = performance.now();
  const answers = await Promise.allSettled(wires.map((wire) => read(wire).done));
  const elapsedMs = performance.now() - start;
  const failures = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  for (const { reason } of failures.slice(0, 1)) console.error(String(reason));
  const texts = new Set(answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.text] : [])));
  if (texts.size > 1) throw new Error('the answers differ');
  return { elapsedMs, failed: failures.length };
}

async function lowest(liveMb: Probed['liveMb']): Promise<number> {
  const all: number[] = [];
  for (let count = 0; count < MEASUREMENTS; count += 1) {
    await sleep(SETTLE_MS);
    all.push(await liveMb());
  }
  return Math.min(...all);
}
