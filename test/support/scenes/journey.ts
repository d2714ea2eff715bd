import { randomBytes } from 'node:crypto';
import type { Service } from '../steward.ts';
import { eventually } from '../time/eventually.ts';
import { SocketClient } from '../users/socket-client.ts';
import { connect, linkBank } from './flows.ts';

export interface Journey {
  token: string;
  email: string;
  /** Every secret of the journey. Only the sandbox may store them. */
  secrets: string[];
}

/**
 * Does everything that a user does, in order: signs in, connects an account and a bank, lets agents read and write, has a
 * token refreshed, disconnects, and deletes the user.
 */
export async function liveThrough(service: Service): Promise<Journey> {
  const user = `canary${randomBytes(6).toString('hex')}`;
  const email = `${user}@example.com`;
  const token = await service.signIn(user);
  await service.control('workspace', { token_life_seconds: 2 });
  const { browser, callbackUrl } = await connect(service, { token, email });
  await linkBank(service, token);
  const socket = await SocketClient.signedIn(service.url, token);
  await socket.request({ type: 'list' });
  await socket.request({ type: 'call', action: 'mail.search', input: { query: 'canary-query' } });
  await decide(socket, true);
  await decide(socket, false);
  await renew(service, socket);
  await service.control('workspace', { token_life_seconds: 3600 });
  const [account] = (await service.call('/auth/workspace/accounts', { token })).body.accounts;
  const [entry] = (await service.call('/auth/bank/accounts', { token })).body.accounts;
  await expectSuccess(service.call(`/auth/workspace/accounts/${account.id}/default`, { method: 'POST', token }));
  await expectSuccess(service.call(`/auth/workspace/accounts/${account.id}`, { method: 'DELETE', token }));
  await expectSuccess(service.call(`/auth/bank/accounts/${entry.id}`, { method: 'DELETE', token }));
  await eventually(async () => (await service.control('state')).calls.workspace.revocations > 0);
  await expectSuccess(service.call('/user', { method: 'DELETE', token }));
  await socket.ended;
  const query = new URL(callbackUrl).searchParams;
  return {
    token,
    email,
    secrets: [token, email, user, 'canary-query', query.get('code') ?? '', query.get('state') ?? '', ...browser.cookies.values()],
  };
}

/** Calls an action that needs approval, and approves or denies it. */
async function decide(socket: SocketClient, approved: boolean): Promise<void> {
  const input = { to: ['friend@example.com'], subject: 'canary-subject', body: 'canary-text' };
  const asked = await socket.request({ type: 'call', action: 'mail.send', input });
  const response = await socket.request({ type: 'approve', approvalId: asked.error.approvalId, approved });
  if (response.type !== 'result') throw new Error(`not decided: ${JSON.stringify(response)}`);
}

/** Calls an action until the token was refreshed. */
async function renew(service: Service, socket: SocketClient): Promise<void> {
  await eventually(async () => {
    const response = await socket.request({ type: 'call', action: 'mail.labels', input: {} });
    if (response.type !== 'result') throw new Error(`not answered: ${JSON.stringify(response)}`);
    return (await service.control('state')).calls.workspace.refreshes > 0;
  });
}

async function expectSuccess(response: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await response;
  if (status !== 200) throw new Error(`${status} ${text}`);
}
