import { describe, expect, it } from 'vitest';
import { networkOf } from '../../../src/http/server/client-address.ts';
import { FixedWindowCounter, FixedWindowLimiter } from '../../../src/rate-limit/fixed-window.ts';

/** A limiter at a time that is set. */
function limiterAt(now: number) {
  const clock = { now };
  return { clock, rates: new FixedWindowLimiter({ monotonic: () => clock.now }) };
}

describe('FixedWindowLimiter', () => {
  it('is bounded, however many keys there are', () => {
    const { rates } = limiterAt(1_000);
    for (let index = 0; index < 400_000; index += 1) rates.allows(`address-${index}`, 1);
    expect(rates.size).toBeLessThanOrEqual(50_001);
    expect(rates.size).toBeGreaterThan(10_000);
  });

  it('counts the most recent keys of a flood', () => {
    const { rates } = limiterAt(1_000);
    for (let index = 0; index < 100_000; index += 1) rates.allows(`address-${index}`, 1);
    expect(rates.allows('address-99999', 1)).toBe(false);
  });

  it('does not evict a key in use', () => {
    const { rates } = limiterAt(1_000);
    let allowed = 0;
    for (let index = 0; index < 500_000; index += 1) {
      rates.allows(`address-${index}`, 1);
      if (index % 1_000 === 0 && rates.allows('flooder', 10)) allowed += 1;
    }
    expect(allowed).toBe(10);
  });

  it('starts a new window each minute, and names the seconds until then', () => {
    const { clock, rates } = limiterAt(1_000);
    rates.take('a', 1);
    clock.now = 2_000;
    expect(() => rates.take('a', 1)).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfter: 59 }));
    clock.now = 61_000;
    expect(rates.allows('a', 1)).toBe(true);
  });

  it('starts a new window when the clock is set back by an hour', () => {
    const { clock, rates } = limiterAt(3_600_000);
    expect([rates.allows('a', 1), rates.allows('a', 1)]).toEqual([true, false]);
    clock.now = 1_000;
    expect(rates.allows('a', 1)).toBe(true);
    expect(() => rates.take('a', 1)).toThrow(expect.objectContaining({ retryAfter: 60 }));
  });
});

describe('networkOf', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:CB00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2::1', '20010db800010002/64'],
    ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '20010db800010002/64'],
    ['2001:db8:1:3::1', '20010db800010003/64'],
    ['fe80::1%eth0', 'fe80000000000000/64'],
    ['64:ff9b::203.0.113.5', '0064ff9b00000000/64'],
    ['2001:db8:1:2::203.0.113.5', '20010db800010002/64'],
    ['::203.0.113.5', '203.0.113.5'],
  ])('%s counts as %s', (ip, key) => {
    expect(networkOf(ip, '192.0.2.1')).toBe(key);
  });

  it.each(['unknown', '', '_hidden', '203.0.113.7:8080', '999.1.1.1', 'x'.repeat(10_000)])(
    '%j is not an address: the peer’s is used',
    (ip) => {
      expect(networkOf(ip, '::ffff:192.0.2.1')).toBe('192.0.2.1');
    },
  );
});

describe('FixedWindowCounter', () => {
  it('starts a new window when the clock is set back', () => {
    const rate = new FixedWindowCounter();
    const hour = 3_600_000;
    expect([rate.allows(1, hour), rate.allows(1, hour)]).toEqual([true, false]);
    expect([rate.allows(1, 1_000), rate.allows(1, 1_000)]).toEqual([true, false]);
    expect([rate.allows(1, 61_000), rate.allows(1, 61_000)]).toEqual([true, false]);
  });
});
