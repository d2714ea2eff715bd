import { endStage, type Stage, trouble } from './stage.ts';
import type { Suite } from './suite.ts';
import { freePort } from './support/free-port.ts';
import { Replica } from './support/replica.ts';
import { Resources } from './support/resources.ts';
import { FAULTS, type Fault } from './support/stand-in.ts';
import { createWorld } from './support/world.ts';

const DATABASE = 'providers';
const LASTS_MS = 2_500;

const WORDS: Record<Fault, string> = {
  hang: 'never answers',
  reset: 'breaks the line',
  '500': 'answers 503',
  '429': 'answers 429',
  delay: 'is slow',
  cut: 'is cut off in mid-answer',
  html: 'answers HTML with 200',
  truncated: 'answers half a JSON',
  type: 'answers JSON as text/plain',
  huge: 'answers 8 MB',
};

/** Both providers go wrong in every way, with refresh tokens that stay and with those that rotate and notice their reuse. */
export async function providerFaults(suite: Suite): Promise<void> {
  const names = [...Object.values(WORDS).map((words) => `providers: ${words}`), 'providers: invalid_client'];
  if (!names.some((name) => suite.wants(name))) return;
  const port = await freePort();
  const world = await createWorld(suite.cluster, DATABASE, port);
  const replica = new Replica(port, world.env);
  await replica.start();
  const { workspace, bank } = world;
  workspace.lifeSeconds = 3;
  const stage: Stage = { world, replicas: [replica], seen: [] };
  const resources = new Resources(stage);
  for (let round = 0; round < suite.rounds; round += 1) {
    for (const fault of FAULTS) {
      workspace.rotation = suite.random.pick(['off', 'strict']);
      await trouble(suite, stage, {
        fault: `providers: ${WORDS[fault]}`,
        moment: `rotation ${workspace.rotation}`,
        lasts: LASTS_MS,
        begin() {
          workspace.server.fault = fault;
          bank.server.fault = fault;
          return () => {
            workspace.server.fault = undefined;
            bank.server.fault = undefined;
          };
        },
      });
      resources.begin();
    }
    await trouble(suite, stage, {
      fault: 'providers: invalid_client',
      moment: 'for 3 s',
      lasts: LASTS_MS,
      begin() {
        workspace.invalidClient = true;
        return () => {
          workspace.invalidClient = false;
        };
      },
    });
  }
  if (stage.seen.length > 0) suite.report(await resources.compare('the providers’ faults'));
  suite.later(endStage(suite, stage));
}
