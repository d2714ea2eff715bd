import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { FormBrowser } from '../support/browser/browser.ts';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { connect, linkBank, newName } from '../support/scenes/flows.ts';
import { Authorization, newClient } from '../support/scenes/oauth-scene.ts';

const LOOKS = [
  { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const;

describe.skipIf(chromiumMissing)(`each page that the service serves${whySkipped}`, () => {
  const scene = pageScene();

  async function signIn(page: Page, user: string): Promise<void> {
    await page.getByLabel('Another user').fill(user);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  async function signedIn(page: Page, user: string, path: string, heading: string): Promise<void> {
    await page.goto(scene.steward.url + path);
    await signIn(page, user);
    await page.getByRole('heading', { name: heading }).waitFor();
  }

  /** A user with a workspace account and a bank, whose assistant asks to send a mail. @returns the question's path */
  async function asked(user: string): Promise<string> {
    const token = await scene.steward.signIn(user);
    await connect(scene.steward, { token, email: `${user}@example.com` });
    await linkBank(scene.steward, token);
    const { body } = await scene.steward.call('/agents/mail.send', {
      token,
      body: JSON.stringify({ to: ['zoe@example.org'], subject: 'w'.repeat(300), body: 'Friday?' }),
      headers: { 'content-type': 'application/json' },
    });
    return new URL(body.details.url).pathname;
  }

  async function consentPath(): Promise<string> {
    const redirect = 'http://127.0.0.1:7777/callback';
    const client = await newClient(scene.steward, { redirect_uris: [redirect] });
    return new Authorization(client, new FormBrowser(scene.steward.url), { redirect_uri: redirect }).path;
  }

  /** Each page, by what it is called in a failure. */
  const PAGES: Record<string, (page: Page) => Promise<unknown>> = {
    'an unknown address': (page) => page.goto(`${scene.steward.url}/nothing`),
    'an address of programs': (page) => page.goto(`${scene.steward.url}/oauth/token`),
    'a link that is not valid': (page) => page.goto(`${scene.steward.url}/auth/workspace/login?token=unknown`),
    'the sign-in': (page) => page.goto(`${scene.steward.url}/sign-in`),
    'the approvals': (page) => signedIn(page, newName(), '/approvals', 'Approvals'),
    'the page after signing out': async (page) => {
      await signedIn(page, newName(), '/approvals', 'Approvals');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('You can close this window.').waitFor();
    },
    'a question': async (page) => {
      const user = newName();
      await page.goto(scene.steward.url + (await asked(user)));
      await signIn(page, user);
      await page.getByRole('button', { name: 'Deny' }).waitFor();
    },
    'the end of a question': async (page) => {
      const user = newName();
      await page.goto(scene.steward.url + (await asked(user)));
      await signIn(page, user);
      await page.getByRole('button', { name: 'Deny' }).click();
      await page.getByRole('heading', { name: 'Denied' }).waitFor();
    },
    'the consent': async (page) => {
      const user = newName();
      await asked(user);
      await signedIn(page, user, await consentPath(), 'Connect an app?');
      await page.getByRole('checkbox', { name: `${user}@example.com` }).waitFor();
    },
    'the consent with a problem': async (page) => {
      await signedIn(page, newName(), await consentPath(), 'Connect an app?');
      await page.getByRole('checkbox', { name: 'Also accounts that you connect later' }).uncheck();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByRole('alert').waitFor();
    },
    'the confirmation of an account': async (page) => {
      const token = await scene.steward.signIn(newName());
      // With an ID token in the address, the browser is not known to be the user's.
      await page.goto(`${scene.steward.url}/auth/workspace/login?token=${token}`);
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByRole('heading', { name: 'Connect this account?' }).waitFor();
    },
    'the API reference': async (page) => {
      await page.goto(`${scene.steward.url}/api-docs`);
      await page.locator('#postApprovalsId > summary').click();
      await page.locator('#getIntegrations > summary').click();
      await page.locator('#getIntegrations').getByRole('button', { name: 'Send' }).click();
      await page.locator('#getIntegrations').getByRole('status').getByText('401').waitFor();
    },
  };

  it.each(Object.keys(PAGES))('can be used by everyone, in light and dark, on a phone: %s', async (name) => {
    for (const look of LOOKS) {
      const context = await scene.pages.newContext(look);
      const page = await context.newPage();
      await PAGES[name]?.(page);
      const where = `${look.colorScheme} ${look.viewport.width}`;
      expect(await axeViolations(page), where).toEqual([]);
      expect(await page.evaluate(ACCESSIBILITY), where).toEqual([]);
      await context.close();
    }
  });

  it('says whose it is, except those of the sandbox', async () => {
    const page = await scene.pages.open('/approvals');
    expect(await page.getByText('Steward at').count()).toBe(0);
    await signIn(page, newName());
    await page
      .getByRole('banner')
      .getByText(`Steward at ${new URL(scene.steward.url).host}`)
      .waitFor();
    await page.getByRole('banner').getByText('Signed in as').waitFor();
  });

  it('of consent is decided by keyboard alone', async () => {
    const user = newName();
    const page = await scene.pages.open(await consentPath());
    await signIn(page, user);
    await page.getByRole('checkbox', { name: 'Bank' }).focus();
    await page.keyboard.press('Space');
    expect(await page.getByRole('checkbox', { name: 'Bank' }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Deny' }).focus();
    await page.keyboard.press('Shift+Tab');
    await page.getByRole('button', { name: 'Allow' }).and(page.locator(':focus')).waitFor();
  });
});
