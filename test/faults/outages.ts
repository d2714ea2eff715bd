import { freePort } from '../support/servers/free-port.ts';
import { TcpProxy } from '../support/servers/tcp-proxy.ts';
import { endStage, openStage, type Stage, type Trouble, trouble } from './stage.ts';
import type { Suite } from './suite.ts';
import { Cluster } from './support/cluster.ts';
import { Pooler } from './support/pooler.ts';
import { Replica } from './support/replica.ts';
import { Resources } from './support/resources.ts';
import { createWorld } from './support/world.ts';

const DATABASE = 'outages';
/** Within the service's time limits, and beyond them. */
const BRIEF_MS = 700;
const LONG_MS = 7_000;

interface Site {
  /** A separate one: the other parts need theirs. */
  cluster: Cluster;
  /** In front of Postgres, for the first replica. */
  line: TcpProxy;
  /** In front of Postgres, for the second one. */
  pooler: Pooler;
  stage: Stage;
}

type Outage = Omit<Trouble, 'begin'> & { begin(site: Site): ReturnType<Trouble['begin']> };

const TROUBLES: readonly Outage[] = [
  ...(['fast', 'immediate'] as const).map((mode) => ({
    fault: `Postgres stopped, ${mode}`,
    moment: 'for 3 s',
    lasts: 3_000,
    async begin({ cluster }: Site) {
      await cluster.stop(mode);
      return () => cluster.start();
    },
  })),
  {
    fault: 'Postgres restarted',
    moment: 'at once',
    lasts: 0,
    async begin({ cluster }) {
      await cluster.stop('fast');
      return () => cluster.start();
    },
  },
  ...[BRIEF_MS, LONG_MS].map((lasts) => ({
    fault: 'Postgres paused',
    moment: `for ${lasts / 1000} s`,
    lasts,
    begin({ cluster }: Site) {
      cluster.pause();
      return () => cluster.resume();
    },
  })),
  ...[BRIEF_MS, LONG_MS].map((lasts) => ({
    fault: 'Postgres read-only, as after a failover',
    moment: `for ${lasts / 1000} s`,
    lasts,
    async begin({ cluster }: Site) {
      await cluster.readOnly(true);
      return () => cluster.readOnly(false);
    },
  })),
  { fault: 'Postgres out of connections', moment: 'for 4 s', lasts: 4_000, begin: ({ cluster }) => cluster.exhaust() },
  {
    fault: 'connections ended by Postgres',
    moment: 'three times',
    lasts: 600,
    async begin({ cluster }) {
      await endConnections(cluster);
      return async () => {
        await endConnections(cluster);
        await endConnections(cluster);
      };
    },
  },
  {
    fault: 'line cut',
    moment: 'for 3 s',
    lasts: 3_000,
    async begin({ line }) {
      await line.cut();
      return () => line.open();
    },
  },
  {
    fault: 'line dead, nothing breaks',
    moment: 'for 7 s',
    lasts: LONG_MS,
    begin({ line }) {
      line.freeze();
      return () => reopen(line);
    },
  },
  ...[150, 8_000].map((delay) => ({
    fault: 'line slow',
    moment: `${delay} ms a packet`,
    lasts: 4_000,
    begin({ line }: Site) {
      line.slow(delay);
      return () => reopen(line);
    },
  })),
  {
    fault: 'pgbouncer stopped',
    moment: 'for 3 s',
    lasts: 3_000,
    async begin({ pooler }) {
      await pooler.stop();
      return () => pooler.start();
    },
  },
  ...(['SIGTERM', 'SIGKILL'] as const).map((signal) => ({
    fault: signal === 'SIGTERM' ? 'pgbouncer restarted' : 'pgbouncer killed -9',
    moment: 'and back at once',
    lasts: 0,
    async begin({ pooler }: Site) {
      await pooler.stop(signal);
      return () => pooler.start();
    },
  })),
  {
    fault: 'pgbouncer stands still',
    moment: 'for 7 s',
    lasts: LONG_MS,
    begin({ pooler }) {
      pooler.signal('SIGSTOP');
      return () => pooler.signal('SIGCONT');
    },
  },
  {
    fault: 'pgbouncer PAUSE, RESUME',
    moment: 'for 2 s',
    lasts: 2_000,
    async begin({ pooler }) {
      await pooler.command('pause');
      return () => pooler.command('resume');
    },
  },
];

/** Makes Postgres and pgbouncer unavailable in every way, for one replica with a direct connection and one behind pgbouncer. */
export async function outages(suite: Suite): Promise<void> {
  const chosen = TROUBLES.filter(({ fault, moment }) => suite.wants(`${fault} ${moment}`));
  if (chosen.length === 0) return;
  const site = await openSite(await Cluster.start());
  const { stage } = site;
  const resources = new Resources(stage);
  for (let round = 0; round < suite.rounds; round += 1)
    for (const { begin, ...each } of chosen) {
      await trouble(suite, stage, { ...each, begin: () => begin(site) });
      resources.begin();
    }
  suite.report(await resources.compare('Postgres and pgbouncer'));
  suite.later(closeSite(suite, site));
}

async function openSite(cluster: Cluster): Promise<Site> {
  const [first, second] = [await freePort(), await freePort()];
  const world = await createWorld(cluster, DATABASE, first);
  const line = new TcpProxy({ host: '127.0.0.1', port: cluster.port });
  await line.open();
  const pooler = await Pooler.start(cluster.port);
  const direct = new URL(cluster.url(DATABASE));
  direct.port = String(line.port);
  const replicas = [
    new Replica(first, { ...world.env, DATABASE_URL: direct.href }),
    new Replica(second, { ...world.env, DATABASE_URL: pooler.url(DATABASE) }),
  ];
  const stage: Stage = { world, replicas, seen: [] };
  await openStage(stage);
  world.workspace.rotation = 'strict';
  world.workspace.lifeSeconds = 3;
  return { cluster, line, pooler, stage };
}

async function closeSite(suite: Suite, { cluster, stage, line, pooler }: Site): Promise<void> {
  await endStage(suite, stage);
  await line.close();
  await pooler.remove();
  await cluster.remove();
}

async function endConnections(cluster: Cluster): Promise<void> {
  await cluster.sql('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [DATABASE]);
}

/** Packets in transit when the fault began are lost. */
async function reopen(line: TcpProxy): Promise<void> {
  line.breakConnections();
  await line.open();
}
