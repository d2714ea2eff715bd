import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Suite } from './suite.ts';
import { freePort } from './support/free-port.ts';
import { Person } from './support/person.ts';
import { untilReady } from './support/readiness.ts';
import { Replica } from './support/replica.ts';
import type { Row } from './support/table.ts';
import { Traffic } from './support/traffic.ts';
import { compareRows, type Explain, verify } from './support/verify.ts';
import { createOutside, type Sql, type World } from './support/world.ts';

const NAMES = ['disk full', 'second service on the data folder'] as const;
const SIZE = '160m';
/** Left to the database when the rest of the disk is filled. */
const LEFT_BYTES = 256 * 1024;
const FULL_MS = 6_000;
const PEOPLE = 3;
const PROBES = 10;
const NOTHING: Explain = () => undefined;

/** The embedded database, as `npm start` uses it: on a disk that fills up, and with a second owner at the door. */
export async function disk(suite: Suite): Promise<void> {
  if (!NAMES.some((name) => suite.wants(name))) return;
  const outside = await createOutside();
  const mount = join(outside.folder, 'disk');
  mkdirSync(mount);
  const isMounted = mountDisk(mount);
  if (!isMounted) suite.say('no disk of its own can be mounted here: a full one is not tried');
  const port = await freePort();
  const dataDir = join(mount, 'data');
  const replica = new Replica(port, { ...outside.env, DATA_DIR: dataDir });
  await replica.start();
  const world: World = { ...outside, sql: undefined };
  try {
    for (let round = 0; round < suite.rounds; round += 1) {
      if (isMounted && suite.wants('disk full')) await fill(suite, world, replica, mount);
      if (suite.wants(NAMES[1])) await second(suite, world, replica, dataDir);
    }
  } finally {
    await replica.kill('SIGKILL');
    if (isMounted) execFileSync('umount', [mount]);
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

async function fill(suite: Suite, world: World, replica: Replica, mount: string): Promise<void> {
  const row: Row = { fault: 'disk full', moment: 'embedded database', tried: 0, answered: 0, documented: [], lost: [] };
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => Person.create(world)));
  const traffic = new Traffic(people, [replica.url], suite.random);
  await sleep(suite.random.between(1_000, 2_000));
  const before = { ...traffic.tally };
  const ballast = join(mount, 'ballast');
  fillUp(ballast, freeBytes(mount) - LEFT_BYTES);
  await sleep(FULL_MS);
  row.lost.push(...(await unclear(people[0], replica)));
  const left = freeBytes(mount);
  row.tried = traffic.tally.tried - before.ended;
  row.answered = traffic.tally.answered - before.answered;
  rmSync(ballast);
  const startedAt = performance.now();
  if (!replica.running) {
    row.moment += ', which ended it';
    await replica.start();
  }
  await untilReady([replica]).catch(() => row.lost.push(`readiness: ${replica.output.slice(-400)}`));
  row.backMs = performance.now() - startedAt;
  await traffic.stop();
  row.moment += `, ${left} bytes left`;
  await compareAll(people, replica, row);
  // What was told has to outlive the process, too.
  await replica.kill('SIGTERM');
  await compareStored(people, join(mount, 'data/database'), row);
  await replica.start();
  await compareAll(people, replica, row);
  suite.report(row);
}

/** What can't be stored must be refused as such, with an error that says to try again. */
async function unclear(person: Person | undefined, replica: Replica): Promise<string[]> {
  for (let tries = 0; tries < PROBES; tries += 1) {
    const reply = await person?.call(replica.url, '/workspace_access_request', { form: { email: 'full@example.com' } });
    // There was room for this one still.
    if (reply?.status === 200) continue;
    const isClear = reply?.status === 503 && reply.body?.code === 'unavailable';
    return isClear ? [] : [`a clear error: ${reply?.status} ${JSON.stringify(reply?.body)}`];
  }
  return [];
}

function freeBytes(mount: string): number {
  const { bavail, bsize } = statfsSync(mount);
  return bavail * bsize;
}

function fillUp(file: string, bytes: number): void {
  try {
    writeFileSync(file, Buffer.alloc(Math.max(0, bytes)));
  } catch (error) {
    // The database was faster: what it has left is even less.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

async function compareAll(people: readonly Person[], replica: Replica, row: Row): Promise<void> {
  for (const { lost } of await Promise.all(people.map((person) => verify(person, replica.url, NOTHING)))) row.lost.push(...lost);
  for (const person of people) person.leave();
}

/** What no endpoint shows, once nobody else owns the folder. */
async function compareStored(people: readonly Person[], folder: string, row: Row): Promise<void> {
  const { PGlite } = await import('@electric-sql/pglite');
  const database = await PGlite.create({ dataDir: folder });
  const sql: Sql = async <Found extends object>(text: string, values?: unknown[]) => (await database.query<Found>(text, values)).rows;
  for (const person of people) row.lost.push(...(await compareRows(person, sql)));
  await database.close();
}

async function second(suite: Suite, world: World, replica: Replica, dataDir: string): Promise<void> {
  const row: Row = { fault: NAMES[1], moment: 'while the first works', tried: 0, answered: 0, documented: [], lost: [] };
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => Person.create(world)));
  const traffic = new Traffic(people, [replica.url], suite.random);
  await sleep(suite.random.between(500, 1_500));
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
