import { newPerson } from '../support/emulators/workspace-content.ts';
import type { TestSteward } from '../support/steward.ts';
import { eventually } from '../support/time/eventually.ts';

const ACCOUNTS = '/auth/workspace/accounts';

/** Connects an account, whose token is refreshed, and disconnects it; and asks for what no client should. */
export async function callOAuth(steward: TestSteward): Promise<void> {
  const { token, act } = await newPerson(steward);
  // Its access token has expired.
  await steward.control('clock', { advance_ms: 3_600_000 });
  await act('mail.labels');
  await steward.control('clock', { advance_ms: -3_600_000 });
  if ((await steward.control('state')).calls.workspace.refreshes < 1) throw new Error('no token was refreshed');
  const [{ id }] = (await steward.call(ACCOUNTS, { token })).body.accounts;
  await steward.call(`${ACCOUNTS}/${id}`, { method: 'DELETE', token });
  await eventually(async () => (await steward.control('state')).calls.workspace.revocations > 0);
  await rejected(steward);
}

/** Requests that are rejected, of each kind. */
async function rejected(steward: TestSteward): Promise<void> {
  const { clientId: client_id = '', clientSecret: client_secret = '' } = steward.context.sandbox?.workspace ?? {};
  const own = { client_id, client_secret };
  const responses = [
    await steward.call('/sandbox/workspace/revoke', { method: 'POST', form: { token: 'unknown' } }),
    await steward.call('/sandbox/workspace/userinfo', { token: 'unknown' }),
  ];
  for (const form of [
    { ...own },
    { ...own, grant_type: 'password' },
    { ...own, grant_type: 'refresh_token' },
    { ...own, grant_type: 'refresh_token', refresh_token: 'unknown' },
    { ...own, grant_type: 'authorization_code' },
    { ...own, grant_type: 'authorization_code', code: 'unknown' },
    { client_id, client_secret: 'wrong', grant_type: 'refresh_token', refresh_token: 'unknown' },
  ]) {
    responses.push(await steward.call('/sandbox/workspace/token', { method: 'POST', form }));
  }
  const accepted = responses.findIndex(({ status }) => status < 400);
  if (accepted !== -1) throw new Error(`the sandbox accepts request ${accepted} of those it must reject`);
}
