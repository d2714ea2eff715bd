import { freePort } from '../support/servers/free-port.ts';
import type { Suite } from './suite.ts';
import { Person } from './support/person.ts';
import { Replica } from './support/replica.ts';
import type { Row } from './support/table.ts';
import { TapProxy } from './support/tap-proxy.ts';
import { runTool, startTool } from './support/tool.ts';
import { Traffic } from './support/traffic.ts';
import { verify } from './support/verify.ts';
import { createWorld, type World } from './support/world.ts';

const NAME = 'killed -9: keys rewrap --new-user-keys';
const PEOPLE = 3;
const WAIT = ['--wait', '60'];

/** Kills a rewrap of all keys before and after each committed write, while the service is in use. */
export async function rewraps(suite: Suite): Promise<void> {
  if (!suite.wants(NAME)) return;
  const port = await freePort();
  const world = await createWorld(suite.cluster, 'rewraps', port);
  const replica = new Replica(port, world.env);
  await replica.start();
  const proxy = new TapProxy({ host: '127.0.0.1', port: suite.cluster.port }, world.steps);
  await proxy.open();
  const url = new URL(world.env.DATABASE_URL ?? '');
  url.port = String(proxy.port);
  const tapped = { ...world.env, DATABASE_URL: url.href };
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => Person.create(world)));
  for (const person of people) for (const operation of ['connect', 'link', 'search'] as const) await person.do(operation, replica.url);

  await rotate(world, 'start');
  const steps = world.steps.record();
  await runTool(tapped, 'keys', 'rewrap', '--new-user-keys', ...WAIT);
  const row: Row = { fault: NAME, moment: `each of ${steps.length} steps`, tried: 0, answered: 0, documented: [], lost: [] };
  const count = steps.length;
  world.workspace.lifeSeconds = 3;
  const traffic = new Traffic(people, [replica.url], suite.random);
  for (let index = 0; index < count; index += 1) {
    await rotate(world, `n${index}`);
    if (await killAt(world, tapped, index)) row.tried += 1;
    await runTool(world.env, 'keys', 'rewrap', '--new-user-keys', ...WAIT).catch((error: Error) => row.lost.push(error.message));
  }
  await traffic.stop();
  row.answered = traffic.tally.answered;
  for (const { lost } of await Promise.all(people.map((person) => verify(person, replica.url, () => undefined)))) row.lost.push(...lost);
  const [left] = await world.sql<{ count: number }>('select count(*)::int as count from user_keys where master_key_id <> $1', [
    `n${count - 1}`,
  ]);
  if (left?.count !== 0) row.lost.push(`${left?.count} user keys are under an older key`);
  for (const person of people) person.leave();
  suite.report(row);
  await replica.kill('SIGTERM');
  await proxy.close();
  await world.remove();
}

/** A new first key, so that every key must be wrapped again. */
async function rotate({ env }: World, id: string): Promise<void> {
  await runTool(env, 'keys', 'add', id);
  await runTool(env, 'keys', 'promote', id, ...WAIT);
}

/** @returns false if it ended before that step */
async function killAt({ steps }: World, env: Record<string, string>, index: number): Promise<boolean> {
  let isKilled = false;
  const tool = startTool(env, 'keys', 'rewrap', '--new-user-keys', ...WAIT);
  steps.strikeAt(index, async () => {
    isKilled = true;
    await tool.kill();
  });
  await tool.ended;
  steps.record();
  return isKilled;
}
