import { freePort } from '../support/servers/free-port.ts';
import { endStage, openStage, type Stage, trouble } from './stage.ts';
import type { Suite } from './suite.ts';
import { Replica } from './support/replica.ts';
import { createWorld } from './support/world.ts';

const DATABASE = 'stops';
/** Of a log, characters. */
const SHOWN = 1_000;
const NAMES = ['SIGTERM of one of two', 'SIGTERM of both', 'kill -9 of one of two', 'kill -9 of both'] as const;

/** Stops and kills processes during their work, and restarts them. */
export async function stops(suite: Suite): Promise<void> {
  if (!NAMES.some((name) => suite.wants(name))) return;
  const ports = [await freePort(), await freePort()];
  const world = await createWorld(suite.cluster, DATABASE, ports[0] ?? 0);
  const replicas = ports.map((port) => new Replica(port, world.env));
  world.workspace.lifeSeconds = 3;
  const stage: Stage = { world, replicas, seen: [] };
  await openStage(stage);
  for (let round = 0; round < suite.rounds; round += 1)
    for (const name of NAMES) {
      const signal = name.startsWith('kill') ? 'SIGKILL' : 'SIGTERM';
      // A kill may always hit the moment between rotation and commit, which is tested separately.
      world.workspace.rotation = signal === 'SIGKILL' ? 'off' : 'strict';
      const problems: string[] = [];
      const ended = name.endsWith('both') ? replicas : [suite.random.pick(replicas)];
      await trouble(suite, stage, {
        fault: name,
        moment: 'amid traffic, twice',
        lasts: 500,
        mayForget: signal === 'SIGKILL',
        async begin() {
          problems.push(...(await restart(suite, ended, signal)));
          return async () => void problems.push(...(await restart(suite, ended, signal)));
        },
        problems,
      });
    }
  suite.later(endStage(suite, stage));
}

/** @returns stops that failed */
async function restart(suite: Suite, replicas: readonly Replica[], signal: NodeJS.Signals): Promise<string[]> {
  const problems = replicas.map(async (replica) => {
    const { code } = await replica.kill(signal);
    const said = replica.output.slice(-SHOWN);
    await replica.start();
    if (signal !== 'SIGTERM' || code === 0) return [];
    suite.say(said);
    return [`a clean stop: SIGTERM ended a process with ${code}`];
  });
  return (await Promise.all(problems)).flat();
}
