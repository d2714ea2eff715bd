import { REQUESTED_SCOPES } from '../../../src/providers/workspace/workspace-scopes.ts';
import { type ScriptedCall, type ScriptedResponse, ScriptedServer } from '../servers/scripted-server.ts';

export interface EmulatorSecrets {
  clientSecret: string;
  accessToken: string;
  refreshToken: string;
  bankSecret: string;
  bankAccessToken: string;
}

/** A workspace provider and a bank aggregator outside the service, with secrets that the test chose. */
export class ProviderEmulator extends ScriptedServer {
  readonly #secrets: EmulatorSecrets;

  constructor(secrets: EmulatorSecrets) {
    super();
    this.#secrets = secrets;
  }

  /** The variables that make a service use it for both. */
  get env(): Record<string, string> {
    return { ...workspaceVariables(this.url, this.#secrets.clientSecret), ...bankVariables(this.url, this.#secrets.bankSecret) };
  }

  protected override usual({ path }: ScriptedCall): ScriptedResponse {
    const body = usualBodies(this.#secrets)[path];
    return body === undefined ? { status: 404, body: {} } : { body };
  }
}

function usualBodies(secrets: EmulatorSecrets): Record<string, object> {
  const item = { item_id: 'item-1', institution_id: 'ins_1', institution_name: 'Bank of the Test', error: null };
  return {
    '/token': {
      access_token: secrets.accessToken,
      refresh_token: secrets.refreshToken,
      token_type: 'Bearer',
      expires_in: 3600,
      scope: REQUESTED_SCOPES.join(' '),
    },
    '/userinfo': { sub: 'account-1', email: 'demo@example.com', email_verified: true, name: 'Demo' },
    '/revoke': {},
    '/link/token/create': { link_token: 'link-1', expiration: '2030-01-01T00:00:00Z', request_id: 'r1' },
    '/item/public_token/exchange': { access_token: secrets.bankAccessToken, item_id: 'item-1', request_id: 'r2' },
    '/item/get': { item, request_id: 'r3' },
    '/accounts/get': { accounts: [{ account_id: 'a1', name: 'Checking', mask: '0000' }], item, request_id: 'r4' },
    '/item/remove': { request_id: 'r5' },
  };
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
