import { setTimeout as sleep } from 'node:timers/promises';
import { Balancer } from '../support/servers/balancer.ts';
import { freePort } from '../support/servers/free-port.ts';
import { Pooler } from '../support/servers/pooler.ts';
import { eventually } from '../support/time/eventually.ts';
import { endStage, openStage, type Stage, trouble } from './stage.ts';
import type { Suite } from './suite.ts';
import { PatroniCluster } from './support/patroni-cluster.ts';
import { KINDS, type Kind, Probes } from './support/probes.ts';
import { Replica } from './support/replica.ts';
import { createWorld } from './support/world.ts';

/** The longest time without a success of each kind of request. */
export const OUTAGE_MAX_MS = 15_000;
/** A limit for what never happens. */
const GIVEN_UP_MS = 120_000;

/** What happened in one round. */
export interface Failover {
  fault: string;
  /** The longest time without a success from the fault on, milliseconds. */
  outage: Record<Kind, number>;
  /** The longest time until a response during the round, milliseconds. */
  longestMs: number;
  errors: Record<string, number>;
  /** From the end of the fault until all nodes were part of the cluster again, milliseconds. */
  rejoinedMs: number;
}

interface Fault {
  name: string;
  /** How long it lasts: minimum and maximum, milliseconds. */
  lasts: readonly [number, number];
  begin(cluster: PatroniCluster, primary: number): Promise<void> | void;
  end(cluster: PatroniCluster, primary: number): Promise<void> | void;
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'primary killed -9',
    lasts: [15_000, 20_000],
    begin: (cluster, primary) => cluster.kill(primary),
    end: (cluster, primary) => cluster.restart(primary),
  },
  {
    // It resumes as a primary that does not know of its successor.
    name: 'primary paused',
    lasts: [20_000, 30_000],
    begin: (cluster, primary) => cluster.pause(primary),
    end: (cluster, primary) => cluster.resume(primary),
  },
  {
    name: 'primary cut off',
    lasts: [15_000, 25_000],
    begin: (cluster, primary) => cluster.cut(primary),
    end: (cluster, primary) => cluster.join(primary),
  },
  { name: 'primary demoted', lasts: [0, 0], begin: (cluster, primary) => cluster.switchOver(primary), end: () => {} },
];

/** Three replicas of the service behind its load balancer, on a database of three nodes. */
export class FailoverSite {
  readonly cluster: PatroniCluster;
  readonly stage: Stage & { entrance: string };
  readonly #pooler: Pooler;
  readonly #balancer: Balancer;

  private constructor(cluster: PatroniCluster, stage: Stage & { entrance: string }, pooler: Pooler, balancer: Balancer) {
    this.cluster = cluster;
    this.stage = stage;
    this.#pooler = pooler;
    this.#balancer = balancer;
  }

  static async open(): Promise<FailoverSite> {
    const cluster = await PatroniCluster.start();
    const balancer = await Balancer.create();
    const pooler = await Pooler.start(cluster.url());
    const ports = [await freePort(), await freePort(), await freePort()];
    const world = await createWorld(cluster, 'steward', ports[0] ?? 0);
    const env = { ...world.env, PUBLIC_URL: balancer.url, TRUST_PROXY: '1' };
    // One connects directly, the others through the pooler.
    const replicas = ports.map((port, index) => new Replica(port, { ...env, DATABASE_URL: index === 0 ? cluster.url() : pooler.url }));
    const stage = { world, replicas, entrance: balancer.url, seen: [] };
    await openStage(stage);
    await balancer.listen('replicas', Object.fromEntries(ports.map((port, index) => [`REPLICA_${index + 1}`, `127.0.0.1:${port}`])));
    world.workspace.rotation = 'strict';
    world.workspace.lifeSeconds = 3;
    return new FailoverSite(cluster, stage, pooler, balancer);
  }

  async close(suite: Pick<Suite, 'say'>): Promise<void> {
    await endStage(suite, this.stage);
    await this.#balancer.remove();
    await this.#pooler.remove();
    await this.cluster.remove();
  }

  /**
   * Causes the fault under traffic, and compares the responses with the stored data after it.
   *
   * @param outageMaxMs a longer one counts as a loss
   * @returns undefined when it failed early
   */
  async round(suite: Pick<Suite, 'random' | 'wants' | 'report'>, fault: Fault, outageMaxMs: number): Promise<Failover | undefined> {
    const { cluster, stage } = this;
    const problems: string[] = [];
    let failover: Failover | undefined;
    const lasts = suite.random.between(...fault.lasts);
    await trouble(suite, stage, {
      fault: fault.name,
      moment: lasts === 0 ? 'at once' : `for ${(lasts / 1000).toFixed(0)} s`,
      lasts: 0,
      problems,
      begin: async () => {
        const probes = await Probes.start(stage.world, stage.entrance);
        await untilServed(probes, performance.now());
        const primary = await cluster.primary();
        const begun = performance.now();
        await fault.begin(cluster, primary);
        await untilServed(probes, performance.now());
        await sleep(Math.max(0, begun + lasts - performance.now()));
        await fault.end(cluster, primary);
        return async () => {
          const rejoinedMs = await cluster.untilHealthy();
          await untilServed(probes, performance.now());
          const outage = Object.fromEntries(KINDS.map((kind) => [kind, probes.outage(kind, begun)])) as Record<Kind, number>;
          problems.push(...(await probes.stop()));
          for (const kind of KINDS) if (outage[kind] > outageMaxMs) problems.push(`${kind}: no success for ${outage[kind].toFixed(0)} ms`);
          failover = { fault: fault.name, outage, longestMs: probes.longestMs, errors: probes.errors, rejoinedMs };
        };
      },
    });
    return failover;
  }
}

/** Waits until a request of each kind that began after `since` has succeeded. */
async function untilServed(probes: Probes, since: number): Promise<void> {
  await eventually(() => probes.haveSucceeded(since), GIVEN_UP_MS).catch(() => {
    throw new Error(`requests fail for ${GIVEN_UP_MS / 1000} s: ${probes.describe()}`);
  });
}
