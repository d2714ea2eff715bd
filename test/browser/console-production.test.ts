import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { chromiumMissing, Pages, whySkipped } from '../support/browser/page.ts';
import { type ProductionSteward, startProduction } from '../support/scenes/production.ts';
import { freePort } from '../support/servers/free-port.ts';

const VIEWS = ['Chat', 'Accounts', 'Actions', 'Approvals', 'Activity', 'Connected apps', 'Settings'] as const;

describe.skipIf(chromiumMissing)(`the console in production${whySkipped}`, () => {
  let steward: ProductionSteward;
  let pages: Pages;
  beforeAll(async () => {
    const port = await freePort();
    steward = await startProduction({
      CONSOLE: 'on',
      OIDC_CLIENT_ID: 'pages',
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      GOOGLE_CLIENT_ID: 'id',
      GOOGLE_CLIENT_SECRET: 'secret',
    });
    pages = await Pages.launch(steward);
  });
  afterEach(() => pages.closeAll());
  afterAll(async () => {
    await pages.browser.close();
    await steward.stop();
  });

  it('offers to sign in at the issuer, and nothing else', async () => {
    const page = await pages.open('/console');
    const link = page.getByRole('link', { name: 'Sign in', exact: true });
    expect(await link.getAttribute('href')).toBe('/sign-in?return_to=%2Fconsole');
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
    expect(await page.locator('textarea, input').count()).toBe(0);
    expect(await page.locator('body').textContent()).not.toMatch(/sandbox|ID token/i);
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(/\/authorize\?/);
    expect(new URL(page.url()).origin).toBe(steward.issuer.env.OIDC_ISSUER);
  });

  it('works in every view, without a request for the sandbox, a failed one, or one of another host', async () => {
    const page = await pages.open('/console', 1280, { bypassCSP: true });
    await pages.beginSession(page, await steward.issuer.sign('ada'));
    const asked: string[] = [];
    page.on('response', (response) => asked.push(`${response.status()} ${response.url()}`));
    await page.reload();
    await page.locator('#who').getByText('ada@example.com').waitFor();
    for (const view of VIEWS) {
      await pages.show(page, view);
      await page.locator('#views .skeleton').first().waitFor({ state: 'detached' });
      expect([view, await page.locator('#views').innerText()]).toEqual([
        view,
        expect.not.stringMatching(/sandbox|integrations\.yaml|waitlist/i),
      ]);
      expect([view, await axeViolations(page)]).toEqual([view, []]);
    }
    expect(asked.filter((one) => !one.includes(steward.url))).toEqual([]);
    expect(asked.filter((one) => one.includes('/sandbox') || /^[45]/.test(one))).toEqual([]);
    expect(pages.problems).toEqual([]);
  });
});
