import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '../errors.ts';
import type { DatabaseAddress } from './database.ts';

/** All requests share one connection, so that the wait for it may be long on a slow machine. */
const WAIT_MS = 15_000;

/**
 * Starts the embedded database (PGlite) on a Unix socket, so that the `pg` pool connects to it as to Postgres. The
 * caller must hold the folder's lock: two processes would lose data without an error.
 *
 * @param directory the database's files
 * @throws StartError when they cannot be used
 */
export async function startEmbeddedDatabase(directory: string, connections: number) {
  // Both are development dependencies, so they are loaded only here.
  const { PGlite } = await import('@electric-sql/pglite');
  const { PGLiteSocketServer } = await import('@electric-sql/pglite-socket');
  const db = await opened(directory, () => PGlite.create({ dataDir: directory }));
  // The path of a socket has at most 107 bytes, so it is not in the data folder; 0700 excludes other users.
  const socketDirectory = mkdtempSync(join(tmpdir(), 'steward-'));
  chmodSync(socketDirectory, 0o700);
  const server = new PGLiteSocketServer({ db, path: join(socketDirectory, '.s.PGSQL.5432'), maxConnections: connections + 1 });
  await server.start();
  const address: DatabaseAddress = {
    folder: directory,
    host: socketDirectory,
    port: 5432,
    user: 'postgres',
    password: 'postgres',
    database: 'postgres',
    connectionTimeoutMillis: WAIT_MS,
  };
  return {
    address,
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
    throw new StartError(
      `The embedded database can’t be opened (${reasonOf(error)}). The disk may be full, or ${directory} may be damaged or written by another release. If the folder is removed, Steward creates an empty one.`,
    );
  }
}

/** Only some errors of its file system (Emscripten) are an Error, and only some have a message. */
function reasonOf(error: unknown): string {
  const { message, name, errno } = error as { message?: string; name?: string; errno?: number };
  return message || `${name ?? 'unknown error'}${errno === undefined ? '' : ` ${errno}`}`;
}
