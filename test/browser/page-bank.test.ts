import { describe, it } from 'vitest';
import { chromiumMissing, pageScene, whySkipped } from '../support/browser/page.ts';
import { linkBank } from '../support/scenes/flows.ts';
import { eventually } from '../support/time/eventually.ts';

describe.skipIf(chromiumMissing)(`the banks on the page at GET /${whySkipped}`, () => {
  const scene = pageScene();

  it('show the status of a webhook without a reload, and offer the repair', async () => {
    await eventually(async () => (await linkBank(scene.steward, await scene.steward.signIn('watcher'))).status === 200);
    const { item_id: item } = (await scene.steward.control('bank/state')).items.at(-1);
    const page = await scene.pages.openAs('watcher');
    const entry = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'First Platypus Bank' }) });
    await entry.waitFor();
    const fire = (code: string) => scene.steward.control('bank/webhook', { item_id: item, webhook_code: code });
    await fire('NEW_ACCOUNTS_AVAILABLE');
    await entry.getByText('New accounts available').waitFor();
    await entry.getByRole('button', { name: 'Select accounts: First Platypus Bank' }).waitFor();
    await fire('PENDING_DISCONNECT');
    await entry.getByText(/^Access ends \w{3}, \d/).waitFor();
    await entry.getByRole('button', { name: 'Reconnect: First Platypus Bank' }).waitFor();
    await fire('ERROR');
    await entry.getByText('Reconnect required').waitFor();
    await fire('USER_PERMISSION_REVOKED');
    await page.getByText('No bank is connected yet.').waitFor();
  });
});
