import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newName } from '../support/scenes/flows.ts';
import { Authorization, newClient, pathOf } from '../support/scenes/oauth-scene.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';
import { locationOf, sessionOf } from '../support/users/sign-in.ts';
import { judge } from './support/judge.ts';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward?.stop());

/** The user, who is signed in, opens the address and lets the suite do what it asks for. */
async function consent(address: string, client: { client_id: string }): Promise<void> {
  const browser = await sessionOf(steward, await steward.signIn(newName()));
  const page = pathOf(locationOf(await browser.visit(pathOf(address))));
  const back = await new Authorization(client, browser).decide(page);
  // The suite waits for it there.
  await fetch(back);
}

describe('the conformance suite of authorization servers', () => {
  it('finds nothing', async () => {
    const port = await freePort();
    const client = await newClient(steward, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
    const args = ['--url', steward.url, '--client-id', client.client_id, '--resource', `${steward.url}/mcp`, '-p', String(port)];
    let opened: Promise<void> | undefined;
    const { code, output } = await judge('conformance', ['authorization', ...args], (heard) => {
      const [address] = new RegExp(`${steward.url}/oauth/authorize\\?\\S+`).exec(heard) ?? [];
      if (address === undefined || !heard.includes('Callback server started')) return;
      opened ??= consent(address, client);
      // Awaited below, once the suite has ended.
      opened.catch(() => {});
    });
    await opened;
    console.log(/^Total: .*$/m.exec(output)?.[0]);
    expect(output).toMatch(/^Total: \d+ passed, 0 failed$/m);
    expect(code).toBe(0);
  });
});
