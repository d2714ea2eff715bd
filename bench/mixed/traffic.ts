import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { median } from '../figures.ts';
import { plainReference, SERVICE } from '../processes.ts';
import { findCapacity } from './capacity.ts';
import { percentile } from './latencies.ts';
import { OpenLoad } from './open-load.ts';
import type { Person } from './people.ts';
import { clientLag, latenciesOf, type Phase, runPhase, shareOf, type Target } from './phases.ts';
import { startProbed } from './probed.ts';
import type { Scene } from './scene.ts';
import { spreadLife, type WorkspaceEmulator } from './workspace-emulator.ts';

const HALF = 0.5;
const OVER = 1.2;
/** People here call as often as chance has it. */
const PLENTY = '100000000';
const SAMPLE_MS = 500;
/** Of traffic before what is measured: meanwhile tokens are refreshed that expired while the other side was measured. */
const LEAD_IN_MS = 4_000;
/** Before a soak. */
const SETTLE_MS = 60_000;
/** Of the beginning and of the end, whose resident memory is compared. */
const EDGE_SHARE = 0.1;
/** Recent requests are retained for some seconds by their timers: this number of readings at this interval, of which the minimum counts. */
const LOOKS = 6;
const LOOK_MS = 2_500;
const REFERENCE_TABLES = [
  `create table bench_grants (user_id uuid primary key, access_token text, refresh_token text, expires_at timestamptz)`,
  `create table bench_audit (id bigint generated always as identity primary key, user_id uuid, call_id uuid, action text,
     outcome text, milliseconds int, created_at timestamptz default now())`,
];

export interface OpenLoopOptions {
  /** Of each stretch. */
  seconds: number;
  /** Requests a second of one core; undefined: it is measured. */
  capacity: number | undefined;
  /** Pairs of service and reference at half of the capacity. */
  rounds: number;
  seed: number;
  progress(line: string): void;
}

export interface OpenLoopResult {
  /** Requests a second of one core. */
  capacity: number;
  /** At half of it; entry n of both ran one after the other, on the same schedule. */
  half: { service: Phase[]; reference: Phase[] };
  over: Phase;
  recovery: Phase;
  bookkeeping: Bookkeeping;
}

/** What must hold of the whole run. */
export interface Bookkeeping {
  callsAnswered: number;
  /** Rows of the audit log about successful calls. */
  auditRows: number;
  provider: Pick<WorkspaceEmulator, 'refreshes' | 'refused' | 'late'>;
}

export interface SoakResult {
  capacity: number;
  phase: Phase;
  /** MB of 10⁶ bytes. */
  memory: { start: Memory; end: Memory };
  bookkeeping: Bookkeeping;
}

interface Memory {
  /** Without garbage, some seconds after the last request. */
  live: number;
  /** Median of the first or the last tenth. */
  resident: number;
}

/** The open loop: what one core carries, half of it beside the reference, more than all of it, and half of it again. */
export async function openLoop(
  scene: Scene,
  { seconds, capacity: given, rounds, seed, progress }: OpenLoopOptions,
): Promise<OpenLoopResult> {
  await using open = new AsyncDisposableStack();
  const service = await startService(scene, open);
  const reference = await startReference(scene, open);
  const durationMs = seconds * 1_000;
  const capacity = given ?? (await findCapacity(service, seed, (phase) => progress(phaseLine('searching', phase))));
  // Until what the search has queued is done, and for the reference's code to be compiled.
  for (const target of [service, reference]) await runPhase(target, { seed, perSecond: capacity * HALF, durationMs });
  const leadIn = { seed, perSecond: capacity * HALF, durationMs: LEAD_IN_MS };
  const half: OpenLoopResult['half'] = { service: [], reference: [] };
  for (let round = 0; round < rounds; round += 1) {
    const schedule = { seed: seed + round, perSecond: capacity * HALF, durationMs };
    for (const side of round % 2 === 0 ? (['service', 'reference'] as const) : (['reference', 'service'] as const)) {
      const target = side === 'service' ? service : reference;
      await runPhase(target, leadIn);
      half[side].push(await runPhase(target, schedule));
      progress(phaseLine(side, half[side].at(-1) as Phase));
    }
  }
  await runPhase(service, leadIn);
  const over = await runPhase(service, { seed, perSecond: capacity * OVER, durationMs });
  const recovery = await runPhase(service, { seed, perSecond: capacity * HALF, durationMs });
  return { capacity, half, over, recovery, bookkeeping: await bookkeeping(scene, service.load) };
}

