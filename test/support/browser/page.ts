import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { startSteward, type TestOverrides, type TestSteward } from '../steward.ts';
import { PATIENCE_MS } from '../time/eventually.ts';

// The shell is the same engine without the browser’s own window, as Playwright runs it by default: 40 % less processor time.
const SHELL = '/usr/bin/chromium-headless-shell';
export const CHROMIUM = process.env.CHROMIUM_PATH ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium');
const ARGUMENTS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

/** Without Chromium, tests of pages are skipped with a reason; on CI they fail. */
export const chromiumMissing = !existsSync(CHROMIUM) && process.env.CI === undefined;
export const whySkipped = chromiumMissing ? ` (skipped: no Chromium at ${CHROMIUM}; set CHROMIUM_PATH)` : '';

/** Rules for every page; returns the violations. It runs in the browser, so it is a string. */
export const ACCESSIBILITY = `(() => {
  const shown = (node) => node.checkVisibility();
  const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);
  const name = (node) => (node.getAttribute('aria-label') ?? node.textContent).trim() || node.title;
  const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);
  const references = ['aria-labelledby', 'aria-describedby'].flatMap((attribute) => all('[' + attribute + ']').flatMap((node) => node.getAttribute(attribute).split(' ')));
  return [
    document.documentElement.lang === 'en' ? [] : ['no language'],
    document.title !== '' ? [] : ['no title'],
    all('h1').length === 1 ? [] : [all('h1').length + ' h1'],
    all('main').length === 1 ? [] : ['no main'],
    ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => 'id twice: ' + id),
    references.filter((id) => document.getElementById(id) === null).map((id) => 'no such id: ' + id),
    all('input, textarea, select').filter((node) => node.labels.length === 0).map((node) => 'no label: ' + node.outerHTML),
    all('button, a').filter((node) => name(node) === '').map((node) => 'no name: ' + node.outerHTML),
    all('img').filter((node) => !node.hasAttribute('alt')).map((node) => 'no alt: ' + node.outerHTML),
    document.documentElement.scrollWidth <= innerWidth ? [] : ['scrolls sideways'],
  ].flat();
})()`;

/** The views of the development page, by their links in the navigation. */
type View = 'Chat' | 'Accounts' | 'Automations' | 'Actions' | 'Approvals' | 'Activity' | 'Connected apps' | 'Notifications' | 'Settings';

/** The development page in a real browser. */
export class Pages {
  readonly browser: Browser;
  /** Errors and warnings of the browser since the last `open`, policy violations included. */
  problems: string[] = [];
  /** What could not be loaded since the last `open`. */
  #unloaded: string[] = [];
  readonly #steward: TestSteward;

  private constructor(browser: Browser, steward: TestSteward) {
    this.browser = browser;
    this.#steward = steward;
  }

  static async launch(steward: TestSteward): Promise<Pages> {
    return new Pages(await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS.split(' '), timeout: PATIENCE_MS }), steward);
  }

  /** Why a page may not be as a test expects. */
  describe(): string {
    return ['The page’s problems:', ...this.problems, 'What it could not load:', ...this.#unloaded].join('\n');
  }

  async closeAll(): Promise<void> {
    for (const context of this.browser.contexts()) await context.close();
  }

  /**
   * A browser profile of its own, which waits for what it is asked for as long as a slow machine needs. It asks for less
   * motion, since drawing what moves takes much of a processor.
   */
  async newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({ reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  }

  /** A page of a profile of its own. */
  async open(path = '/', width = 1200, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.newContext({ viewport: { width, height: 800 }, ...options });
    const problems: string[] = [];
    this.problems = problems;
    this.#unloaded = [];
    const unloaded = this.#unloaded;
    context.on('requestfailed', (request) => unloaded.push(`${request.url()} ${request.failure()?.errorText}`));
    context.on('response', (response) => {
      if (response.status() >= 400) unloaded.push(`${response.url()} ${response.status()}`);
    });
    context.on('weberror', (error) => problems.push(String(error.error())));
    context.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(`${message.text()} ${message.location().url}`);
    });
    const page = await context.newPage();
    await page.goto(new URL(path, this.#steward.url).href);
    return page;
  }

  /** @param view to show after the sign-in; by default the accounts */
  async openAs(user: string, view: View = 'Accounts'): Promise<Page> {
    const page = await this.open();
    await this.signIn(page, user);
    if (view !== 'Accounts') await this.show(page, view);
    return page;
  }

  /** Signs the browser in without the page. */
  async beginSession(page: Page, token: string): Promise<void> {
    const url = new URL('/auth/session', this.#steward.url).href;
    const response = await page.context().request.post(url, { headers: { authorization: token } });
    if (!response.ok()) throw new Error(`no session: ${await response.text()}`);
  }

  async signIn(page: Page, user: string): Promise<void> {
    await page.getByLabel('Another user').fill(user);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    // Narrow pages don't show it.
    await page.locator('#who').getByText(`${user}@example.com`).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  }

  /** Goes to a view by the navigation. */
  async show(page: Page, view: View): Promise<void> {
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: view }).click();
    await page.getByRole('heading', { level: 1, name: view, exact: true }).waitFor();
  }

  /** Opens the sandbox's consent page from the view of the accounts, through the real redirects. */
  async askFor(page: Page, email: string): Promise<void> {
    await page.getByLabel('Mail address of the account').fill(email);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('button', { name: 'Allow' }).waitFor();
  }

  async connect(page: Page, email: string): Promise<void> {
    await this.askFor(page, email);
    await page.getByRole('button', { name: 'Allow' }).click();
    // Not the message: it is there for some seconds only, which a slow machine may miss.
    await page.locator('#workspace').getByText(email).first().waitFor();
  }

  /** A user with a connected account, at a view. */
  async openConnected(user: string, view: View): Promise<Page> {
    const page = await this.openAs(user);
    await this.connect(page, `${user}@example.com`);
    if (view !== 'Accounts') await this.show(page, view);
    return page;
  }

  /** Selects an action in the view of the actions. */
  async choose(page: Page, action: string): Promise<void> {
    await page
      .locator('label.pick')
      .filter({ has: page.locator(`input[value="${action}"]`) })
      .click();
    await page.locator('#action .facts code').getByText(action, { exact: true }).waitFor();
  }
}

/** The service and a browser, from before the first test of a suite to after its last. */
export interface PageScene {
  readonly steward: TestSteward;
  readonly pages: Pages;
}

/**
 * Starts the service and a browser for the tests of a suite; each test gets profiles of its own.
 *
 * @param env settings, read when the suite starts
 */
export function pageScene(env: () => Record<string, string> = () => ({}), overrides: TestOverrides = {}): PageScene {
  let steward: TestSteward | undefined;
  let pages: Pages | undefined;
  beforeAll(async () => {
    steward = await startSteward(env(), overrides);
    pages = await Pages.launch(steward);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(pages?.describe());
    await pages?.closeAll();
  });
  afterAll(async () => {
    await pages?.browser.close();
    await steward?.stop();
  });
  const started = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error('the suite has not started');
    return part;
  };
  return {
    get steward() {
      return started(steward);
    },
    get pages() {
      return started(pages);
    },
  };
}
