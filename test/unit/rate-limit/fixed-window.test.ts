import { describe, expect, it } from 'vitest';
import { networkOf } from '../../../src/http/server/client-address.ts';
import { FixedWindowCounter, FixedWindowLimiter } from '../../../src/rate-limit/fixed-window.ts';

describe('FixedWindowLimiter', () => {
  it('is bounded, however many keys there are', () => {
    const rates = new FixedWindowLimiter();
    for (let index = 0; index < 400_000; index += 1) rates.allows(`address-${index}`, 1, 1_000);
    expect(rates.size).toBeLessThanOrEqual(50_001);
    expect(rates.size).toBeGreaterThan(10_000);
  });

  it('counts the most recent keys of a flood', () => {
    const rates = new FixedWindowLimiter();
    for (let index = 0; index < 100_000; index += 1) rates.allows(`address-${index}`, 1, 1_000);
    expect(rates.allows('address-99999', 1, 1_000)).toBe(false);
  });

  it('does not evict a key in use', () => {
    const rates = new FixedWindowLimiter();
    let allowed = 0;
    for (let index = 0; index < 500_000; index += 1) {
      rates.allows(`address-${index}`, 1, 1_000);
      if (index % 1_000 === 0 && rates.allows('flooder', 10, 1_000)) allowed += 1;
    }
    expect(allowed).toBe(10);
  });

  it('starts a new window each minute, and returns the seconds until then', () => {
    const rates = new FixedWindowLimiter();
    expect([rates.allows('a', 1, 1_000), rates.allows('a', 1, 2_000)]).toEqual([true, false]);
    expect(rates.secondsLeft(2_000)).toBe(59);
    expect(rates.allows('a', 1, 61_000)).toBe(true);
  });

  it('starts a new window when the clock is set back by an hour', () => {
    const rates = new FixedWindowLimiter();
    const hour = 3_600_000;
    expect([rates.allows('a', 1, hour), rates.allows('a', 1, hour)]).toEqual([true, false]);
    expect(rates.allows('a', 1, 1_000)).toBe(true);
    expect(rates.secondsLeft(1_000)).toBe(60);
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
