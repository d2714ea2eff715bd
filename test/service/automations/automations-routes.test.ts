import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BRIEF, callAutomations } from '../../support/scenes/automations.ts';
import { newName } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';

let steward: TestSteward;
let token: string;

beforeAll(async () => {
  steward = await startSteward();
});

beforeEach(async () => {
  token = await steward.signIn(newName());
});

afterAll(() => steward.stop());

const call = (method: string, path?: string, body?: unknown, as = token) => callAutomations(steward, as, method, path, body);

describe('POST /automations', () => {
  it('is protected, and for the user in person', async () => {
    expectError(await call('POST', '', BRIEF, ''), 'invalid_token');
    const { userId } = await steward.context.authenticateFirstParty(token);
    const made = await steward.context.clientTokens.create(userId, { name: 'script', actions: ['*'], access: 'write', days: 1 });
    const paths: [string, string][] = [
      ['GET', ''],
      ['POST', ''],
      ['GET', `/${randomUUID()}`],
      ['PATCH', `/${randomUUID()}`],
      ['DELETE', `/${randomUUID()}`],
      ['POST', `/${randomUUID()}/run`],
      ['GET', `/${randomUUID()}/runs`],
    ];
    for (const [method, path] of paths)
      expectError(await call(method, path, method === 'GET' ? undefined : BRIEF, `Bearer ${made.token}`), 'forbidden');
  });

  it('makes one, with what it leaves out', async () => {
    const made = await call('POST', '', BRIEF);
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      ...BRIEF,
      actions: [],
      accounts: null,
      when_asked: 'wait',
      budget: { steps: 12, tokens: 200_000, cost: null, runs_per_hour: 12, runs_per_day: 100 },
      state: 'active',
      paused_by: null,
      next_run_at: expect.stringMatching(/T0[67]:00:00.000Z$/),
      last_looked_at: null,
      look_error: null,
      last_run: null,
      failures: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await call('GET', `/${made.body.id}`)).body).toEqual(made.body);
    expect((await call('GET')).body).toEqual({ automations: [made.body] });
  });
});
