import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import { newName } from '../../support/scenes/flows.ts';
import { startProduction } from '../../support/scenes/production.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';

/** As Chromium and Firefox open an address. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const UNKNOWN = [
  '/nothing',
  '/assets/nothing.js',
  '/auth/nothing',
  '/user/nothing',
  '/oauth/nothing',
  '/console-of-others',
  '/a%2Fb',
  '/a//b',
  '/Test',
];

let steward: TestSteward;
let host: string;

beforeAll(async () => {
  steward = await startSteward();
  host = new URL(steward.url).host;
});

afterAll(() => steward.stop());

describe('an address that does not exist', () => {
  it.each(UNKNOWN)('is a page with a way on for a browser, and JSON for others: %s', async (path) => {
    const page = await steward.call(path, { headers: BROWSER });
    expect(page.status).toBe(404);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.text).toContain(`<title>Page not found · Steward at ${host}</title>`);
    expect(page.text).toContain('There is no page at this address.');
    expect(page.text).toContain('<a class="button" href="/">Go to Steward</a>');
    for (const accept of ['*/*', 'application/json', 'application/json, text/html'])
      expectError(await steward.call(path, { headers: { accept } }), 'not_found');
  });

  it('answers HEAD without a body', async () => {
    expect(await steward.call('/nothing', { method: 'HEAD', headers: BROWSER })).toMatchObject({ status: 404, text: '' });
  });

  it('says nothing of the address', async () => {
    const { text } = await steward.call('/%3Cscript%3Ealert(1)%3C/script%3E?secret=12345', { headers: BROWSER });
    expect(text).toContain('Page not found');
    expect(text).not.toContain('alert');
    expect(text).not.toContain('12345');
  });
});

describe('an address that does not exist, in production', () => {
  it.each([
    ['', '/'],
    ['on', '/console'],
  ])('leads on to where people start, with CONSOLE=%s: %s', async (console, home) => {
    const production = await startProduction(console === '' ? {} : { CONSOLE: console });
    try {
      const { status, text } = await production.call('/nothing', { headers: BROWSER });
      expect(status).toBe(404);
      expect(text).toContain('<title>Page not found · Steward at steward.example.com</title>');
      expect(text).toContain(`href="${home}">Go to Steward</a>`);
    } finally {
      await production.stop();
    }
  });
});

describe('an address that a browser can’t open', () => {
  it.each(['/auth/workspace/confirm', '/workspace_access_request', '/oauth/token', '/sign-out'])(
    'is a page for a browser, JSON for others: %s',
    async (path) => {
      const page = await steward.call(path, { headers: BROWSER });
      expect(page.status).toBe(405);
      expect(page.headers.get('allow')).not.toBeNull();
      expect(page.text).toContain('This address is not a page that a browser can open.');
      expect(page.text).toContain('Go to Steward');
      const json = await steward.call(path);
      expect(json.status).toBe(405);
      expect(json.headers.get('content-type')).toContain('application/json');
    },
  );
});

describe('an error of an interface for programs', () => {
  it('is JSON, whatever the client accepts', async () => {
    expectError(await steward.call('/integrations', { headers: BROWSER }), 'invalid_token');
  });
});

describe('the header of a page', () => {
  it('has the mark, the host of PUBLIC_URL whatever host was asked, and the user with the way out', async () => {
    const user = newName();
    const browser = new FormBrowser(steward.url);
    await browser.visit('/auth/session', { method: 'POST', token: await steward.signIn(user) });
    const { text } = await browser.visit('/approvals', { headers: { host: 'evil.example' } });
    expect(text).toContain('<img src="/assets/favicon.svg" alt=""');
    expect(text).toContain(`<strong>Steward</strong> at <strong>${host}</strong>`);
    expect(text).toContain(`<title>Approvals · Steward at ${host}</title>`);
    expect(text).not.toContain('evil.example');
    expect(text).toContain(`Signed in as <bdi>${user}@example.com</bdi>`);
    const out = await browser.submit(await browser.visit('/approvals'), '/approvals', () => undefined);
    expect(out.text).toContain('You are signed out');
    expect(out.text).not.toContain('Signed in as');
    expect(out.text).toContain('You can close this window.');
  });

  it('names nobody to who is not signed in', async () => {
    const { text } = await steward.call('/auth/workspace/login?token=unknown', { headers: BROWSER });
    expect(text).toContain('This link is not valid. Connect the account again.');
    expect(text).toContain(`<strong>Steward</strong> at <strong>${host}</strong>`);
    expect(text).not.toContain('Signed in as');
    expect(text).not.toContain('assistant');
  });

  it('is not on pages of the sandbox, which are the provider’s', async () => {
    const { text } = await steward.call('/sandbox/workspace/auth', { headers: BROWSER });
    expect(text).toContain('Sandbox: a local emulator');
    expect(text).not.toContain('<strong>Steward</strong>');
    expect(text).not.toContain('favicon.svg');
  });
});