/** Half of what one core carries, for long. */
export async function soak(
  scene: Scene,
  { seconds, capacity: given, seed, progress }: Omit<OpenLoopOptions, 'rounds'>,
): Promise<SoakResult> {
  await using open = new AsyncDisposableStack();
  const service = await startService(scene, open);
  const { server, liveMb } = service.probed;
  const capacity = given ?? (await findCapacity(service, seed, (phase) => progress(phaseLine('searching', phase))));
  const schedule = { seed, perSecond: capacity * HALF, durationMs: seconds * 1_000 };
  // Until the heap is as large as the engine lets it grow at this rate.
  await runPhase(service, { ...schedule, durationMs: Math.min(schedule.durationMs, SETTLE_MS) });
  const liveAtStart = await leastOf(liveMb);
  const samples: number[] = [];
  const sampler = setInterval(() => samples.push(server.residentMb()), SAMPLE_MS);
  const phase = await runPhase(service, schedule);
  clearInterval(sampler);
  const edge = Math.ceil(samples.length * EDGE_SHARE);
  const start = { live: liveAtStart, resident: median(samples.slice(0, edge)) };
  const end = { live: await leastOf(liveMb), resident: median(samples.slice(-edge)) };
  return { capacity, phase, memory: { start, end }, bookkeeping: await bookkeeping(scene, service.load) };
}

async function startService({ env, people }: Scene, open: AsyncDisposableStack): Promise<Target> {
  const probed = await startProbed(SERVICE, { ...env, LIMIT_SOCKET_MESSAGES_PER_MINUTE: PLENTY });
  open.use(probed.server);
  return { probed, load: open.use(await OpenLoad.open(probed.server.port, tokensOf(people))) };
}

/** With tokens of the same accounts from consents of its own, since the provider rotates strictly. */
async function startReference({ stage, env, people, emulator }: Scene, open: AsyncDisposableStack): Promise<Target> {
  const grants = people.map(({ userId }) => {
    const life = spreadLife();
    return { userId, life, ...emulator.consent(life) };
  });
  await query(stage.databaseUrl, REFERENCE_TABLES.join(';'));
  await query(
    stage.databaseUrl,
    `insert into bench_grants select id, access, refresh, now() + make_interval(secs => life)
     from unnest($1::uuid[], $2::text[], $3::text[], $4::float8[]) as given (id, access, refresh, life)`,
    [
      grants.map(({ userId }) => userId),
      grants.map(({ accessToken }) => accessToken),
      grants.map(({ refreshToken }) => refreshToken),
      grants.map(({ life }) => life),
    ],
  );
  const probed = await startProbed(plainReference('load-reference'), env);
  open.use(probed.server);
  return { probed, load: open.use(await OpenLoad.open(probed.server.port, tokensOf(people))) };
}

function tokensOf(people: readonly Person[]): string[] {
  return people.map(({ token }) => token);
}

async function bookkeeping({ stage, emulator }: Scene, { callsAnswered }: OpenLoad): Promise<Bookkeeping> {
  const [counted] = await query<{ rows: number }>(stage.databaseUrl, `select count(*)::int as rows from audit_log where outcome = 'ok'`);
  return { callsAnswered, auditRows: counted?.rows ?? 0, provider: emulator };
}

async function query<Row extends object>(databaseUrl: string, text: string, values?: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function leastOf(look: () => Promise<number>): Promise<number> {
  let least = await look();
  for (let looks = 1; looks < LOOKS; looks += 1) {
    await sleep(LOOK_MS);
    least = Math.min(least, await look());
  }
  return least;
}

function phaseLine(name: string, phase: Phase): string {
  const latencies = latenciesOf(phase, 'answered');
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)].map((value) => value.toFixed(1));
  return `${name}, ${phase.perSecond.toFixed(0)} a second: p50 ${p50} ms, p99 ${p99} ms, refused ${shareOf(phase, 'refused').toFixed(2)}, processors ${phase.processors.toFixed(2)}, waited ${phase.waited.toFixed(2)}, event loop ${phase.delay.max.toFixed(0)} ms, client's lag ${clientLag(phase).toFixed(1)} ms${phase.result.firstError === undefined ? '' : `, ${phase.result.firstError}`}`;
}
