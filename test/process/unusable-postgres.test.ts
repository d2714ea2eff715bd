import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { hasPostgres } from '../support/database/postgres.ts';
import { startRun } from '../support/killed-run/start-run.ts';
import { TcpProxy } from '../support/servers/tcp-proxy.ts';
import { eventually } from '../support/time/eventually.ts';

describe.skipIf(!hasPostgres)('a run of tests says in one line, and ends, when its Postgres', () => {
  let folder: string;
  let admin: pg.Client;
  const role = `steward_test_${randomBytes(6).toString('hex')}`;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'steward-unusable-'));
    admin = new pg.Client({ connectionString: address().href });
    await admin.connect();
    await admin.query(`create role ${role} login password '${role}'`);
  });

  afterAll(async () => {
    await admin.query(`drop role ${role}`);
    await admin.end();
    rmSync(folder, { recursive: true, force: true });
  });

  it('does not listen', async () => {
    const { url, proxy } = await throughProxy();
    await proxy.close();
    const { code, errors } = await start('ends', url);

    expect(code).toBe(1);
    expect(linesOf(errors)).toEqual([expect.stringMatching(/: it does not accept a connection \(connect ECONNREFUSED .*embedded runs/)]);
  });

  it('does not let the role create databases', async () => {
    const { code, errors } = await start('ends', asRole());

    expect(code).toBe(1);
    expect(linesOf(errors)).toEqual([expect.stringContaining(`the role may not create databases: alter role "${role}" createdb.`)]);
  });

  it('has no connection left for the role', async () => {
    await admin.query(`alter role ${role} createdb connection limit 0`);
    const { code, errors } = await start('ends', asRole());

    expect(code).toBe(1);
    expect(linesOf(errors)).toEqual([expect.stringContaining(`it does not accept a connection (too many connections for role "${role}")`)]);
  });

  it('stops in mid-run', async () => {
    const { url, proxy } = await throughProxy();
    const run = start('hangs', url);
    await eventually(() => readFileSync(join(folder, 'started.json'), 'utf8') !== '');
    await proxy.close();
    const { code, errors, output } = await run;

    expect(code).toBe(1);
    expect(linesOf(errors)).toEqual([expect.stringMatching(/: it ended the connection of this run \(.*\)\. Start it again\./)]);
    expect(output).not.toMatch(/fail/i);
  });

  async function start(test: string, url: string): Promise<{ code: number | null; output: string; errors: string }> {
    const env = { TMPDIR: folder, NO_COLOR: '1', TEST_DATABASE_URL: url, STARTED_FILE: join(folder, 'started.json') };
    const child = startRun(test, env);
    const [[code], output, errors] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
    return { code, output, errors };
  }

  function asRole(): string {
    const url = address();
    url.username = role;
    url.password = role;
    return url.href;
  }
});

/** Of the run's Postgres. */
function address(): URL {
  return new URL(inject('postgres')?.url ?? '');
}

async function throughProxy(): Promise<{ url: string; proxy: TcpProxy }> {
  const url = address();
  const proxy = new TcpProxy({ host: url.hostname, port: Number(url.port || 5432) });
  await proxy.open();
  url.host = `127.0.0.1:${proxy.port}`;
  return { url: url.href, proxy };
}

function linesOf(printed: string): string[] {
  return printed.split('\n').filter((line) => line.trim() !== '');
}
