import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Firefox } from '../support/browser/firefox.ts';
import { programsMissing } from '../support/processes/programs.ts';
import { connect, newName } from '../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

/** The key, as WebDriver writes it. */
const ENTER = '\uE007';

describe.skipIf(programsMissing('firefox-esr'))('in Firefox, a person', () => {
  let steward: TestSteward;
  let firefox: Firefox;
  beforeAll(async () => {
    steward = await startSteward();
    firefox = await Firefox.launch();
  });
  afterAll(async () => {
    await firefox?.close();
    await steward?.stop();
  });

  async function connected(user: string): Promise<string> {
    const token = await steward.signIn(user);
    await connect(steward, { token, email: `${user}@example.com` });
    return token;
  }

  async function sentTo(token: string, address: string): Promise<number> {
    const body = JSON.stringify({ query: `in:sent to:${address}` });
    const { body: found } = await steward.call('/agents/mail.search', { token, body, headers: { 'content-type': 'application/json' } });
    return found.data.items.length;
  }

  it('signs in to the console, asks the assistant, and approves what it asks', async () => {
    const user = newName();
    const token = await connected(user);
    const tab = await firefox.open(`${steward.url}/`);
    await tab.type('input', 'Another user', user + ENTER);
    await tab.click('nav a', 'Chat');
    await tab.type('textarea', 'Message', `Write to zoe@example.org: Lunch at noon?${ENTER}`);
    await tab.click('button', 'Approve');
    await tab.see('.chat-log *', 'I sent the mail to zoe@example.org.');
    expect(await sentTo(token, 'zoe@example.org')).toBe(1);
  });

  it('approves on Steward’s own page, from the sign-in to the end', async () => {
    const user = newName();
    const token = await connected(user);
    const { body } = await steward.call('/agents/mail.send', {
      token,
      body: JSON.stringify({ to: ['zoe@example.org'], subject: 'Lunch', body: 'Friday?' }),
      headers: { 'content-type': 'application/json' },
    });
    const tab = await firefox.open(body.details.url);
    await tab.type('input', 'Another user', user + ENTER);
    await tab.see('header', `Signed in as ${user}@example.com`);
    await tab.click('button', 'Approve');
    await tab.see('h1', 'Done');
    expect(await sentTo(token, 'zoe@example.org')).toBe(1);
  });
});
