import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { freePort } from '../support/servers/free-port.ts';
import { endStage, openStage, type Stage, type Trouble, trouble } from './stage.ts';
import type { Suite } from './suite.ts';
import { FAULTS, type Fault } from './support/fault-emulator.ts';
import { Replica } from './support/replica.ts';
import { Resources } from './support/resources.ts';
import { createWorld, type World } from './support/world.ts';

const DATABASE = 'providers';
const LASTS_MS = 2_500;

const WORDS: Record<Fault, string> = {
  huge: 'answers 8 MB',
  delay: 'is slow',
  cut: 'is cut off in mid-answer',
  html: 'answers HTML with 200',
  truncated: 'answers half a JSON',
  type: 'answers JSON as text/plain',
  endless: 'answers without an end',
  hang: 'never answers',
  reset: 'breaks the line',
  '500': 'answers 503',
  '429': 'answers 429',
  portal: 'is hidden behind a sign-in page with 200',
  error200: 'answers an error with 200',
  redirect: 'redirects',
};

/** The token response for a lifetime of three seconds. */
const LIVES: [unknown, string][] = [
  [0, 'is 0'],
  [-60, 'is negative'],
  [1e12, 'is thousands of years'],
  ['soon', 'is a word'],
  [undefined, 'is missing'],
];

/** A label has at most 63 characters, so no resolver is queried for this name. */
const NO_HOST = `https://${'x'.repeat(64)}.invalid`;

/** Both providers fail in every way, with static refresh tokens and with rotating ones with reuse detection. */
export async function providerFaults(suite: Suite): Promise<void> {
  const port = await freePort();
  const troubles = (stage: Stage, replica: Replica) => [
    ...FAULTS.map((fault) => responses(stage, fault)),
    invalidClient(stage),
    ...LIVES.map(([told, words]) => life(stage, told, words)),
    unreachable(stage, replica, 'names that don’t resolve', async () => ({ url: NO_HOST, close() {} })),
    unreachable(stage, replica, 'TLS without a certificate', withoutCertificate),
    // Again: the resources of the first one must have been released.
    responses(stage, 'huge'),
  ];
  const world = await createWorld(suite.cluster, DATABASE, port);
  const replica = new Replica(port, world.env);
  const stage: Stage = { world, replicas: [replica], seen: [] };
  const chosen = troubles(stage, replica).filter(({ fault, moment }) => suite.wants(`${fault} ${moment}`));
  if (chosen.length === 0) return world.remove();
  await openStage(stage);
  world.workspace.lifeSeconds = 3;
  const resources = new Resources(stage);
  for (let round = 0; round < suite.rounds; round += 1)
    for (const each of chosen) {
      world.workspace.rotation = suite.random.pick(['off', 'strict']);
      await trouble(suite, stage, { ...each, moment: `${each.moment}, rotation ${world.workspace.rotation}` });
      resources.begin();
    }
  suite.report(await resources.compare('the providers’ faults'));
  suite.later(endStage(suite, stage));
}

function responses({ world: { workspace, bank } }: Stage, fault: Fault): Trouble {
  const problems: string[] = [];
  return {
    fault: `providers: ${WORDS[fault]}`,
    moment: 'both',
    lasts: LASTS_MS,
    begin() {
      for (const { server } of [workspace, bank]) server.fault = fault;
      return () => {
        for (const { server } of [workspace, bank]) {
          server.fault = undefined;
          if (server.followed > 0) problems.push('a redirect of a provider was followed');
        }
      };
    },
    problems,
  };
}

function invalidClient({ world: { workspace } }: Stage): Trouble {
  return {
    fault: 'providers: invalid_client',
    moment: 'workspace',
    lasts: LASTS_MS,
    begin() {
      workspace.invalidClient = true;
      return () => {
        workspace.invalidClient = false;
      };
    },
  };
}

function life({ world: { workspace } }: Stage, told: unknown, words: string): Trouble {
  return {
    fault: `providers: expires_in ${words}`,
    moment: 'workspace',
    lasts: LASTS_MS,
    begin() {
      workspace.toldLife = { expires_in: told };
      return () => {
        workspace.toldLife = {};
      };
    },
  };
}

/** The process is restarted with other addresses of the providers, and again with the right ones. */
function unreachable(stage: Stage, replica: Replica, words: string, open: () => Promise<{ url: string; close(): void }>): Trouble {
  return {
    fault: `providers: ${words}`,
    moment: 'both',
    lasts: LASTS_MS,
    async begin() {
      const { url, close } = await open();
      await replica.kill();
      await replica.start(elsewhere(stage.world, url));
      return async () => {
        await replica.kill();
        await replica.start();
        close();
      };
    },
  };
}

function elsewhere({ env }: World, url: string): Record<string, string> {
  const names = ['GOOGLE_TOKEN_URL', 'GOOGLE_USERINFO_URL', 'GOOGLE_REVOKE_URL', 'GOOGLE_API_URL', 'PLAID_BASE_URL'];
  return Object.fromEntries(names.map((name) => [name, url + new URL(env[name] ?? '').pathname.replace(/\/$/, '')]));
}

async function withoutCertificate(): Promise<{ url: string; close(): void }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}
