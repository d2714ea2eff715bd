import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Looks } from '../../../src/automations/looking/looks.ts';
import { callAutomations } from '../../support/scenes/automations.ts';
import { LookingScene } from '../../support/scenes/looking-scene.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

let scene: LookingScene;
let user: ConnectedGrant;

beforeAll(async () => {
  scene = await LookingScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  await scene.steward.sql('delete from watches');
  scene.reset();
  user = await scene.connect();
});

const found = () => scene.occurrences(user);
const callsOf = (end: string) => scene.calls.filter(({ path }) => path.endsWith(end)).length;

describe('a look at an account’s mail', () => {
  it('starts what waits for a mail, once for each: repeated, reordered and deleted ones change nothing', async () => {
    scene.receive('before');
    const id = await scene.onMail(user, { from: 'ana@example.com' });
    await scene.look();
    expect(await found()).toEqual([]);
    scene.receive('m1', {}, 'm1');
    scene.receive('m2');
    scene.messages.delete('m2');
    scene.receive('m3', { headers: [{ name: 'From', value: 'bo@example.com' }] });
    scene.receive('m1');
    scene.records.reverse();
    await scene.look();
    expect(await found()).toEqual(['mail:m1']);
    scene.receive('m1');
    scene.receive('m4');
    await scene.look();
    expect(await found()).toEqual(['mail:m1', 'mail:m4']);
    const rows = await scene.steward.sql('select automation_id, is_tainted, is_financial from automation_runs where user_id = $1', [
      user.userId,
    ]);
    expect(rows).toEqual(Array(2).fill({ automation_id: id, is_tainted: true, is_financial: false }));
  });

  it('reads all pages, and goes on from the last record that it has read where there are too many', async () => {
    await scene.onMail(user);
    await scene.look();
    scene.pageSize = 20;
    for (let count = 0; count < 230; count += 1) scene.receive(`m${count}`);
    await scene.look();
    expect(await found()).toHaveLength(100);
    expect((await scene.watch(user))?.position).toEqual({ historyId: '1100' });
    await scene.look(scene.steward, 15_000);
    await scene.look(scene.steward, 15_000);
    expect(await found()).toHaveLength(230);
    expect((await scene.watch(user))?.position).toEqual({ historyId: '1230' });
  });

  it('lists the mails since the last look once the history has ended, and starts none again', async () => {
    await scene.onMail(user);
    await scene.look();
    scene.receive('m1');
    await scene.look();
    scene.receive('m2');
    scene.receive('old', { internalDate: String(scene.steward.clock.now() - 3_600_000) });
    scene.oldest = scene.newest + 1;
    await scene.look();
    expect(await found()).toEqual(['mail:m1', 'mail:m2']);
    scene.oldest = 0;
    scene.receive('m3');
    await scene.look();
    expect(await found()).toEqual(['mail:m1', 'mail:m2', 'mail:m3']);
  });

  it('reads without the history if that is answered with 500 for ever', async () => {
    await scene.onMail(user);
    await scene.look();
    scene.receive('m1');
    scene.faults.set('history', { status: 503, retryAfter: 60, times: 1_000 });
    for (let looks = 0; looks < 5; looks += 1) await scene.look(scene.steward, 20 * 60_000);
    expect(await scene.watch(user)).toMatchObject({ failures: 5, error: 'provider_error' });
    expect(await found()).toEqual([]);
    await scene.look(scene.steward, 20 * 60_000);
    expect(await found()).toEqual(['mail:m1']);
    expect(await scene.watch(user)).toMatchObject({ failures: 0, error: null });
  });

  it('starts nothing for what the user has sent or drafted, for spam, and for answers of programs', async () => {
    await scene.onMail(user);
    await scene.look();
    for (const label of ['SENT', 'DRAFT', 'SPAM', 'TRASH']) scene.receive(label, { labelIds: [label, 'INBOX'] });
    scene.receive('reply', { headers: [{ name: 'auto-submitted', value: ' (x) Auto-Replied; why=away' }] });
    scene.receive('m1');
    await scene.look();
    expect(await found()).toEqual(['mail:m1']);
  });

  it('starts what only reads or tells for mail of programs and lists, and nothing that may change something', async () => {
    const tells = await scene.onMail(user);
    const prompt = { type: 'prompt', prompt: 'Go.' };
    const reads = await scene.onMail(user, {}, { does: prompt, actions: ['mail.search', 'mail.read'] });
    await scene.onMail(user, {}, { does: prompt, actions: ['mail.search', 'mail.send'] });
    await scene.onMail(user, {}, { does: prompt, actions: ['mail.*'] });
    await scene.look();
    const automated = [
      { name: 'Auto-Submitted', value: 'auto-generated' },
      { name: 'LIST-ID', value: '<list.example.com>' },
      { name: 'List-Unsubscribe', value: '<mailto:off@example.com>' },
      { name: 'Precedence', value: 'Bulk' },
    ];
    for (const header of automated) scene.receive(header.name, { headers: [header] });
    scene.receive('no', { headers: [{ name: 'Auto-Submitted', value: 'no' }] });
    await scene.look();
    const rows = await scene.steward.sql<{ id: string; count: number }>(
      'select automation_id as id, count(*)::int from automation_runs where user_id = $1 group by 1',
      [user.userId],
    );
    const counts = new Map(rows.map(({ id, count }) => [id, count]));
    expect([counts.get(tells), counts.get(reads)]).toEqual([5, 5]);
    expect(rows).toHaveLength(4);
    expect(rows.filter(({ count }) => count === 1)).toHaveLength(2);
  });

  it('reads a mail’s parts only for those who ask for attachments', async () => {
    await scene.onMail(user, { has_attachment: true });
    await scene.look();
    scene.receive('plain');
    scene.receive('file', { payload: { mimeType: 'multipart/mixed', parts: [{ mimeType: 'application/pdf', filename: 'a.pdf' }] } });
    await scene.look();
    expect(await found()).toEqual(['mail:file']);
    expect(scene.calls.at(-1)?.query.get('format')).toBe('full');
  });

  it('is not stopped by a mail that can’t be read, and takes it as one of a program after some time', async () => {
    await scene.onMail(user);
    await scene.onMail(user, { from: 'ana@example.com' });
    await scene.look();
    scene.receive('odd', { internalDate: 'yesterday' });
    for (let looks = 0; looks < 4; looks += 1) await scene.look(scene.steward, 20 * 60_000);
    expect(await found()).toEqual(['mail:odd']);
    expect(await scene.watch(user)).toMatchObject({ failures: 0, error: null });
  });

  it('does not start an automation for what arrived before it was there, while another one waited', async () => {
    await scene.onMail(user);
    await scene.look();
    scene.steward.clock.setBy(10_000);
    scene.receive('m1');
    scene.steward.clock.setBy(10_000);
    const second = await scene.onMail(user);
    scene.steward.clock.setBy(1_000);
    scene.receive('m2');
    await scene.look();
    const rows = await scene.steward.sql<{ occurrence: string }>('select occurrence from automation_runs where automation_id = $1', [
      second,
    ]);
    expect(rows.map(({ occurrence }) => occurrence)).toEqual([`mail:${user.accountId}:m2`]);
    expect(await found()).toEqual(['mail:m1', 'mail:m2', 'mail:m2']);
  });
});

