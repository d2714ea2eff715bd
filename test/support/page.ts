import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { TestSteward } from './steward.ts';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
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
  const references = ['aria-labelledby', 'aria-describedby'].flatMap((attribute) => all('[' + attribute + ']').map((node) => node.getAttribute(attribute)));
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

/** The development page in a real browser. */
export class Pages {
  readonly browser: Browser;
  /** Errors and warnings of the browser since the last `open`, policy violations included. */
  problems: string[] = [];
  readonly #steward: TestSteward;

  private constructor(browser: Browser, steward: TestSteward) {
    this.browser = browser;
    this.#steward = steward;
  }

  static async launch(steward: TestSteward): Promise<Pages> {
    return new Pages(await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS.split(' ') }), steward);
  }

  async closeAll(): Promise<void> {
    for (const context of this.browser.contexts()) await context.close();
  }

  /** A browser profile of its own. */
  async open(path = '/', width = 1200): Promise<Page> {
    const context = await this.browser.newContext({ viewport: { width, height: 800 } });
    const problems: string[] = [];
    this.problems = problems;
    context.on('weberror', (error) => problems.push(String(error.error())));
    context.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(`${message.text()} ${message.location().url}`);
    });
    const page = await context.newPage();
    await page.goto(new URL(path, this.#steward.url).href);
    return page;
  }

  async openAs(user: string): Promise<Page> {
    const page = await this.open();
    await this.signIn(page, user);
    return page;
  }

  async signIn(page: Page, user: string): Promise<void> {
    await page.getByLabel('Another user').fill(user);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText(`${user}@example.com`).waitFor();
  }

  /** Opens the sandbox's consent page from the page, through the real redirects. */
  async askFor(page: Page, email: string): Promise<void> {
    await page.getByLabel('Email of the account').fill(email);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('button', { name: 'Allow' }).waitFor();
  }

  async connect(page: Page, email: string): Promise<void> {
    await this.askFor(page, email);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('The workspace account is connected.').waitFor();
  }
}
