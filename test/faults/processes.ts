import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { freePort } from '../support/servers/free-port.ts';
import { endStage, openStage, type Stage, type Trouble, trouble } from './stage.ts';
import type { Suite } from './suite.ts';
import { ask } from './support/ask.ts';
import { Replica } from './support/replica.ts';
import { createWorld } from './support/world.ts';

const DATABASE = 'processes';
/** Longer than a refresh holds its lease (30 s), and than the queue holds its jobs (a minute). */
const STILL_MS = 40_000;
const LASTS_MS = 4_000;
/** Enough for requests in progress, too few for all new ones. */
const FILES_LEFT = 3;

/** Faults of processes other than their end: they are paused, run out of file descriptors, get a broken configuration or no keys. */
export async function processes(suite: Suite): Promise<void> {
  const ports = [await freePort(), await freePort()];
  const world = await createWorld(suite.cluster, DATABASE, ports[0] ?? 0);
  const stage: Stage = { world, replicas: ports.map((port) => new Replica(port, world.env)), seen: [] };
  const troubles = [standsStill(stage), outOfFiles(stage), brokenConfiguration(stage), silentIssuer(stage)];
  const chosen = troubles.filter(({ fault, moment }) => suite.wants(`${fault} ${moment}`));
  if (chosen.length === 0) return world.remove();
  await openStage(stage);
  world.workspace.lifeSeconds = 3;
  // Of two with the same token, because one was paused between rotation and commit, the provider rejects the later one.
  world.workspace.rotation = 'lenient';
  for (let round = 0; round < suite.rounds; round += 1) for (const each of chosen) await trouble(suite, stage, each);
  suite.later(endStage(suite, stage));
}

function standsStill({ replicas: [first] }: Stage): Trouble {
  return {
    fault: 'one of two stands still (SIGSTOP)',
    moment: `for ${STILL_MS / 1000} s`,
    lasts: STILL_MS,
    begin() {
      first?.signal('SIGSTOP');
      return () => first?.signal('SIGCONT');
    },
  };
}

function outOfFiles({ replicas: [first] }: Stage): Trouble {
  return {
    fault: 'one of two out of file descriptors',
    moment: `for ${LASTS_MS / 1000} s`,
    lasts: LASTS_MS,
    begin: () => first?.limitFiles(FILES_LEFT) ?? (() => {}),
  };
}

/** Each reload of a broken file is rejected, and the previous one stays in force. */
function brokenConfiguration({ world, replicas }: Stage): Trouble {
  const problems: string[] = [];
  const file = world.env.INTEGRATIONS_FILE ?? '';
  const good = readFileSync(file, 'utf8');
  const reload = async (isGood: boolean, what: string) => {
    for (const { url } of replicas) {
      const status = (await ask(url, '/update_integrations'))?.status;
      if (status === undefined || (status === 200) !== isGood) problems.push(`the reload of ${what} was answered ${status}`);
    }
  };
  return {
    fault: 'integrations.yaml broken',
    moment: 'and reloaded',
    lasts: 1_000,
    async begin() {
      writeFileSync(file, '\u0000\u0001: [');
      await reload(false, 'no YAML');
      writeFileSync(file, good.slice(0, good.length / 2));
      await reload(false, 'half a file');
      writeFileSync(file, '');
      await reload(false, 'an empty file');
      rmSync(file);
      await reload(false, 'no file');
      return async () => {
        writeFileSync(file, good);
        await reload(true, 'the good file');
      };
    },
    problems,
  };
}

/** Cached tokens stay valid; a process that starts then rejects all, until the issuer responds. */
function silentIssuer({ world, replicas: [first] }: Stage): Trouble {
  return {
    fault: 'the identity issuer never answers',
    moment: 'while one of two starts',
    lasts: LASTS_MS,
    async begin() {
      const release = world.issuer.hold();
      await first?.kill('SIGTERM');
      await first?.start();
      return release;
    },
  };
}
