import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';
import { TestClock } from '../support/time/test-clock.ts';

const HOUR_MS = 3_600_000;
let steward: TestSteward;
let clock: TestClock;
/** The sandbox's time. */
const providerNow = async () => Date.parse((await steward.control('clock', { advance_ms: 0 })).now);

beforeAll(async () => {
  clock = new TestClock();
  const loadSandbox = async (options: Parameters<typeof createSandbox>[0]) =>
    createSandbox({ ...options, moveClock: (milliseconds) => clock.setBy(milliseconds) });
  steward = await startSteward({}, { clock, loadSandbox });
});
afterAll(() => steward.stop());

describe('POST /sandbox/control/clock', () => {
  let service: number;
  let provider: number;
  /** How far both have moved since the test began, in whole hours. */
  const moved = async () => [clock.now() - service, (await providerNow()) - provider].map((by) => Math.floor(by / HOUR_MS));
  beforeEach(async () => {
    service = clock.now();
    provider = await providerNow();
  });

  it('moves the clock of the service and the provider, and of the provider alone where that is asked for', async () => {
    await steward.control('clock', { advance_ms: 2 * HOUR_MS });
    expect(await moved()).toEqual([2, 2]);
    await steward.control('clock', { advance_ms: HOUR_MS, of: 'provider' });
    expect(await moved()).toEqual([2, 3]);
    await steward.control('clock', { advance_ms: -HOUR_MS, of: 'provider' });
  });

  it('moves it to a time of the next day in a zone', async () => {
    await steward.control('clock', { tomorrow_at: '08:00', time_zone: 'Asia/Kolkata' });
    const at = new Date(clock.now()).toISOString();
    expect(at).toMatch(/T02:30:/);
    const [byService, byProvider] = await moved();
    expect(byProvider).toBe(byService);
    expect(byService).toBeGreaterThan(0);
  });

  it('signs in after a move', async () => {
    await steward.control('clock', { advance_ms: 24 * HOUR_MS });
    const token = await steward.signIn('later');
    expect((await steward.call('/auth/workspace/accounts', { headers: { authorization: token } })).status).toBe(200);
  });

  it.each([{}, { tomorrow_at: '25:00' }, { tomorrow_at: '08:00', time_zone: 'Nowhere' }, { advance_ms: 1, of: 'service' }])(
    'rejects %j',
    async (body) => {
      await expect(steward.control('clock', body)).rejects.toThrow('400');
    },
  );
});
