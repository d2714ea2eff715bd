import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartRefused } from '../errors.ts';
import type { DatabaseAddress } from './database.ts';

export interface EmbeddedDatabase {
  address: DatabaseAddress;
  close(): Promise<void>;
}

/** Everyone queues for the one connection here, which on a slow machine may take a while. */
const WAIT_MS = 15_000;

/**
 * Starts the embedded database (PGlite) on a unix socket, so that the ordinary
 * `pg` pool serves it as it serves Postgres. The caller holds the folder's lock:
 * two owners lose data without an error.
 *
 * @param directory where it keeps its files
 * @throws StartRefused when they can't be used
 */
export async function startEmbeddedDatabase(directory: string, connections: number): Promise<EmbeddedDatabase> {
  // Development only, so both are development dependencies and loaded here.
  const { PGlite } = await import('@electric-sql/pglite');
  const { PGLiteSocketServer } = await import('@electric-sql/pglite-socket');
  const db = await opened(directory, () => PGlite.create({ dataDir: directory }));
  // A socket's path may have 107 bytes, so it doesn't lie in the data folder; 0700 keeps other users out.
  const socketDirectory = mkdtempSync(join(tmpdir(), 'steward-'));
  chmodSync(socketDirectory, 0o700);
  const server = new PGLiteSocketServer({ db, path: join(socketDirectory, '.s.PGSQL.5432'), maxConnections: connections + 1 });
  await server.start();
  return {
    address: {
      host: socketDirectory,
      port: 5432,
      user: 'postgres',
      password: 'postgres',
      database: 'postgres',
      connectionTimeoutMillis: WAIT_MS,
    },
    async close() {
      await server.stop();
      await db.close();
      rmSync(socketDirectory, { recursive: true, force: true });
    },
  };
}

async function opened<Opened>(directory: string, open: () => Promise<Opened>): Promise<Opened> {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return await open();
  } catch (error) {
    throw new StartRefused(
      `The embedded database can’t be opened (${reasonOf(error)}). Is the disk full, or is ${directory} damaged or not a folder of this release? Without it Steward begins with an empty one.`,
    );
  }
}

/** Of the errors of its file system (Emscripten) only some are an Error, and only some have a message. */
function reasonOf(error: unknown): string {
  const { message, name, errno } = error as { message?: string; name?: string; errno?: number };
  return message || `${name ?? 'unknown error'}${errno === undefined ? '' : ` ${errno}`}`;
}
