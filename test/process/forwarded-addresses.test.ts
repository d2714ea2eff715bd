import { once } from 'node:events';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/processes/process.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';
import { eventually } from '../support/time/eventually.ts';

/** Values that Node accepts as addresses, and unusual ones. */
const FORWARDED = [
  '64:ff9b::203.0.113.5',
  '::203.0.113.5',
  '2001:db8::203.0.113.5%eth0',
  '::ffff:203.0.113.5, ::203.0.113.5',
  '1:2:3:4:5:6:203.0.113.5',
  'unknown',
  ':::1',
  '[::1]:8080',
  '203.0.113.5:80',
  ', ,',
];

let place: Place;
let child: TestProcess;

beforeEach(async () => {
  place = await createPlace();
});

afterEach(async () => {
  await child.kill('SIGKILL');
  await place.remove();
});

/** @returns the status of the upgrade */
async function upgrade(url: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers });
  const rejected = new Promise<number>((resolve) => {
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.on('error', () => resolve(0));
  });
  const status = await Promise.race([once(socket, 'open').then(() => 101), rejected]).catch(() => 0);
  socket.terminate();
  return status;
}

describe('X-Forwarded-For', () => {
  it.each(['1', 'true', 'loopback'])('of any form is accepted with TRUST_PROXY=%s, for requests and upgrades', async (trust) => {
    child = await startProcess({ ...place.env, TRUST_PROXY: trust });
    for (const address of FORWARDED) {
      const headers = { 'x-forwarded-for': address };
      expect([address, (await child.call('/', { headers })).status]).toEqual([address, 200]);
      expect([address, await upgrade(child.url, headers)]).toEqual([address, 101]);
    }
    expect(child.running()).toBe(true);
    expect(child.output()).not.toMatch(/"level":(50|60)/);
  });
});

describe('an unhandled rejection', () => {
  it('is logged, and the process continues', async () => {
    const fail = 'process.once("SIGUSR2",()=>{Promise.reject(new Error("of the test"))})';
    child = await startProcess({ ...place.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fail)}` });
    void child.kill('SIGUSR2');
    await eventually(() => child.output().includes('of the test') || !child.running());
    expect(child.output()).toContain('unhandled promise rejection');
    expect((await child.call('/test')).status).toBe(200);
  });
});

describe('an upgrade whose handling fails', () => {
  let steward: TestSteward;

  afterAll(() => steward.stop());

  it('closes its connection only', async () => {
    child = await startProcess(place.env);
    steward = await startSteward();
    const { config } = steward.context;
    const origins = Object.getOwnPropertyDescriptor(config, 'allowedOrigins') ?? {};
    Object.defineProperty(config, 'allowedOrigins', {
      configurable: true,
      get: () => {
        throw new Error('of the test');
      },
    });
    expect(await upgrade(steward.url, { origin: 'https://app.example.com' })).toBe(0);
    Object.defineProperty(config, 'allowedOrigins', origins);
    expect(steward.logs.some((line) => line.includes('an upgrade failed') && line.includes('of the test'))).toBe(true);
    expect(await upgrade(steward.url, {})).toBe(101);
  });
});
