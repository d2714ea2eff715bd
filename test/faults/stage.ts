import { setTimeout as sleep } from 'node:timers/promises';
import type { Suite } from './suite.ts';
import { owedTo, stillOwed } from './support/owed.ts';
import { Person } from './support/person.ts';
import { untilNothingIsLeft } from './support/progress.ts';
import { untilReady } from './support/readiness.ts';
import type { Replica } from './support/replica.ts';
import { rememberStored } from './support/stored.ts';
import type { Row } from './support/table.ts';
import { Traffic } from './support/traffic.ts';
import { type Explain, verify } from './support/verify.ts';
import type { Sql, World } from './support/world.ts';

/** Replicas on one set of providers, and their users. */
export interface Stage {
  world: World & { sql: Sql };
  replicas: Replica[];
  /** Where users reach the service; unset: each replica itself. */
  entrance?: string;
  /** All users, with the row of the table to which their losses belong. */
  seen: { person: Person; row: Row }[];
}

/** A fault that lasts for a while. */
export interface Trouble {
  fault: string;
  moment: string;
  /** How long it lasts under traffic, milliseconds. */
  lasts: number;
  /** @returns what ends it */
  begin(): Promise<() => Promise<void> | void> | (() => Promise<void> | void);
  /** Collects failures of the fault itself, such as a stop that failed. */
  problems?: string[];
  /** See {@link Person.mayForget}. */
  mayForget?: boolean;
  explain?: Explain;
}

const PEOPLE = 5;
/** Further traffic before the fault: minimum and maximum. */
const BEFORE_MS = [300, 1_200] as const;
const AFTER_MS = 1_000;
/** Statements that the database had received before the fault may still be executed after it. */
const STRAGGLERS_MS = 1_000;
/**
 * Maximum time without progress of revocations. A job of a killed process is resumed once it has been running for a
 * minute, and the queue polls once a minute; one that fails repeatedly waits longer each time.
 */
const STILL_MS = 300_000;
const LOST_ROTATION = 'the answer with the rotated token never arrived';

/** Starts the replicas; the database is a new one. */
export async function openStage({ world, replicas }: Stage): Promise<void> {
  await Promise.all(replicas.map((replica) => replica.start()));
  await rememberStored(world.sql);
}

/** Tests a fault under the traffic of a few users, and compares the responses they received with the stored state. */
export async function trouble(suite: Pick<Suite, 'random' | 'wants' | 'report'>, stage: Stage, fault: Trouble): Promise<void> {
  if (!suite.wants(`${fault.fault} ${fault.moment}`)) return;
  const row: Row = { fault: fault.fault, moment: fault.moment, tried: 0, answered: 0, documented: [], lost: [] };
  // A failure of this one must not prevent the others.
  await strike(suite, stage, fault, row).catch((error: Error) => row.lost.push(`the suite could not go on: ${error.message}`));
  for (const { running, output } of stage.replicas) if (!running) row.lost.push(`a process ended by itself: ${output.slice(-300)}`);
  suite.report(row);
}

async function strike(
  suite: Pick<Suite, 'random'>,
  stage: Stage,
  { lasts, begin, problems = [], mayForget = false, explain }: Trouble,
  row: Row,
): Promise<void> {
  const { world, replicas, entrance } = stage;
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => Person.create(world)));
  for (const person of people) person.mayForget = mayForget;
  stage.seen.push(...people.map((person) => ({ person, row })));
  const bases = entrance === undefined ? replicas.map(({ url }) => url) : [entrance];
  const traffic = new Traffic(people, bases, suite.random);
  try {
    await traffic.underWay();
    await sleep(suite.random.between(...BEFORE_MS));
    const before = { ...traffic.tally };
    const end = await begin();
    await sleep(lasts);
    await end();
    row.lost.push(...problems);
    row.backMs = await untilReady(replicas).catch(() => {
      row.lost.push(`readiness: ${replicas.map(({ output }) => output.slice(-300)).join(' | ')}`);
      return 0;
    });
    // Including those in progress when it began.
    row.tried = traffic.tally.tried - before.ended;
    row.answered = traffic.tally.answered - before.answered;
    await sleep(AFTER_MS);
  } finally {
    await traffic.stop();
  }
  await sleep(STRAGGLERS_MS);
  const reasons: Explain = (email) => explain?.(email) ?? lostRotation(world, email);
  for (const { lost, documented } of await Promise.all(people.map((person) => verify(person, suite.random.pick(bases), reasons)))) {
    row.lost.push(...lost);
    row.documented.push(...documented);
  }
  for (const person of people) person.leave();
}

/** What users have ended must be invalid at the providers in the end; then everything stops. */
export async function endStage(suite: Pick<Suite, 'say'>, { world, replicas, seen }: Stage): Promise<void> {
  await untilRevoked(
    world,
    seen.map(({ person }) => person),
  );
  for (const { person, row } of seen) {
    const { lost, documented } = await owedTo(person);
    row.lost.push(...lost);
    row.documented.push(...documented);
  }
  if (seen.some(({ row }) => row.lost.length > 0)) suite.say(await describeQueue(world));
  for (const replica of replicas) {
    const { code, signal } = await replica.kill('SIGTERM');
    if (code !== 0) seen.at(-1)?.row.lost.push(`a clean stop at the end: ${code ?? signal}`);
  }
  await world.remove();
}

/** Waits for pending work of all users, as long as it progresses. */
export async function untilRevoked({ sql }: Stage['world'], people: readonly Person[]): Promise<void> {
  await untilNothingIsLeft(async () => {
    const owed = await stillOwed(people);
    const [tries] = await sql('select count(*), sum(attempts) from revocations');
    return { left: owed.length, state: JSON.stringify([owed, tries]) };
  }, STILL_MS);
}

function lostRotation(world: World, email: string): string | undefined {
  return world.workspace.familiesOf(email).some((family) => family.lostRotation) ? LOST_ROTATION : undefined;
}

/** State of the work behind a loss: ids and states, no contents. */
async function describeQueue({ sql }: Stage['world']): Promise<string> {
  const revocations = await sql(
    `select left(id::text, 8) as id, provider, attempts, created_at, queued_at, unconfirmed_at from revocations`,
  );
  const jobs = await sql(
    `select name, left(data->>'id', 8) as of, state, retry_count, created_on, start_after, started_on, completed_on from pgboss.job
     where state <> 'completed' or name = 'sweep' order by created_on`,
  );
  return `revocations and jobs that are left:\n${[...revocations, ...jobs].map((row) => JSON.stringify(row)).join('\n')}`;
}
