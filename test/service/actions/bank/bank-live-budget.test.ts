import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ownIntegrations } from '../../../support/inputs/own-integrations.ts';
import { linkBank } from '../../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { callAction } from '../../../support/users/agents.ts';

const FILE = `version: 1
agents:
  bank: { provider: bank, description: Reading., products: [transactions, auth] }
  other:
    provider: bank
    description: The same under other names.
    products: [transactions]
    actions:
      balances: { use: bank.balances }
      asked: { call: accounts/balance/get, description: Ask the bank., effect: read, input: { type: object, properties: {} } }
`;

let steward: TestSteward;
let token: string;
let users = 0;

beforeAll(async () => {
  steward = await startSteward({ INTEGRATIONS_FILE: ownIntegrations(FILE), LIMIT_USER_LIVE_BALANCES_PER_DAY: '3' });
});

afterAll(() => steward.stop());

beforeEach(async () => {
  users += 1;
  token = await steward.signIn(`live-${users}`);
  await linkBank(steward, token);
});

async function paid(): Promise<number> {
  return (await steward.control('bank/state')).calls['/accounts/balance/get'] ?? 0;
}

/** The error code of a call. */
function code(action: string, input: unknown): Promise<any> {
  return callAction(steward, action, input, { token }).then(
    () => 'ok',
    (error: unknown) => error,
  );
}

describe('live balances', () => {
  it('have an exact limit per user, which other balances do not count against', async () => {
    const before = await paid();
    const responses = await Promise.all(Array.from({ length: 8 }, () => code('bank.balances', { live: true })));
    const rejected = responses.filter((response) => response !== 'ok');
    expect(rejected).toHaveLength(5);
    for (const error of rejected) {
      expect(error).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('Without `live`') });
      expect(error.retryAfter).toBeGreaterThan(23 * 3_600);
    }
    expect((await paid()) - before).toBe(3);
    for (let times = 0; times < 5; times += 1) expect(await code('bank.balances', {})).toBe('ok');
    expect((await paid()) - before).toBe(3);
  });

  it('share the limit under any action name, also declared ones', async () => {
    expect(await code('other.asked', {})).toBe('ok');
    expect(await code('other.balances', { live: true })).toBe('ok');
    expect(await code('bank.balances', { live: true })).toBe('ok');
    for (const [action, input] of [
      ['other.asked', {}],
      ['other.balances', { live: true }],
      ['bank.balances', { live: true }],
    ] as const) {
      expect(await code(action, input)).toMatchObject({ code: 'rate_limited' });
    }
    expect(await code('other.balances', {})).toBe('ok');
  });

  it('are counted per user, and are allowed again after a day', async () => {
    for (let times = 0; times < 3; times += 1) expect(await code('bank.balances', { live: true })).toBe('ok');
    expect(await code('bank.balances', { live: true })).toMatchObject({ code: 'rate_limited' });
    await steward.sql(`update audit_log set at = at - interval '24 hours 1 second' where decision = 'started'`);
    expect(await code('bank.balances', { live: true })).toBe('ok');
    token = await steward.signIn(`live-other-${users}`);
    await linkBank(steward, token);
    expect(await code('bank.balances', { live: true })).toBe('ok');
  });
});
