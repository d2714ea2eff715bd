import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/servers/free-port.ts';
import { carryOut, hasRotatedInVain, OPERATIONS, prepare, type Struck } from './operations.ts';
import { untilRevoked } from './stage.ts';
import type { Suite } from './suite.ts';
import { owedTo } from './support/owed.ts';
import { Person } from './support/person.ts';
import { untilReady } from './support/readiness.ts';
import { Replica } from './support/replica.ts';
import type { Step } from './support/steps.ts';
import { rememberStored } from './support/stored.ts';
import type { Row } from './support/table.ts';
import { TapProxy } from './support/tap-proxy.ts';
import { type Explain, verify } from './support/verify.ts';
import { createWorld, type Sql, type World } from './support/world.ts';

interface Site {
  world: World & { sql: Sql };
  proxy: TapProxy;
  replica: Replica;
}

type Fault = 'killed -9' | 'line cut';

const TRAILING_MS = 1_500;
const LOST_ROTATION = 'killed, or the answer lost, between rotation and commit';

/** Kills the process before and after every step of every operation. */
export async function killAtSteps(suite: Suite): Promise<void> {
  await strikeSteps(suite, 'killed -9');
}

/** Breaks the connections of the process before and after every step of every operation. */
export async function cutAtSteps(suite: Suite): Promise<void> {
  await strikeSteps(suite, 'line cut');
}

async function strikeSteps(suite: Suite, fault: Fault): Promise<void> {
  const chosen = OPERATIONS.filter(({ name }) => suite.wants(`${fault}: ${name}`));
  if (chosen.length === 0) return;
  const site = await openSite(suite, fault);
  for (let round = 0; round < suite.rounds; round += 1) for (const struck of chosen) await tryStrike(suite, site, fault, struck);
  suite.later(closeSite(site));
}

/** Revocations that a kill interrupted are still pending: the stages stay while other faults are tested. */
const people = new Map<Site, { row: Row; person: Person }[]>();

async function openSite({ cluster }: Suite, fault: Fault): Promise<Site> {
  const port = await freePort();
  const world = await createWorld(cluster, fault === 'killed -9' ? 'steps_killed' : 'steps_cut', port);
  const proxy = new TapProxy({ host: '127.0.0.1', port: cluster.port }, world.steps);
  await proxy.open();
  const url = new URL(world.env.DATABASE_URL ?? '');
  url.port = String(proxy.port);
  const replica = new Replica(port, { ...world.env, DATABASE_URL: url.href });
  await replica.start();
  await rememberStored(world.sql);
  const site = { world, proxy, replica };
  people.set(site, []);
  return site;
}

async function closeSite(site: Site): Promise<void> {
  const seen = people.get(site) ?? [];
  await untilRevoked(
    site.world,
    seen.map(({ person }) => person),
  );
  for (const { row, person } of seen) {
    const { lost, documented } = await owedTo(person);
    row.lost.push(...lost);
    row.documented.push(...documented);
  }
  await site.replica.kill('SIGKILL');
  await site.proxy.close();
  await site.world.remove();
}

async function tryStrike(suite: Suite, site: Site, fault: Fault, struck: Struck): Promise<void> {
  const row: Row = { fault: `${fault}: ${struck.name}`, moment: '', tried: 0, answered: 0, documented: [], lost: [] };
  // A failure of this one must not prevent the others.
  await strike(site, fault, struck, row).catch((error: Error) => row.lost.push(`the suite could not go on: ${error.message}`));
  suite.report(row);
}

async function strike(site: Site, fault: Fault, struck: Struck, row: Row): Promise<void> {
  const steps = await recordSteps(site, struck);
  row.moment = `each of ${steps.length} steps`;
  const hit: Person[] = [];
  for (let index = 0; index < steps.length; index += 1) {
    const person = await Person.create(site.world);
    person.mayForget = fault === 'killed -9';
    await prepare(person, struck, site.replica.url);
    const passed = await strikeAt(site, fault, struck, person, index, row);
    if (passed === undefined) continue;
    row.tried += 1;
    hit.push(person);
    if (fault === 'killed -9' && struck.rotation === 'strict' && hasRotatedInVain(passed))
      for (const family of site.world.workspace.families)
        if ([...person.claims.accounts.keys()].includes(family.email)) family.lostRotation = true;
  }
  site.world.steps.record();
  await Promise.all(hit.map((person) => settle(site, person, row)));
  people.get(site)?.push(...hit.map((person) => ({ row, person })));
}

async function recordSteps(site: Site, struck: Struck): Promise<Step[]> {
  site.world.workspace.rotation = struck.rotation;
  const person = await Person.create(site.world);
  await prepare(person, struck, site.replica.url);
  const steps = site.world.steps.record();
  const outcome = await carryOut(person, struck, site.replica.url, () => false);
  if (outcome !== 'answered') throw new Error(`${struck.name} did not work without a fault:\n${site.replica.output}`);
  person.leave();
  return [...steps];
}

/** @returns the steps up to the interrupted one; undefined if there was no such step */
async function strikeAt(site: Site, fault: Fault, struck: Struck, person: Person, index: number, row: Row): Promise<Step[] | undefined> {
  const { world, replica } = site;
  const { promise: reached, resolve } = Promise.withResolvers<true>();
  let isStruck = false;
  const passed = world.steps.strikeAt(index, async () => {
    isStruck = true;
    if (fault === 'killed -9') await replica.kill('SIGKILL');
    resolve(true);
  });
  const done = carryOut(person, struck, replica.url, () => isStruck);
  // Some steps follow the response.
  const ended = done.then(() => sleep(TRAILING_MS)).then(() => (isStruck ? reached : false));
  const isReached = await Promise.race([reached, ended]);
  const until = [...passed];
  world.steps.record();
  if (fault === 'killed -9' && isReached) {
    await done;
    const startedAt = performance.now();
    await replica.start();
    await untilReady([replica]);
    row.backMs = Math.max(row.backMs ?? 0, performance.now() - startedAt);
  }
  if ((await done) === 'answered' && isReached) row.answered += 1;
  person.leave();
  return isReached ? until : undefined;
}

async function settle({ world, replica }: Site, person: Person, row: Row): Promise<void> {
  const explain: Explain = (email) =>
    world.workspace.familiesOf(email).some(({ lostRotation }) => lostRotation) ? LOST_ROTATION : undefined;
  const { lost, documented } = await verify(person, replica.url, explain);
  row.lost.push(...lost);
  row.documented.push(...documented);
  person.leave();
}
