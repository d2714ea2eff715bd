import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { createPostgresDatabase, hasPostgres } from '../../../support/database/postgres.ts';
import { WorkspaceEmulator } from '../../../support/emulators/workspace-emulator.ts';
import { queueInstalled } from '../../../support/scenes/flows.ts';
import { type FaultyDatabase, startFaultyDatabase } from '../../../support/servers/database-proxy.ts';
import { TcpProxy } from '../../../support/servers/tcp-proxy.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { eventually } from '../../../support/time/eventually.ts';
import { type ConnectedGrant, connectGrant, grantState, leave } from '../../../support/users/refreshing.ts';

let provider: WorkspaceEmulator;
let steward: TestSteward;

beforeEach(async () => {
  provider = await new WorkspaceEmulator().start();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await steward.stop();
  await provider.stop();
});

const current = ({ userId, grantId }: ConnectedGrant) => steward.context.tokens.current(userId, grantId);
const lastGiven = () => provider.tokens.given.at(-1);

async function expired(): Promise<ConnectedGrant> {
  await queueInstalled(steward);
  const grant = await connectGrant(steward, provider, steward.sql);
  await leave(steward.sql, grant, -60);
  return grant;
}

/** Delays the provider's next response after the rotation. */
function holdResponse() {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  provider.tokens.after = () => {
    reached.resolve();
    return opened.promise;
  };
  return { reached: reached.promise, open: opened.resolve };
}

const retried = () => eventually(() => steward.logs.some((line) => line.includes('could not be stored yet')));

describe('while the database is unavailable', () => {
  let database: FaultyDatabase;

  beforeEach(async () => {
    database = await startFaultyDatabase();
    steward = await startSteward({ ...provider.env, ...database.env });
  });

  afterEach(() => database.stop());

  it('returns a new token only once it is stored, when the database is available again', async () => {
    const grant = await expired();
    const response = holdResponse();
    let isOver = false;
    const call = current(grant).finally(() => {
      isOver = true;
    });
    await response.reached;
    database.cut();
    response.open();
    await retried();
    expect(isOver).toBe(false);
    database.restore();
    expect(await call).toBe(lastGiven());
    expect(await grantState(steward.sql, grant)).toMatchObject({ status: 'active', lease: null });
    expect(await current(grant)).toBe(lastGiven());
    expect(provider.tokens.asked).toHaveLength(1);
  });

  it('waits for the database at a stop, so that the rotated token is not lost', async () => {
    const grant = await expired();
    const response = holdResponse();
    const call = current(grant);
    await response.reached;
    database.cut();
    response.open();
    await retried();
    const restarting = steward.restart();
    await eventually(async () => (await steward.call('/test').catch(() => undefined)) === undefined);
    database.restore();
    steward = await restarting;
    expect(await call).toBe(lastGiven());
    expect(await current(grant)).toBe(lastGiven());
    expect(provider.tokens.asked).toHaveLength(1);
  });
});

describe('a lease under which nothing could be sent', () => {
  it('is released, so that the account can be used again at once', async () => {
    steward = await startSteward(provider.env);
    const grant = await expired();
    const unavailable = new AppError('unavailable', 'The key service does not respond.');
    vi.spyOn(steward.context.userKeys, 'unwrap').mockRejectedValueOnce(unavailable);
    await expect(current(grant)).rejects.toBe(unavailable);
    expect(await grantState(steward.sql, grant)).toMatchObject({ status: 'active', lease: null, failures: 0 });
    expect(await current(grant)).toBe(lastGiven());
    expect(provider.tokens.asked).toHaveLength(1);
  });
});

describe('a stop', () => {
  it('waits for the provider’s response and stores it', async () => {
    steward = await startSteward(provider.env);
    const grant = await expired();
    const response = holdResponse();
    const call = current(grant);
    await response.reached;
    const restarting = steward.restart();
    await eventually(async () => (await steward.call('/test').catch(() => undefined)) === undefined);
    response.open();
    expect(await call).toBe(lastGiven());
    steward = await restarting;
    expect(await current(grant)).toBe(lastGiven());
    expect(provider.tokens.asked).toHaveLength(1);
  });

  it('begins no further refresh', async () => {
    steward = await startSteward(provider.env);
    const grant = await expired();
    await steward.context.tokens.settle();
    await expect(current(grant)).rejects.toMatchObject({ code: 'unavailable' });
    expect(provider.tokens.asked).toEqual([]);
  });
});

describe.skipIf(!hasPostgres)('a commit whose response is lost', () => {
  it('is verified by a read, and used', async () => {
    const database = await createPostgresDatabase();
    const url = new URL(database.url);
    const proxy = new TcpProxy({ host: url.hostname, port: Number(url.port || 5432) });
    await proxy.open();
    url.host = `127.0.0.1:${proxy.port}`;
    steward = await startSteward({ ...provider.env, DATABASE_URL: url.href });
    const grant = await expired();
    const response = holdResponse();
    const call = current(grant);
    await response.reached;
    proxy.muteAfter('refresh-store');
    response.open();
    await eventually(async () => (await grantState(database.sql, grant))?.lease === null);
    const stored = await grantState(database.sql, grant);
    proxy.breakConnections();
    await proxy.open();
    expect(await call).toBe(lastGiven());
    expect((await grantState(database.sql, grant))?.version).toBe(stored?.version);
    await steward.stop();
    steward = await startSteward();
    await proxy.close();
    await database.drop();
  });
});
