import { beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { type WebhookKey, WebhookKeys } from '../../../src/providers/bank/bank-webhook-keys.ts';
import { TestClock } from '../../support/time/test-clock.ts';

const MINUTE = 60_000;

let clock: TestClock;
let asked: string[];
/** The aggregator's keys. */
let known: Map<string, WebhookKey>;
let down: Error | undefined;
let keys: WebhookKeys;

beforeEach(() => {
  clock = new TestClock({ standsAt: '2027-01-15T08:00:00Z' });
  asked = [];
  known = new Map([['good', { jwk: { kid: 'good' }, expiredAt: null }]]);
  down = undefined;
  const load = async (kid: string) => {
    asked.push(kid);
    if (down !== undefined) throw down;
    return known.get(kid);
  };
  keys = new WebhookKeys(load, clock);
});

/** Result of a look-up: `good`, `none`, or the code of the error. */
async function find(kid: string): Promise<string> {
  return keys.find(kid).then(
    (key) => (key === undefined ? 'none' : 'good'),
    (error: AppError) => error.code,
  );
}

describe('the aggregator’s webhook keys', () => {
  it('are requested once by any number of concurrent webhooks', async () => {
    expect(await Promise.all(Array.from({ length: 50 }, () => find('good')))).toEqual(Array.from({ length: 50 }, () => 'good'));
    expect(asked).toEqual(['good']);
  });

  it('are valid for an hour; a key that was withdrawn meanwhile is rejected then', async () => {
    expect(await find('good')).toBe('good');
    known.set('good', { jwk: {}, expiredAt: clock.now() / 1_000 });
    await clock.advance(59 * MINUTE);
    expect(await find('good')).toBe('good');
    await clock.advance(2 * MINUTE);
    expect(await find('good')).toBe('none');
    expect(asked).toEqual(['good', 'good']);
  });

  it('are rejected from the second of their expiry, without another request', async () => {
    known.set('good', { jwk: {}, expiredAt: clock.now() / 1_000 + 600 });
    expect(await find('good')).toBe('good');
    await clock.advance(10 * MINUTE - 1);
    expect(await find('good')).toBe('good');
    await clock.advance(1);
    expect(await find('good')).toBe('none');
    expect(asked).toEqual(['good']);
  });

  it('that don’t exist are cached for a quarter of an hour', async () => {
    expect([await find('unknown'), await find('unknown')]).toEqual(['none', 'none']);
    await clock.advance(14 * MINUTE);
    expect(await find('unknown')).toBe('none');
    expect(asked).toEqual(['unknown']);
    await clock.advance(2 * MINUTE);
    known.set('unknown', { jwk: {}, expiredAt: null });
    expect(await find('unknown')).toBe('good');
  });

  it('are requested eight times a minute if they are unknown, ten times in all', async () => {
    expect(await find('good')).toBe('good');
    await clock.advance(2 * 60 * MINUTE);
    const flood = async (name: string) => Promise.all(Array.from({ length: 500 }, (_, index) => find(`${name}-${index}`)));
    const first = await flood('a');
    expect(first.filter((result) => result === 'none')).toHaveLength(8);
    expect(new Set(first)).toEqual(new Set(['none', 'rate_limited']));
    expect(await find('good')).toBe('good');
    expect(asked.filter((kid) => kid === 'good')).toHaveLength(2);
    expect(asked).toHaveLength(10);
    await clock.advance(MINUTE);
    await flood('b');
    expect(asked).toHaveLength(18);
  });

  it('are requested again after a clock was set back', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => find(`early-${index}`)));
    clock.setBy(-60 * MINUTE);
    expect(await find('later')).toBe('none');
  });

  it('that can’t be requested are unavailable, not unknown, and not requested by each webhook', async () => {
    down = new AppError('provider_timeout', 'no answer');
    expect([await find('good'), await find('good')]).toEqual(['unavailable', 'unavailable']);
    expect(asked).toEqual(['good']);
    await clock.advance(7_000);
    down = undefined;
    expect(await find('good')).toBe('good');
  });

  it('of an hour ago are not used while the aggregator can’t confirm them', async () => {
    expect(await find('good')).toBe('good');
    await clock.advance(61 * MINUTE);
    down = new AppError('provider_error', 'down');
    expect(await find('good')).toBe('unavailable');
  });

  it('are an alarm for the operator if the service’s own credentials are rejected', async () => {
    down = new AppError('internal', 'not set up');
    expect(await find('good')).toBe('internal');
  });
});
