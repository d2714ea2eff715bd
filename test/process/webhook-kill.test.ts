import { describe, expect, it } from 'vitest';
import { createPlace, startProcess } from '../support/processes/process.ts';
import { linkBank, SWEEP_AT_START } from '../support/scenes/flows.ts';
import { freePort } from '../support/servers/free-port.ts';
import { eventually } from '../support/time/eventually.ts';

describe('kill -9 between storing a webhook and handling it', () => {
  it('loses nothing: it is handled after the restart', async () => {
    const place = await createPlace();
    const env = { ...place.env, PORT: String(await freePort()) };
    const child = await startProcess(env);
    const token = await child.signIn();
    await eventually(async () => (await linkBank(child, token)).status === 200);
    const itemId = (await child.control('bank/state')).items.at(-1).item_id;
    // The restart ends the faults.
    await child.control('faults', { part: 'bank', path: '/item/get', kind: 'hang' });
    const fired = await child.control('bank/webhook', { item_id: itemId, webhook_code: 'ERROR' });
    expect(fired.deliveries).toEqual([{ status: 200 }]);
    await child.kill('SIGKILL');
    // As if it had been killed before the job was created. One statement: each one opens the embedded database again.
    const waiting = await place.sql(
      `with job as (delete from pgboss.job where name = 'bank-webhook'), sweep as (${SWEEP_AT_START})
       update bank_webhooks set queued_at = null where handled_at is null returning event`,
    );
    expect(waiting).toEqual([{ event: 'ITEM/ERROR' }]);
    const again = await startProcess(env);
    const status = async () => (await again.call('/auth/bank/accounts', { token: await again.signIn() })).body.accounts[0].status;
    await eventually(async () => (await status()) === 'relink_required');
    await again.kill('SIGKILL');
    await place.remove();
  });
});
