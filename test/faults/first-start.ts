import { freePort } from '../support/servers/free-port.ts';
import { eventually } from '../support/time/eventually.ts';
import type { Suite } from './suite.ts';
import { Cluster } from './support/cluster.ts';
import { Person } from './support/person.ts';
import { untilReady } from './support/readiness.ts';
import { Replica } from './support/replica.ts';
import { Steps } from './support/steps.ts';
import type { Row } from './support/table.ts';
import { TapProxy } from './support/tap-proxy.ts';
import { createOutside, type World } from './support/world.ts';

type Fault = 'killed -9' | 'Postgres killed';

const FAULTS: readonly Fault[] = ['killed -9', 'Postgres killed'];
/** A limit for what never happens. */
const RESPONSE_MS = 60_000;
/** Of all steps, per round. */
const STRUCK = 5;
/** A supervisor restarts a process that has ended. */
const STARTS_MAX = 5;

/** Interrupts the first start on an empty database, including migrations; the next starts must succeed. */
export async function firstStarts(suite: Suite): Promise<void> {
  const chosen = FAULTS.filter((fault) => suite.wants(nameOf(fault)));
  if (chosen.length === 0) return;
  const cluster = await Cluster.start();
  const world = await createOutside();
  try {
    const steps = await countSteps(cluster, world);
    for (let round = 0; round < suite.rounds; round += 1)
      for (const fault of chosen) {
        const row: Row = {
          fault: nameOf(fault),
          moment: `at ${STRUCK} of ${steps} steps`,
          tried: 0,
          answered: 0,
          documented: [],
          lost: [],
        };
        for (let time = 0; time < STRUCK; time += 1) await strike(cluster, world, fault, suite.random.between(0, steps - 1), row);
        suite.report(row);
      }
  } finally {
    await world.remove();
    await cluster.remove();
  }
}

function nameOf(fault: Fault): string {
  return `${fault}: first start, migrations`;
}

let databases = 0;

/** A first start on a new database, through a proxy that knows its steps. */
async function openSite(cluster: Cluster, outside: Omit<World, 'sql'>) {
  databases += 1;
  const name = `start_${databases}`;
  await cluster.createDatabase(name);
  const steps = new Steps();
  const proxy = new TapProxy({ host: '127.0.0.1', port: cluster.port }, steps);
  await proxy.open();
  const url = new URL(cluster.url(name));
  url.port = String(proxy.port);
  const replica = new Replica(await freePort(), { ...outside.env, DATABASE_URL: url.href });
  const world: World = { ...outside, sql: (text, values) => cluster.sql(text, values, name) };
  return { steps, proxy, replica, world };
}

async function countSteps(cluster: Cluster, outside: Omit<World, 'sql'>): Promise<number> {
  const { steps, proxy, replica } = await openSite(cluster, outside);
  const passed = steps.record();
  await replica.start();
  await replica.kill('SIGKILL');
  await proxy.close();
  return passed.length;
}

async function strike(cluster: Cluster, outside: Omit<World, 'sql'>, fault: Fault, index: number, row: Row): Promise<void> {
  const { steps, proxy, replica, world } = await openSite(cluster, outside);
  let struck: Promise<unknown> | undefined;
  steps.strikeAt(index, async () => {
    struck = fault === 'killed -9' ? replica.kill('SIGKILL') : restart(cluster);
    await struck;
  });
  // An interrupted start ends; one that isn't, because there were fewer steps this time, becomes ready.
  await replica.start().catch(() => {});
  steps.record();
  await struck;
  if (struck !== undefined) {
    row.tried += 1;
    await getThrough(world, replica, index, row);
  }
  await replica.kill('SIGKILL');
  await proxy.close();
}

async function restart(cluster: Cluster): Promise<void> {
  await cluster.stop('immediate');
  await cluster.start();
}

async function getThrough(world: World, replica: Replica, index: number, row: Row): Promise<void> {
  for (let starts = 1; starts <= STARTS_MAX && !replica.running; starts += 1) await replica.start().catch(() => {});
  try {
    await untilReady([replica]);
    const person = await Person.create(world);
    // Connections from before the fault may still break: clients that are told to retry do so.
    for (const operation of ['connect', 'search'] as const)
      await eventually(async () => (await person.do(operation, replica.url)) === 'answered', RESPONSE_MS);
    person.leave();
    row.answered += 1;
  } catch {
    row.lost.push(`the start after step ${index + 1}: ${replica.output.slice(-300)}`);
  }
}
