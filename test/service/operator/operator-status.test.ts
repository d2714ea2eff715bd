import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, linkBank } from '../../support/scenes/flows.ts';
import { startIssuer } from '../../support/servers/issuer.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { SessionPage } from '../../support/users/session-page.ts';

const FILE =
  'version: 1\nagents:\n  bank: { provider: bank, description: Balances., products: [auth], actions: { balances: { use: bank.balances }, numbers: { use: bank.numbers, policy: { enabled: false } } } }\n';
const KEY = 'sk-secret-of-the-model';

let folder: string;
let file: string;
let steward: TestSteward;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-operator-'));
  file = join(folder, 'integrations.yaml');
  writeFileSync(file, FILE);
  steward = await startSteward({
    INTEGRATIONS_FILE: file,
    OPERATORS: 'Ana@Example.COM, ops@müller.example',
    MODELS: JSON.stringify([{ name: 'large', provider: 'anthropic', model: 'model-1', contextTokens: 100_000 }]),
    ANTHROPIC_API_KEY: KEY,
    LIMIT_BODY_BYTES: '20000',
    MODEL_BUDGET_RUNS_PER_DAY: '7',
  });
});
afterAll(async () => {
  await steward.stop();
  rmSync(folder, { recursive: true, force: true });
});

const read = async (user = 'ana') => steward.call('/operator/status', { token: await steward.signIn(user) });

describe('GET /operator/status', () => {
  it('is for operators in person only', async () => {
    expect((await steward.call('/operator/status')).status).toBe(401);
    expect(await read('demo')).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect((await read()).status).toBe(200);
    const { userId } = await steward.context.authenticateUser(await steward.signIn('ana'));
    const client = await steward.context.clientTokens.create(userId, { name: 'x', actions: ['*'], access: 'read', days: 1 });
    expect((await steward.call('/operator/status', { token: client.token })).status).toBe(401);
  });

  it('is for their sessions, which say so', async () => {
    const [operator, other] = [
      await SessionPage.open(steward, await steward.signIn('ana')),
      await SessionPage.open(steward, await steward.signIn('demo')),
    ];
    expect((await operator.call('/operator/status')).status).toBe(200);
    expect((await other.call('/operator/status')).status).toBe(403);
    expect((await operator.call('/auth/session')).body.session.operator).toBe(true);
    expect((await other.call('/auth/session')).body.session.operator).toBe(false);
  });

  it('is for verified addresses only, however they are written', async () => {
    const issuer = await startIssuer();
    const real = await startSteward({ ...issuer.env, OPERATORS: 'ops@müller.example' });
    let users = 0;
    const status = async (claims: object) => {
      users += 1;
      return (await real.call('/operator/status', { token: await issuer.sign(`ops-${users}`, { ...claims }) })).status;
    };
    expect(await status({ email: 'OPS@xn--mller-kva.example' })).toBe(200);
    expect(await status({ email: 'ops@müller.example', email_verified: false })).toBe(403);
    expect(await status({ email: undefined, sub: 'ops@xn--mller-kva.example' })).toBe(403);
    expect(await status({ email: 'ops@muller.example' })).toBe(403);
    expect(await status({ email: 'ops+x@müller.example' })).toBe(403);
    expect(await status({ email: 'öps@müller.example' })).toBe(403);
    await real.stop();
    await issuer.close();
  });

  it('follows the address of the user, also in a session of before', async () => {
    const issuer = await startIssuer();
    const real = await startSteward({ ...issuer.env, OPERATORS: 'ops@example.com' });
    // Each token is another one, which is verified anew.
    const signIn = (isVerified: boolean) => issuer.sign('ops', { email_verified: isVerified, jti: randomUUID() });
    const page = await SessionPage.open(real, await signIn(false));
    const seen = async () => [(await page.call('/operator/status')).status, (await page.call('/auth/session')).body.session.operator];
    expect(await seen()).toEqual([403, false]);
    await real.call('/tools', { token: await signIn(true) });
    expect(await seen()).toEqual([200, true]);
    await real.call('/tools', { token: await signIn(false) });
    expect(await seen()).toEqual([403, false]);
    await real.stop();
    await issuer.close();
  });

  it('says what is configured and in force, without keys', async () => {
    await connect(steward, { token: await steward.signIn('demo') });
    await linkBank(steward, await steward.signIn('demo'));
    await steward.sql(`update grants set status = 'reauth_required' where provider = 'workspace'`);
    const { body, text } = await read();
    expect(body).toEqual({
      integrations: expect.arrayContaining([
        { provider: 'workspace', configured: true, agents: [], accounts: 1, needs_attention: 1 },
        { provider: 'bank', configured: true, agents: [{ name: 'bank', actions: ['bank.balances'] }], accounts: 1, needs_attention: 0 },
      ]),
      file: { revision: expect.stringMatching(/^[0-9a-f]{12}$/), problems: [], more: 0 },
      models: [expect.objectContaining({ name: 'large', provider: 'anthropic', model: 'model-1', default: true, stand_in: false })],
      budget: { runs: 7, steps: null, tokens: null, seconds: null, cost: null },
      limits: expect.objectContaining({ LIMIT_BODY_BYTES: 20_000, LIMIT_OAUTH_REGISTRATIONS_PER_MINUTE: 10 }),
    });
    for (const secret of [KEY, 'demo@example.com']) expect(text).not.toContain(secret);
  });

  it('has the problems of a file that is not in force, until one is', async () => {
    writeFileSync(file, FILE.replace('use: bank.balances', 'use: bank.blances'));
    expect((await steward.updateIntegrations()).status).toBe(422);
    const { file: rejected } = (await read()).body;
    expect(rejected.problems).toMatchObject([
      { line: 3, path: expect.stringContaining('balances'), message: expect.stringContaining('bank.balances') },
    ]);
    writeFileSync(file, FILE);
    expect((await steward.updateIntegrations()).status).toBe(200);
    expect((await read()).body.file.problems).toEqual([]);
  });
});
