import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { programOf } from '../support/processes/debian-packages.ts';
import { freePort } from '../support/servers/free-port.ts';
import { endStage, openStage, type Stage, trouble } from './stage.ts';
import type { Suite } from './suite.ts';
import { Replica } from './support/replica.ts';
import { createWorld } from './support/world.ts';

const DATABASE = 'clocks';
const JUMPS = [
  ['+10m', 'ten minutes ahead'],
  ['-10m', 'ten minutes behind'],
] as const;
/** Far enough that the replica rejects its users' tokens, and treats the provider's as expired or as new. */
const LEAPS = [
  ['+1d', 'a day ahead'],
  ['-1h', 'an hour behind'],
] as const;
const NAMES = [
  ...JUMPS.map(([, words]) => `clock of one replica ${words}`),
  ...[...JUMPS, ...LEAPS].map(([, words]) => `clock jumps, ${words}`),
];
/** For one account in one trial: one that is due, and one because a replica considered it expired. */
const REFRESHES_MAX = 6;

/** Sets one of two replicas' clocks wrong, from its start and while it runs, by libfaketime. */
export async function clocks(suite: Suite): Promise<void> {
  if (!NAMES.some((name) => suite.wants(name))) return;
  const library = programOf('libfaketime');
  const ports = [await freePort(), await freePort()];
  const world = await createWorld(suite.cluster, DATABASE, ports[0] ?? 0);
  const clock = join(world.folder, 'clock');
  writeFileSync(clock, '+0');
  const faked = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clock,
    // Read again at every call; timers use the monotonic clock, which stays correct.
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  const [right, wrong] = [new Replica(ports[0] ?? 0, world.env), new Replica(ports[1] ?? 0, { ...world.env, ...faked })];
  const stage: Stage = { world, replicas: [right, wrong], seen: [] };
  await openStage(stage);
  // Valid by both clocks: the rejection of tokens from the future is not tested here.
  world.tokenAge = 20 * 60;
  for (let round = 0; round < suite.rounds; round += 1) {
    for (const [offset, words] of [...JUMPS, ...LEAPS]) {
      const watched = watchRefreshes(stage);
      await trouble(suite, stage, {
        fault: `clock jumps, ${words}`,
        moment: 'and back, while it runs',
        lasts: 3_000,
        // An ID token that seems to have expired does not identify the account, so its tokens are not revoked.
        mayForget: words === 'a day ahead',
        begin() {
          writeFileSync(clock, offset);
          return () => writeFileSync(clock, '+0');
        },
      });
      watched();
    }
    for (const [offset, words] of JUMPS) {
      if (!suite.wants(`clock of one replica ${words}`)) continue;
      const watched = watchRefreshes(stage);
      await wrong.kill('SIGTERM');
      writeFileSync(clock, offset);
      await wrong.start();
      await trouble(suite, stage, {
        fault: `clock of one replica ${words}`,
        moment: 'since its start',
        lasts: 3_000,
        begin: () => () => {},
      });
      watched();
      writeFileSync(clock, '+0');
      await wrong.kill('SIGTERM');
      await wrong.start();
    }
  }
  suite.later(endStage(suite, stage));
}

/** An access token of an hour must not be refreshed repeatedly. @returns records every account that was */
function watchRefreshes({ world, seen }: Stage): () => void {
  let known = world.workspace.families.length;
  return () => {
    const looping = world.workspace.families.slice(known).filter(({ access }) => access.size > REFRESHES_MAX);
    known = world.workspace.families.length;
    for (const { email, access } of looping) seen.at(-1)?.row.lost.push(`${email} was refreshed ${access.size - 1} times`);
  };
}
