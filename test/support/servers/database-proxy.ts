import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedDatabase } from '../../../src/database/embedded.ts';
import { copyEmbeddedTemplate } from '../database/embedded-template.ts';
import { createPostgresDatabase } from '../database/postgres.ts';
import { usesEmbedded } from '../database/test-database.ts';

export interface FaultyDatabase {
  /** Environment that makes the service use it as its Postgres. */
  env: Record<string, string>;
  /** Every connection breaks and none can be made, until {@link FaultyDatabase.restore}. */
  cut(): void;
  /**
   * The same once a client sends a statement for the given time: `before` the server receives it, or `after` the server has
   * answered it and before the client hears of that.
   *
   * @param words of the statement or of its name @param done called with the cut
   */
  cutAt(at: { words: string; time: number; when: 'before' | 'after' }, done: () => void): void;
  restore(): void;
  stop(): Promise<void>;
}

/** A new database behind a proxy that can be cut: on the Postgres of the run, else the embedded one. */
export async function startFaultyDatabase(): Promise<FaultyDatabase> {
  const target = usesEmbedded() ? await embedded() : await onServer();
  const open = new Set<Socket>();
  let down = false;
  let awaited: { words: string; left: number; when: 'before' | 'after'; done: () => void } | undefined;
  const cut = () => {
    down = true;
    for (const socket of open) socket.destroy();
  };
  /** Whether a client's packet is the awaited one. */
  const isAwaited = (packet: Buffer) => {
    if (awaited === undefined || !packet.includes(awaited.words)) return false;
    awaited.left -= 1;
    return awaited.left === 0;
  };
  const cutNow = () => {
    const done = awaited?.done;
    awaited = undefined;
    cut();
    done?.();
  };
  const server = createServer((incoming) => {
    if (down) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(target.address);
    let isAnswerCut = false;
    incoming.on('data', (packet: Buffer) => {
      if (isAwaited(packet)) {
        if (awaited?.when === 'before') return cutNow();
        isAnswerCut = true;
      }
      outgoing.write(packet);
    });
    outgoing.on('data', (packet: Buffer) => {
      if (isAnswerCut) return cutNow();
      incoming.write(packet);
    });
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(one);
      one.on('end', () => other.end());
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    env: { DATABASE_URL: `postgres://${target.credentials}@127.0.0.1:${port}/${target.database}`, ...target.env },
    cut,
    cutAt({ words, time, when }, done) {
      awaited = { words, left: time, when, done };
    },
    restore() {
      down = false;
    },
    async stop() {
      cut();
      server.close();
      await once(server, 'close');
      await target.close();
    },
  };
}

interface Target {
  address: NetConnectOpts;
  credentials: string;
  database: string;
  env: Record<string, string>;
  close(): Promise<void>;
}

async function embedded(): Promise<Target> {
  const directory = mkdtempSync(join(tmpdir(), 'steward-faulty-'));
  await copyEmbeddedTemplate(directory);
  const { address, close } = await startEmbeddedDatabase(join(directory, 'database'), 20);
  return {
    address: { path: join(address.host as string, `.s.PGSQL.${address.port}`) },
    credentials: 'postgres:postgres',
    database: 'postgres',
    // The embedded database has one session for all connections.
    env: { LIMIT_DATABASE_CONNECTIONS: '1' },
    async close() {
      await close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function onServer(): Promise<Target> {
  const { url: address, drop } = await createPostgresDatabase();
  const url = new URL(address);
  return {
    address: { host: url.hostname, port: Number(url.port || 5432) },
    credentials: url.password === '' ? url.username : `${url.username}:${url.password}`,
    database: url.pathname.slice(1),
    env: {},
    close: drop,
  };
}
