import { afterAll, beforeAll, expect, it } from 'vitest';
import { ACCESS_TOKEN, BankEmulator } from '../../support/emulators/bank-emulator.ts';
import { newName } from '../../support/scenes/flows.ts';
import { sendJson } from '../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

let aggregator: BankEmulator;
let steward: TestSteward;

beforeAll(async () => {
  aggregator = await new BankEmulator().start();
  steward = await startSteward(aggregator.env);
});
afterAll(async () => {
  await steward.stop();
  await aggregator.stop();
});

it('a bank’s token that arrives while the service is stopping is stored, though its caller has left', async () => {
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
  const { promise: response, resolve: respond } = Promise.withResolvers<void>();
  aggregator.on('/item/public_token/exchange', async (outgoing) => {
    asked();
    await response;
    sendJson(outgoing, 200, { access_token: `${ACCESS_TOKEN}-late`, item_id: 'item-late', request_id: 'r' });
  });
  const token = await steward.signIn(newName());
  const leaving = new AbortController();
  const request = fetch(`${steward.url}/auth/bank/set_access_token`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'public_token=public',
    signal: leaving.signal,
  }).catch(() => undefined);
  await isAsked;
  leaving.abort();
  await request;
  const settling = steward.context.orphanedTokens.settle();
  respond();
  await settling;
  expect(await steward.sql(`select status from grants where subject = 'item-late'`)).toEqual([{ status: 'active' }]);
});
