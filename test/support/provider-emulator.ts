import type { IncomingMessage, ServerResponse } from 'node:http';
import { REQUESTED_SCOPES } from '../../src/providers/workspace/workspace-scopes.ts';
import { startLoopbackServer } from './loopback-server.ts';

export interface EmulatorSecrets {
  clientSecret: string;
  accessToken: string;
  refreshToken: string;
  bankSecret: string;
  bankAccessToken: string;
}

export interface ProviderEmulator {
  /** Variables that make a service use it as workspace provider and bank aggregator. */
  env: Record<string, string>;
  /** Paths called so far. */
  calls: string[];
  /** Replaces the responses of a path. */
  answer(path: string, status: number, body: unknown): void;
  /** Calls of a path wait until the function returned is called. */
  hold(path: string): () => void;
  close(): Promise<void>;
}

/** A workspace provider and a bank aggregator on loopback, with secrets of the test's own choice. */
export async function startProviderEmulator(secrets: EmulatorSecrets): Promise<ProviderEmulator> {
  const calls: string[] = [];
  const answers = usualAnswers(secrets);
  const held = new Map<string, Promise<void>>();
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.split('?', 1)[0] ?? '';
    request.resume();
    calls.push(path);
    await held.get(path);
    const { status, body } = answers.get(path) ?? { status: 404, body: {} };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const { url, close } = await startLoopbackServer((request, response) => void serve(request, response));
  return {
    env: { ...workspaceVariables(url, secrets.clientSecret), ...bankVariables(url, secrets.bankSecret) },
    calls,
    answer: (path, status, body) => void answers.set(path, { status, body }),
    hold(path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(path, promise);
      return () => {
        held.delete(path);
        resolve();
      };
    },
    close,
  };
}

function usualAnswers(secrets: EmulatorSecrets) {
  const ok = (body: unknown) => ({ status: 200, body });
  const item = { item_id: 'item-1', institution_id: 'ins_1', institution_name: 'Bank of the Test', error: null };
  return new Map<string, { status: number; body: unknown }>([
    [
      '/token',
      ok({
        access_token: secrets.accessToken,
        refresh_token: secrets.refreshToken,
        token_type: 'Bearer',
        expires_in: 3600,
        scope: REQUESTED_SCOPES.join(' '),
      }),
    ],
    ['/userinfo', ok({ sub: 'account-1', email: 'demo@example.com', email_verified: true, name: 'Demo' })],
    ['/revoke', ok({})],
    ['/link/token/create', ok({ link_token: 'link-1', expiration: '2030-01-01T00:00:00Z', request_id: 'r1' })],
    ['/item/public_token/exchange', ok({ access_token: secrets.bankAccessToken, item_id: 'item-1', request_id: 'r2' })],
    ['/item/get', ok({ item, request_id: 'r3' })],
    ['/accounts/get', ok({ accounts: [{ account_id: 'a1', name: 'Checking', mask: '0000' }], item, request_id: 'r4' })],
    ['/item/remove', ok({ request_id: 'r5' })],
  ]);
}

function workspaceVariables(url: string, clientSecret: string): Record<string, string> {
  return {
    GOOGLE_CLIENT_ID: 'client',
    GOOGLE_CLIENT_SECRET: clientSecret,
    GOOGLE_AUTH_URL: `${url}/auth`,
    GOOGLE_TOKEN_URL: `${url}/token`,
    GOOGLE_USERINFO_URL: `${url}/userinfo`,
    GOOGLE_REVOKE_URL: `${url}/revoke`,
    GOOGLE_ISSUER: url,
  };
}

function bankVariables(url: string, secret: string): Record<string, string> {
  return { PLAID_CLIENT_ID: 'client', PLAID_SECRET: secret, PLAID_BASE_URL: url };
}
