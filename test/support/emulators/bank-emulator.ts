import { type ScriptedCall, type ScriptedResponse, ScriptedServer } from '../servers/scripted-server.ts';

/** Secrets that must never leave the process: the client's, and the prefix of every access token issued. */
export const BANK_SECRET = 'canary-bank-secret-5f1c';
export const ACCESS_TOKEN = 'access-canary-77ab';

/** A bank aggregator outside the service, which can also send responses that the sandbox never sends. It has one bank. */
export class BankEmulator extends ScriptedServer {
  #total = 0;

  /** The variables that make a service use it. */
  get env(): Record<string, string> {
    return { PLAID_CLIENT_ID: 'canary-client', PLAID_SECRET: BANK_SECRET, PLAID_BASE_URL: `${this.url}/`, ALLOW_MIXED: '1' };
  }

  /** Every path, or one, responds with this error of the aggregator. */
  fail(code: string, path = '*'): void {
    this.on(path, { status: 400, body: aggregatorError(code) });
  }

  protected override received(): void {
    this.#total += 1;
  }

  protected override usual({ path }: ScriptedCall): ScriptedResponse {
    return { body: usualBody(path, this.#total) };
  }
}

/** The aggregator's error object; its texts carry the secrets, so that forwarding any of them shows. */
function aggregatorError(code: string): object {
  const text = `${BANK_SECRET} ${ACCESS_TOKEN}`;
  return {
    error_type: 'CANARY_TYPE',
    error_code: code,
    error_message: text,
    display_message: text,
    documentation_url: text,
    suggested_action: text,
    request_id: 'emulator-1',
  };
}

export const EMULATED_ACCOUNTS = [
  { account_id: 'a1', persistent_account_id: null, name: 'Giro', mask: '4242', type: 'depository' },
  // Its persistent id shows that it is the same account when the bank is linked again.
  { account_id: 'a2', persistent_account_id: 'lasting-a2', name: 'Umschlag', mask: null, type: 'depository' },
];

/** Each token and item is new, by `count`. */
function usualBody(path: string, count: number): object {
  const bodies: Record<string, object> = {
    '/link/token/create': { link_token: 'link-emulated', expiration: '2030-01-01T00:00:00Z' },
    '/item/public_token/exchange': { access_token: `${ACCESS_TOKEN}-${count}`, item_id: `item-${count}` },
    '/item/get': { item: { item_id: 'item', institution_id: 'ins_1', institution_name: 'Emulated Bank', error: null } },
    '/accounts/get': { accounts: EMULATED_ACCOUNTS, item: {} },
    '/item/remove': {},
  };
  return { ...bodies[path], request_id: `request-${count}` };
}
