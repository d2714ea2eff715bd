import { describe, expect, it } from 'vitest';
import { connect, newName } from '../support/flows.ts';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/page.ts';

const HOSTILE = 'Dear Ana,\n\n</blockquote><script>document.title = "owned"</script>\n\u202esetirw ehs tahw si siht\u202c\n  indented';

describe.skipIf(chromiumMissing)(`the pages of approvals${whySkipped}`, () => {
  const scene = pageScene();

  /** A user whose assistant asks to send a mail. @returns the page's address */
  async function asked(user: string): Promise<string> {
    const { token } = await connect(scene.steward, { token: await scene.steward.signIn(user), email: `${user}@example.com` });
    const message = { to: ['zoe@example.org', `${user}@example.com`], subject: 'Lunch', body: HOSTILE };
    const response = await scene.steward.call('/agents/mail.send', {
      token,
      body: JSON.stringify(message),
      headers: { 'content-type': 'application/json' },
    });
    expect(response.body.code).toBe('approval_required');
    return response.body.details.url;
  }

  it('lead from the address in the error through the sign-in to the end', async () => {
    const user = newName();
    const url = await asked(user);
    const page = await scene.pages.open(new URL(url).pathname, 360);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.getByLabel('Another user').fill(user);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Approve this?' }).waitFor();
    expect(page.url()).toBe(url);
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(await page.title()).toBe('Approve or deny · Steward');
    expect(await page.locator('blockquote').filter({ hasText: 'Dear Ana' }).textContent()).toContain('<script>document.title');
    await page.getByText('New zoe@example.org: you have not written to this address before').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'Done' }).waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.getByRole('link', { name: 'All approvals' }).click();
    await page.getByText('Nothing waits for your decision.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.goto(new URL('/approvals', url).href);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(scene.pages.problems).toEqual([]);
  });

  it('list what waits, and deny', async () => {
    const user = newName();
    const url = await asked(user);
    const page = await scene.pages.open('/approvals', 360);
    await page.getByLabel('Another user').fill(user);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Approvals' }).waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.getByRole('link', { name: /^Send to / }).click();
    expect(page.url()).toBe(url);
    await page.getByRole('button', { name: 'Deny' }).press('Enter');
    await page.getByRole('heading', { name: 'Denied' }).waitFor();
    expect(scene.pages.problems).toEqual([]);
  });

  it('are shown in no frame of another page, and take no form of another site', async () => {
    const user = newName();
    const url = await asked(user);
    const page = await scene.pages.open('/approvals');
    await page.getByLabel('Another user').fill(user);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Approvals' }).waitFor();
    // Another site: its cookies are apart, its forms are cross-site.
    const other = new URL(url);
    other.hostname = 'localhost';
    await page.route('http://localhost/**', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${url}"></iframe><form method="post" action="${url}"><input name="approved" value="true"><button>Win</button></form>`,
      }),
    );
    // Until the frame is loaded, too.
    await page.goto('http://localhost/');
    const texts = await Promise.all(
      page.frames().map((frame) =>
        frame
          .locator('body')
          .textContent()
          .catch(() => ''),
      ),
    );
    expect(texts.join()).not.toContain('Approve this?');
    const posted = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button', { name: 'Win' }).click();
    await posted;
    await page.goto(url);
    await page.getByRole('heading', { name: 'Approve this?' }).waitFor();
  });
});
