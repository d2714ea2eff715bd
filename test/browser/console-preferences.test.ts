import { describe, expect, it } from 'vitest';
import { ACCESSIBILITY, chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { eventually } from '../support/time/eventually.ts';

describe.skipIf(chromiumMissing)(`preferences on the page${whySkipped}`, () => {
  const scene = pageScene();
  const stored = (user: string) =>
    scene.steward.sql<{ time_zone: string | null; name: string | null }>('select time_zone, name from users where email = $1', [
      `${user}@example.com`,
    ]);

  it('have the browser’s zone from the first visit on, and the one that the user chooses from then on', async () => {
    const page = await scene.pages.open('/', 1200, { timezoneId: 'Asia/Tokyo' });
    await scene.pages.signIn(page, 'traveller');
    await eventually(async () => expect(await stored('traveller')).toEqual([{ time_zone: 'Asia/Tokyo', name: null }]));
    await scene.pages.show(page, 'Settings');
    const card = page.locator('#preferences');
    await card.getByText('This browser is in Asia/Tokyo.').waitFor();
    await card.getByLabel('Name').fill('Ana');
    await card.getByLabel('Time zone').selectOption('America/New_York');
    await card.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your preferences are saved.').waitFor();
    expect(await stored('traveller')).toEqual([{ time_zone: 'America/New_York', name: 'Ana' }]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect([await card.getByLabel('Name').inputValue(), await card.getByLabel('Time zone').inputValue()]).toEqual([
      'Ana',
      'America/New_York',
    ]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.reload();
    await eventually(async () => expect(await card.getByLabel('Time zone').inputValue()).toBe('America/New_York'));
    expect(await card.getByLabel('Name').inputValue()).toBe('Ana');
    expect(await stored('traveller')).toEqual([{ time_zone: 'America/New_York', name: 'Ana' }]);
    expect(await page.evaluate(ACCESSIBILITY)).toEqual([]);
    expect(scene.pages.problems).toEqual([]);
  });

  it('call a zone as its place is called today, and offer it once, whichever name the browser and the user have for it', async () => {
    const page = await scene.pages.open('/', 1200, { timezoneId: 'Asia/Kolkata' });
    await scene.pages.signIn(page, 'indian');
    await scene.pages.show(page, 'Settings');
    const card = page.locator('#preferences');
    await card.getByText('This browser is in Asia/Kolkata.').waitFor();
    const headers = { 'content-type': 'application/json' };
    const token = await scene.steward.signIn('indian');
    for (const time_zone of ['Asia/Calcutta', 'Asia/Kolkata']) {
      const body = JSON.stringify({ time_zone });
      expect((await scene.steward.call('/user/preferences', { method: 'PATCH', token, headers, body })).status).toBe(200);
      await page.reload();
      await eventually(async () => expect(await card.getByLabel('Time zone').inputValue()).toBe(time_zone));
      expect(await card.getByRole('option', { name: /Kolkata|Calcutta/ }).allTextContents()).toEqual(['Asia/Kolkata']);
    }
  });
});