describe('looks', () => {
  it('cost one statement while nothing is due, and none of the provider without an automation', async () => {
    await scene.look();
    expect(callsOf('/history')).toBe(0);
    const id = await scene.onMail(user);
    await scene.look();
    await callAutomations(scene.steward, user.token, 'DELETE', `/${id}`);
    expect(await scene.watch(user)).toBeUndefined();
    const calls = scene.calls.length;
    await scene.look();
    expect(scene.calls).toHaveLength(calls);
  });

  it('wait longer after each failure, as long as the provider asks for, and go on where they were', async () => {
    await scene.onMail(user);
    await scene.look();
    scene.receive('m1');
    scene.faults.set('history', { status: 429, retryAfter: 1_800, times: 1 });
    await scene.look();
    const waits = (await scene.watch(user))?.lookAfter.getTime() as number;
    expect(await scene.watch(user)).toMatchObject({ failures: 1, error: 'rate_limited', position: { historyId: '1000' } });
    expect(waits - scene.steward.clock.now()).toBeGreaterThan(1_790_000);
    await scene.look();
    expect(await found()).toEqual([]);
    await scene.look(scene.steward, 1_800_000);
    expect(await found()).toEqual(['mail:m1']);
  });

  it('are repeated soon after a first failure, so that what happened is found within 90 seconds', async () => {
    await scene.onMail(user);
    await scene.look();
    scene.faults.set('history', { status: 503, retryAfter: 1, times: 1_000 });
    await scene.look();
    const { lookAfter, failures } = (await scene.watch(user)) ?? {};
    expect(failures).toBe(1);
    expect(Number(lookAfter) - scene.steward.clock.now()).toBeLessThanOrEqual(11_000);
  });

  it('say why an account can’t be read, and look again once it is connected again', async () => {
    await scene.onMail(user);
    await scene.look();
    await scene.steward.sql(`update grants set scopes = '{}' where id = $1`, [user.grantId]);
    await scene.look();
    expect(await scene.watch(user)).toMatchObject({ error: 'missing_scopes' });
    const calls = callsOf('/history');
    await scene.look(scene.steward, 900_000);
    expect(callsOf('/history')).toBe(calls);
    scene.receive('m1');
    await scene.connect({ token: user.token, email: user.email });
    await scene.look(scene.steward, 1_000);
    expect(await found()).toEqual(['mail:m1']);
    await scene.steward.sql(`update grants set status = 'reauth_required' where id = $1`, [user.grantId]);
    await scene.look();
    expect(await scene.watch(user)).toMatchObject({ error: 'reauth_required' });
  });

  it('store nothing once an automation was changed meanwhile, and are repeated', async () => {
    const id = await scene.onMail(user);
    await scene.look();
    scene.receive('m1');
    scene.beforeHistory = async () => {
      scene.beforeHistory = async () => {};
      expect((await callAutomations(scene.steward, user.token, 'PATCH', `/${id}`, { name: 'Another' })).status).toBe(200);
    };
    await scene.look();
    expect((await scene.watch(user))?.position).toEqual({ historyId: '1000' });
    expect(await found()).toEqual([]);
    await scene.look(scene.steward, 1_000);
    expect(await found()).toEqual(['mail:m1']);
  });

  it('on two replicas at once start each mail once', async () => {
    await scene.onMail(user);
    await scene.look();
    const other = new Looks({ ...scene.steward.context, found: () => {}, freed: () => {} });
    for (let count = 0; count < 20; count += 1) scene.receive(`m${count}`);
    let waiting = 0;
    const both = Promise.withResolvers<void>();
    scene.beforeHistory = async () => {
      waiting += 1;
      if (waiting === 2) both.resolve();
      await both.promise;
    };
    scene.steward.clock.setBy(70_000);
    await scene.steward.tick();
    // Its lease has ended, as that of a replica that hangs.
    await scene.steward.sql('update watches set look_after = $1', [new Date(scene.steward.clock.now())]);
    await other.begin();
    await Promise.all([scene.steward.context.automations.looked(), other.settled()]);
    expect(waiting).toBe(2);
    expect(await found()).toHaveLength(20);
    expect((await scene.watch(user))?.revision).toBe(3);
  });

  it('that hang hold up no others, and end', async () => {
    const other = await scene.connect();
    await scene.onMail(user);
    await scene.onMail(other);
    await scene.look();
    scene.receive('m1');
    const never = Promise.withResolvers<void>();
    let first = true;
    scene.beforeHistory = async () => {
      const waits = first;
      first = false;
      if (waits) await never.promise;
    };
    scene.steward.clock.setBy(70_000);
    await scene.steward.tick();
    const all = async () => [...(await scene.occurrences(user)), ...(await scene.occurrences(other))];
    while ((await all()).length === 0) await scene.steward.tick();
    expect(scene.steward.context.db.load.waiting).toBe(0);
    expect(await all()).toEqual(['mail:m1']);
    await scene.steward.clock.advance(60_000);
    await scene.steward.context.automations.looked();
    never.resolve();
    await scene.look(scene.steward, 3_600_000);
    expect(await all()).toEqual(['mail:m1', 'mail:m1']);
  });

  it('end with the account', async () => {
    await scene.onMail(user);
    await scene.look();
    await scene.steward.call(`/auth/workspace/accounts/${user.accountId}`, { method: 'DELETE', token: user.token });
    expect(await scene.watch(user)).toBeUndefined();
  });
});
