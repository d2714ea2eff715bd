import { describe, expect, it } from 'vitest';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { connect, newName } from '../support/scenes/flows.ts';

const HOSTILE = 'Dear Ana,\n\n</blockquote><script>document.title = "owned"</script>\n\u202esetirw ehs tahw si siht\u202c\n  indented';

describe.skipIf(chromiumMissing)(`the pages of approvals${whySkipped}`, () => {
  const scene = pageScene();

  const connected = async (user: string) =>
    (await connect(scene.steward, { token: await scene.steward.signIn(user), email: `${user}@example.com` })).token;
  const call = async (token: string, action: string, input: object) =>
    (await scene.steward.call(`/agents/${action}`, { token, body: JSON.stringify(input), headers: { 'content-type': 'application/json' } }))
      .body;

  /** A user whose assistant asks to send a mail. @returns the page's address */
  async function asked(user: string): Promise<string> {
    const message = { to: ['zoe@example.org', `${user}@example.com`], subject: 'Lunch', body: HOSTILE };
    const { code, details } = await call(await connected(user), 'mail.send', message);
    expect(code).toBe('approval_required');
    return details.url;
  }

  it('lead from the address in the error through the sign-in to the end', async () => {
    const user = newName();
    const url = await asked(user);
    const page = await scene.pages.open(new URL(url).pathname, 360);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    await page.getByLabel('Another user').fill(user);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Send a mail' }).waitFor();
    expect(page.url()).toBe(url);
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(await page.title()).toBe(`Send a mail · Steward at ${new URL(scene.steward.url).host}`);
    expect(await page.locator('blockquote').filter({ hasText: 'Dear Ana' }).textContent()).toContain('<script>document.title');
    await page.getByText('zoe@example.org New to you').waitFor();
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
    await page.getByRole('link', { name: 'Send a mail' }).click();
    expect(page.url()).toBe(url);
    await page.getByRole('button', { name: 'Deny' }).press('Enter');
    await page.getByRole('heading', { name: 'Denied' }).waitFor();
    expect(scene.pages.problems).toEqual([]);
  });

  it('show all of a long draft, and hide no part of its beginning', async () => {
    const user = newName();
    const token = await connected(user);
    const body = `${'Much that is said before it. '.repeat(60)}And the secret at last.`;
    const { data } = await call(token, 'mail.draft', { to: ['zoe@example.org'], subject: 'Plans', body });
    const { details } = await call(token, 'mail.draft_send', { id: data.id });
    const page = await scene.pages.open(new URL(details.url).pathname, 360);
    await page.getByLabel('Another user').fill(user);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Send a draft' }).waitFor();
    const fields = page.locator('.fields');
    for (const text of ['zoe@example.org', 'Plans', 'Much that is said before it.']) await fields.getByText(text).first().waitFor();
    await fields.getByRole('region', { name: 'Text', exact: true }).getByText('And the secret at last.').waitFor();
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
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
    expect(texts.join()).not.toContain('Send a mail');
    await page.getByRole('button', { name: 'Win' }).click();
    await page.waitForURL((address) => address.hostname !== 'localhost');
    await page.goto(url);
    await page.getByRole('heading', { name: 'Send a mail' }).waitFor();
  });
});
