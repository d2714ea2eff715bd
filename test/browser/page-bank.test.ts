import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { linkBank } from '../support/flows.ts';
import { chromiumMissing, Pages, whySkipped } from '../support/page.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

describe.skipIf(chromiumMissing)(`the banks on the page at GET /${whySkipped}`, () => {
  let steward: TestSteward;
  let pages: Pages;

  beforeAll(async () => {
    steward = await startSteward();
    pages = await Pages.launch(steward);
  });

  afterEach(() => pages.closeAll());

  afterAll(async () => {
    await pages?.browser.close();
    await steward?.stop();
  });

  it('show the status of a webhook without a reload, and offer the repair', async () => {
    await eventually(async () => (await linkBank(steward, await steward.signIn('watcher'))).status === 200);
    const { item_id: item } = (await steward.control('bank/state')).items.at(-1);
    const page = await pages.openAs('watcher');
    const entry = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'First Platypus Bank' }) });
    await entry.waitFor();
    const fire = (code: string) => steward.control('bank/webhook', { item_id: item, webhook_code: code });
    await fire('NEW_ACCOUNTS_AVAILABLE');
    await entry.getByText('New accounts available').waitFor();
    await entry.getByRole('button', { name: 'Select accounts: First Platypus Bank' }).waitFor();
    await fire('PENDING_DISCONNECT');
    await entry.getByText(/^Access ends \S*\d/).waitFor();
    await entry.getByRole('button', { name: 'Reconnect: First Platypus Bank' }).waitFor();
    await fire('ERROR');
    await entry.getByText('Reconnect required').waitFor();
    await fire('USER_PERMISSION_REVOKED');
    await page.getByText('No bank is connected yet.').waitFor();
  });
});
