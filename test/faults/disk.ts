import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/servers/free-port.ts';
import type { Suite } from './suite.ts';
import { Person } from './support/person.ts';
import { untilReady } from './support/readiness.ts';
import { Replica } from './support/replica.ts';
import type { Row } from './support/table.ts';
import { Traffic } from './support/traffic.ts';
import { compareRows, type Explain, verify } from './support/verify.ts';
import { createOutside, type Sql, type World } from './support/world.ts';

const NAMES = ['disk full', 'data folder gone', 'second service on the data folder'] as const;
const SIZE = '160m';
/** Space of the database when the rest of the disk is full. */
const LEFT_BYTES = 256 * 1024;
const LASTS_MS = 6_000;
const PEOPLE = 3;
const PROBES = 10;
const NOTHING: Explain = () => undefined;

/** The embedded database, as `npm start` uses it: its disk is full, its folder is missing for a while, a second process uses it. */
export async function disk(suite: Suite): Promise<void> {
  if (!NAMES.some((name) => suite.wants(name))) return;
  const outside = await createOutside();
  const mount = join(outside.folder, 'disk');
  mkdirSync(mount);
  const isMounted = mountDisk(mount);
  const unmount = () => void (isMounted && spawnSync('umount', ['--lazy', mount]));
  process.once('exit', unmount);
  if (!isMounted) suite.say('no disk of its own can be mounted here: a full one is not tried');
  const port = await freePort();
  const dataDir = join(mount, 'data');
  const replica = new Replica(port, { ...outside.env, DATA_DIR: dataDir });
  const world: World = { ...outside, sql: undefined };
  try {
    await replica.start();
    for (let round = 0; round < suite.rounds; round += 1) {
      if (isMounted && suite.wants(NAMES[0])) await harm(suite, world, replica, mount, NAMES[0], () => fill(mount));
      if (suite.wants(NAMES[1])) await harm(suite, world, replica, mount, NAMES[1], () => moveAway(dataDir));
      if (suite.wants(NAMES[2])) await second(suite, world, replica, dataDir);
    }
  } finally {
    await replica.kill('SIGKILL');
    unmount();
    process.off('exit', unmount);
    await outside.remove();
  }
}

function mountDisk(at: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'none', at], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** @param begin causes the fault, and returns what ends it */
async function harm(suite: Suite, world: World, replica: Replica, mount: string, fault: string, begin: () => () => void): Promise<void> {
  const row: Row = { fault, moment: 'embedded database', tried: 0, answered: 0, documented: [], lost: [] };
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => Person.create(world)));
  const traffic = new Traffic(people, [replica.url], suite.random);
  await traffic.underWay();
  await sleep(suite.random.between(300, 1_200));
  // Does nothing else, so that a response is about the fault only.
  const prober = await Person.create(world);
  await prober.call(replica.url, '/auth/workspace/accounts');
  const before = { ...traffic.tally };
  const end = begin();
  await sleep(LASTS_MS);
  row.lost.push(...(await unclear(prober, replica)));
  const left = freeBytes(mount);
  row.tried = traffic.tally.tried - before.ended;
  row.answered = traffic.tally.answered - before.answered;
  end();
  const startedAt = performance.now();
  if (!replica.running) {
    row.moment += ', which ended it';
    await replica.start();
  }
  await untilReady([replica]).catch(() => row.lost.push(`readiness: ${replica.output.slice(-400)}`));
  row.backMs = performance.now() - startedAt;
  await traffic.stop();
  if (fault === NAMES[0]) row.moment += `, ${left} bytes left`;
  await compareAll(people, replica, row);
  // Acknowledged data must also survive the process.
  await replica.kill('SIGTERM');
  await compareStored(people, join(mount, 'data/database'), row);
  await replica.start();
  await compareAll(people, replica, row);
  suite.report(row);
}

/** A request that can't be stored must be rejected with an error that allows a retry. */
async function unclear(person: Person, replica: Replica): Promise<string[]> {
  for (let tries = 0; tries < PROBES; tries += 1) {
    const reply = await person.call(replica.url, '/workspace_access_request', { form: { email: 'full@example.com' } });
    // There was still space for this one.
    if (reply?.status === 200) continue;
    const isClear = reply?.status === 503 && reply.body?.code === 'unavailable';
    return isClear ? [] : [`a clear error: ${reply?.status} ${JSON.stringify(reply?.body)}`];
  }
  return [];
}

function fill(mount: string): () => void {
  const ballast = join(mount, 'ballast');
  fillUp(ballast, freeBytes(mount) - LEFT_BYTES);
  return () => rmSync(ballast);
}

/** As when a volume is unmounted: open files stay usable, none can be opened. */
function moveAway(folder: string): () => void {
  renameSync(folder, `${folder}-away`);
  return () => {
    // There may be a new folder in its place.
    rmSync(folder, { recursive: true, force: true });
    renameSync(`${folder}-away`, folder);
  };
}

function freeBytes(mount: string): number {
  const { bavail, bsize } = statfsSync(mount);
  return bavail * bsize;
}

function fillUp(file: string, bytes: number): void {
  try {
    writeFileSync(file, Buffer.alloc(Math.max(0, bytes)));
  } catch (error) {
    // The database was faster: even less space is left.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

async function compareAll(people: readonly Person[], replica: Replica, row: Row): Promise<void> {
  for (const { lost } of await Promise.all(people.map((person) => verify(person, replica.url, NOTHING)))) row.lost.push(...lost);
  for (const person of people) person.leave();
}

/** Reads data without an endpoint, once the folder is unlocked. */
async function compareStored(people: readonly Person[], folder: string, row: Row): Promise<void> {
  const { PGlite } = await import('@electric-sql/pglite');
  const database = await PGlite.create({ dataDir: folder });
  const sql: Sql = async <Found extends object>(text: string, values?: unknown[]) => (await database.query<Found>(text, values)).rows;
  for (const person of people) row.lost.push(...(await compareRows(person, sql)));
  await database.close();
}

async function second(suite: Suite, world: World, replica: Replica, dataDir: string): Promise<void> {
  const row: Row = { fault: NAMES[2], moment: 'while the first works', tried: 0, answered: 0, documented: [], lost: [] };
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => Person.create(world)));
  const traffic = new Traffic(people, [replica.url], suite.random);
  await traffic.underWay();
  await sleep(suite.random.between(300, 1_200));
  const late = new Replica(await freePort(), { ...world.env, DATA_DIR: dataDir });
  const started = late.begin().then(() => 'started');
  const { code, signal } = (await Promise.race([late.ended, started.then(() => late.kill('SIGKILL'))])) ?? {};
  if (code !== 1 || !late.output.includes('Another Steward is running on the data folder'))
    row.lost.push(`the refusal: it ended with ${code ?? signal}: ${late.output.slice(-200)}`);
  await traffic.stop();
  row.tried = traffic.tally.tried;
  row.answered = traffic.tally.answered;
  await compareAll(people, replica, row);
  suite.report(row);
}
