import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds on the page as it is shown: each rule with the elements that break it. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(SOURCE);
  const script = `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')))`;
  return page.evaluate<string[]>(script);
}
