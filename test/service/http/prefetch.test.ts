import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSteward, type TestSteward } from '../../support/steward.ts';

/** Each GET that changes something, or begins or ends what works once. */
const CHANGING = [
  '/sign-in',
  '/auth/session/callback?state=a&code=b',
  '/auth/workspace/login?token=a',
  '/auth/workspace/callback?state=a&code=b',
  '/oauth/authorize?client_id=a',
  '/oauth/authorize/a',
  `/oauth/consent/${'a'.repeat(43)}`,
  '/approvals',
  '/update_integrations',
];

describe('a request for an address that nobody has opened', () => {
  let steward: TestSteward;
  beforeAll(async () => {
    steward = await startSteward();
  });
  afterAll(() => steward.stop());

  const statusOf = async (path: string, headers: [string, string][]) =>
    (await fetch(steward.url + path, { headers, redirect: 'manual' })).status;

  it.each<[string, string]>([
    ['Sec-Purpose', 'prefetch'],
    ['Sec-Purpose', 'prefetch;prerender'],
    ['Sec-Purpose', 'prefetch; anonymous-client-ip'],
    ['Sec-Purpose', 'prefetch;prerender;preview'],
    ['Sec-Purpose', 'PREFETCH'],
    ['Sec-Purpose', '"prefetch"'],
    ['Sec-Purpose', 'other, prefetch'],
    ['Sec-Purpose', 'other,\tprefetch ;x=1'],
    ['Purpose', 'prefetch'],
    ['Purpose', 'Prefetch '],
    ['Purpose', 'preview'],
    ['X-Purpose', 'preview'],
    ['X-Purpose', 'prefetch'],
    ['X-Purpose', ': preview'],
    ['X-Moz', 'prefetch'],
    ['X-Moz', 'Prefetch'],
  ])('is rejected: %s: %s', async (name, value) => {
    for (const path of CHANGING) expect(await statusOf(path, [[name, value]]), path).toBe(405);
  });

  it('is rejected where one of several headers says so', async () => {
    const twice: [string, string][] = [
      ['Sec-Purpose', 'other'],
      ['Sec-Purpose', 'prefetch'],
    ];
    const others: [string, string][] = [
      ['Sec-Purpose', 'other'],
      ['Purpose', 'prefetch'],
    ];
    for (const path of CHANGING) {
      expect(await statusOf(path, twice), path).toBe(405);
      expect(await statusOf(path, others), path).toBe(405);
    }
  });

  it.each([
    ['Sec-Purpose', 'other'],
    ['Purpose', 'prefetcher'],
    ['X-Moz', ''],
    ['Sec-Fetch-Dest', 'prefetch'],
  ] as [string, string][])('is one that somebody has opened: %s: %s', async (name, value) => {
    for (const path of CHANGING) expect(await statusOf(path, [[name, value]]), path).not.toBe(405);
  });

  it('is a HEAD request as well', async () => {
    for (const path of CHANGING) expect((await fetch(steward.url + path, { method: 'HEAD' })).status, path).toBe(405);
  });
});
