import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresProgram, unprivileged } from '../faults/support/unprivileged.ts';
import { accepts } from '../support/database/pg-client.ts';
import { programOf } from '../support/processes/debian-packages.ts';
import { freePort } from '../support/servers/free-port.ts';
import { eventually } from '../support/time/eventually.ts';

/**
 * Starts a Postgres of its own under a clock: tests compare its time with that of the service. The clock is datefudge's:
 * libfaketime gives the machine's time to a signal handler that interrupts a wait, so that no time limit of Postgres ends.
 *
 * @param offset seconds that its clock is ahead of the machine's
 */
export async function startClockedPostgres(offset: number): Promise<{ url: string; remove(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-clock-'));
  const user = unprivileged();
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const clock = { LD_PRELOAD: programOf('datefudge'), DATEFUDGE: String(-offset) };
  const options = { ...user, cwd: folder, env: { ...process.env, ...clock }, stdio: 'ignore' } as const;
  execFileSync(postgresProgram('initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'], options);
  const port = await freePort();
  // It serves tests only, and does not wait for the disk.
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${folder}`, 'max_connections=150', 'fsync=off'];
  const server = spawn(postgresProgram('postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], options);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await eventually(() => accepts(url));
  return {
    url,
    async remove() {
      const ended = once(server, 'exit');
      server.kill('SIGQUIT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
