import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { startEmbeddedDatabase } from '../../src/database/embedded.ts';

export interface FaultyDatabase {
  /** Environment that makes the service use it as its Postgres. */
  env: Record<string, string>;
  /** Every connection breaks and none can be made, until {@link FaultyDatabase.restore}. */
  cut(): void;
  restore(): void;
  stop(): Promise<void>;
}

/** A database of its own behind a line that can be cut: on the server of TEST_DATABASE_URL, else the embedded one. */
export async function startFaultyDatabase(): Promise<FaultyDatabase> {
  const target = process.env.TEST_DATABASE_URL === undefined ? await embedded() : await onServer(process.env.TEST_DATABASE_URL);
  const open = new Set<Socket>();
  let down = false;
  const server = createServer((incoming) => {
    if (down) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(target.address);
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    down = true;
    for (const socket of open) socket.destroy();
  };
  return {
    env: { DATABASE_URL: `postgres://${target.credentials}@127.0.0.1:${port}/${target.database}`, ...target.env },
    cut,
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
  cpSync(inject('embeddedTemplate'), directory, { recursive: true });
  const { address, close } = await startEmbeddedDatabase(join(directory, 'database'), 20);
  return {
    address: { path: join(address.host as string, `.s.PGSQL.${address.port}`) },
    credentials: 'postgres:postgres',
    database: 'postgres',
    // It has one session, whatever the number of connections.
    env: { LIMIT_DATABASE_CONNECTIONS: '1' },
    async close() {
      await close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function onServer(server: string): Promise<Target> {
  const url = new URL(server);
  const name = `steward_test_${randomBytes(6).toString('hex')}`;
  await administer(server, `create database ${name}`);
  return {
    address: { host: url.hostname, port: Number(url.port || 5432) },
    credentials: url.password === '' ? url.username : `${url.username}:${url.password}`,
    database: name,
    env: {},
    close: () => administer(server, `drop database ${name} with (force)`),
  };
}

async function administer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
