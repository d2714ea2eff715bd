import { eventually } from '../time/eventually.ts';
import { automationRun } from '../users/automation-run.ts';
import type { ConnectedGrant } from '../users/refreshing.ts';
import type { ExecutorScene } from './executor-scene.ts';
import { linkBank, newName } from './flows.ts';
import { PinnedSource } from './source-account.ts';

/** Text of a full user's calls and results, which is stored encrypted. */
export const SAID = 'what-was-said';

export interface FullUser extends ConnectedGrant {
  name: string;
  secondEmail: string;
  /** Id of the conversation of an automation's run. */
  runThread: string;
}

/** A user with rows in every table that can hold some: accounts, flows, approvals, results, events, audit, waitlist, automations. */
export async function fullUser(scene: ExecutorScene): Promise<FullUser> {
  const { steward } = scene;
  const name = newName();
  const token = await steward.signIn(name);
  scene.reset();
  const user = await scene.connect({ token, email: `${name}@example.com` });
  const second = await scene.connect({ token, email: `${newName()}@example.org` });
  const linked = await linkBank(steward, token);
  if (linked.status !== 200) throw new Error(`no bank: ${linked.text}`);
  await steward.call('/waitlist', { form: { email: `${name}@example.com` } });
  await steward.call('/workspace_access_request', { token, form: { email: `${newName()}@example.com` } });
  const message = { to: ['a@example.com'], text: SAID };
  scene.answers('/api/gmail/v1/users/me/messages/send', 200, { id: SAID });
  await scene.call(user, 'test.send', message, { account: user.accountId, idempotencyKey: `key-of-${name}` });
  scene.policies.set('test.send', { approval: 'always' });
  const { approvalId } = await scene.ask(user, 'test.send', { to: [`boss-of-${name}@example.com`] }, { account: user.accountId });
  await scene.decide(user, approvalId);
  await scene.ask(user, 'test.send', { to: [`friend-of-${name}@example.com`], text: SAID }, { account: user.accountId });
  scene.policies.clear();
  await steward.context.clientTokens.create(user.userId, {
    name: 'script',
    actions: ['*'],
    access: 'read',
    accounts: [user.accountId],
    days: 1,
  });
  await scene.call(user, 'test.read', {}, { account: user.accountId });
  const reads = () => steward.sql('select 1 from context_reads where user_id = $1', [user.userId]);
  await eventually(async () => (await reads()).length > 0);
  const { threads } = steward.context;
  await threads.write(user.userId, async (tx) => {
    await threads.begin(tx, user.userId, `thread-of-${name}`, { title: SAID });
    await threads.append(tx, user.userId, `thread-of-${name}`, { id: 'first', role: 'user', parts: [{ type: 'text', text: SAID }] });
    await threads.setSummary(tx, user.userId, `thread-of-${name}`, { text: SAID, position: 1 });
  });
  await steward.sql(
    `with run as (
       insert into runs (id, user_id, thread_id, message_id, model, status, lease_until, ended_at)
       values (gen_random_uuid(), $1, $2, 'answer', 'stand-in', 'done', now(), now()) returning id)
     insert into run_chunks (user_id, run_id, sequence, chunks) select $1, id, 0, '\\x00' from run`,
    [user.userId, `thread-of-${name}`],
  );
  const runThread = await automationRun(steward, user, SAID);
  await steward.sql(
    `insert into written_items (user_id, item, context, is_tainted, is_financial, until)
     values ($1, '\\x00', 'user', true, false, now() + interval '1 hour')`,
    [user.userId],
  );
  await steward.sql(
    `insert into read_only_accounts (id, user_id, account_id, grant_id, client_id)
     select gen_random_uuid(), $1, $2, $3, id from client_grants where user_id = $1`,
    [user.userId, user.accountId, user.grantId],
  );
  // What it covers is sealed as something else, and can't be decrypted.
  await steward.sql(
    `insert into allowances (id, user_id, account_id, grant_id, subject, action, revision, covered, expires_at, asker)
     select gen_random_uuid(), $1, $2, id, subject, 'test.notify', 'r1', tokens, now() + interval '1 day', 'user' from grants where id = $3`,
    [user.userId, user.accountId, user.grantId],
  );
  await steward.sql(
    `insert into oauth_entries (model, id_hash, user_id, payload) values ('AccessToken', sha256($1::text::bytea), $1::uuid, '\\x00')`,
    [user.userId],
  );
  const source = new PinnedSource(steward, 'tickets');
  source.file.set('search', {});
  await source.lists(user.userId, await source.connect(user.userId), { name: 'search', description: SAID, inputSchema: {} });
  await steward.sql(
    `insert into source_clients (source, issuer, registration) values ('tickets', 'https://tickets.example', '\\x00') on conflict do nothing`,
  );
  await steward.call('/auth/session', { method: 'POST', token });
  await steward.sql(
    `insert into bank_webhooks (id, user_id, grant_id, item_id, event, details, digest)
     select gen_random_uuid(), g.user_id, g.id, g.subject, 'ITEM_ERROR', '{}', '\\x00' from grants g where g.user_id = $1 and g.provider = 'bank'`,
    [user.userId],
  );
  const channel = { type: 'webhook', url: `https://hooks.example.com/${SAID}`, kinds: ['run.finished'] };
  await steward.call('/notifications/channels', { token, headers: { 'content-type': 'application/json' }, body: JSON.stringify(channel) });
  // The key by which push services know the service is made with the first list.
  await steward.call('/notifications/channels', { token });
  await steward.sql(
    `insert into notification_deliveries (id, user_id, channel_id, key, kind, type, data, path, happened_at, outcome, ended_at)
     select gen_random_uuid(), user_id, id, 'run', 'run.finished', 'run.finished', '{}', '/', now(), 'sent', now()
     from notification_channels where user_id = $1`,
    [user.userId],
  );
  await steward.sql(
    `insert into notification_confirmations (id, user_id, address_hash, sent_at) values (gen_random_uuid(), $1, '\\x00', now())`,
    [user.userId],
  );
  // An item of its own, which no sweep comes to while the test runs.
  await steward.sql(
    `insert into ended_grants (grant_id, user_id, provider, subject, tokens, try_after)
     select id, user_id, provider, 'former-' || subject, tokens, now() + interval '1 day' from grants where user_id = $1 and provider = 'bank'`,
    [user.userId],
  );
  await steward.sql(
    `insert into former_user_keys (id, user_id, master_key_id, wrapped)
     select gen_random_uuid(), user_id, master_key_id, wrapped from user_keys where user_id = $1`,
    [user.userId],
  );
  return { ...user, name, secondEmail: second.email, runThread };
}
