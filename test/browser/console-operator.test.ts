import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';

const FILE =
  'version: 1\nagents:\n  bank: { provider: bank, description: Balances., products: [auth], actions: { balances: { use: bank.balances } } }\n';

describe.skipIf(chromiumMissing)(`what operators see in the settings${whySkipped}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-operator-'));
  const file = join(folder, 'integrations.yaml');
  writeFileSync(file, FILE);
  const scene = pageScene(() => ({ OPERATORS: 'ana@example.com', INTEGRATIONS_FILE: file }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('is whole, %s, %i pixels wide', async (colorScheme, width) => {
    writeFileSync(file, FILE.replace('use: bank.balances', 'use: bank.blances'));
    expect((await scene.steward.updateIntegrations()).status).toBe(422);
    const page = await scene.pages.open('/#settings', width, { colorScheme, bypassCSP: true });
    await scene.pages.signIn(page, 'ana');
    const card = page.getByRole('region', { name: 'Operator' });
    await card.getByText('integrations.yaml is not valid.').waitFor();
    expect(await card.locator('.problems li').allTextContents()).toEqual([expect.stringContaining('3:')]);
    expect(await card.locator('dd').first().textContent()).toContain('0 accounts');
    await card.getByText('Limits in force').click();
    await card.getByRole('row', { name: 'LIMIT_BODY_BYTES' }).getByText('10,240').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    writeFileSync(file, FILE);
    expect((await scene.steward.updateIntegrations()).status).toBe(200);
  });

  it('is for them only', async () => {
    const page = await scene.pages.open('/#settings');
    await scene.pages.signIn(page, 'demo');
    await page
      .getByRole('heading', { name: 'Your data' })
      .or(page.getByRole('heading', { name: 'Delete my account' }))
      .first()
      .waitFor();
    expect(await page.getByRole('region', { name: 'Operator' }).count()).toBe(0);
  });
});
