import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { startLoopbackServer } from './loopback-server.ts';

/** What must never leave the process: the client's secret, and every access token the emulator issues. */
export const BANK_SECRET = 'canary-bank-secret-5f1c';
export const ACCESS_TOKEN = 'access-canary-77ab';

export interface RecordedCall {
  path: string;
  body: Record<string, any>;
  headers: IncomingHttpHeaders;
}

/** Handles one call and writes the response. */
export type Handler = (response: ServerResponse, call: RecordedCall) => void;

export interface BankEmulator {
  calls: RecordedCall[];
  /** Environment that points the service at it. */
  env: Record<string, string>;
  /** Replaces the responses of a path until {@link reset}. */
  on(path: string, handler: Handler): void;
  /** Every path responds with this error of the aggregator. */
  fail(code: string, path?: string): void;
  reset(): void;
  stop(): Promise<void>;
}

/** An aggregator that returns what a test scripts, including responses that the sandbox never gives. By default it has one bank. */
export async function startBankEmulator(): Promise<BankEmulator> {
  const handlers = new Map<string, Handler>();
  const calls: RecordedCall[] = [];
  let total = 0;
  const { url, close } = await startLoopbackServer(async (request, response) => {
    const path = request.url ?? '/';
    const call = { path, body: await readJson(request), headers: request.headers };
    calls.push(call);
    total += 1;
    const handler = handlers.get(path) ?? handlers.get('*');
    if (handler === undefined) sendJson(response, 200, goodAnswer(path, total));
    else handler(response, call);
  });
  const on = (path: string, handler: Handler) => void handlers.set(path, handler);
  return {
    calls,
    env: {
      PLAID_CLIENT_ID: 'canary-client',
      PLAID_SECRET: BANK_SECRET,
      PLAID_BASE_URL: `${url}/`,
      ALLOW_MIXED: '1',
    },
    on,
    fail: (code, path = '*') => on(path, (response) => sendJson(response, 400, aggregatorError(code))),
    reset() {
      handlers.clear();
      calls.length = 0;
    },
    stop: close,
  };
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
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
  // Without an id of its own nothing would tell that it is the same account when the bank is linked again.
  { account_id: 'a2', persistent_account_id: 'lasting-a2', name: 'Umschlag', mask: null, type: 'depository' },
];

/** Every token and item is another one, by `count`. */
function goodAnswer(path: string, count: number): object {
  const answers: Record<string, object> = {
    '/link/token/create': { link_token: 'link-emulated', expiration: '2030-01-01T00:00:00Z' },
    '/item/public_token/exchange': { access_token: `${ACCESS_TOKEN}-${count}`, item_id: `item-${count}` },
    '/item/get': { item: { item_id: 'item', institution_id: 'ins_1', institution_name: 'Emulated Bank', error: null } },
    '/accounts/get': { accounts: EMULATED_ACCOUNTS, item: {} },
    '/item/remove': {},
  };
  return { ...answers[path], request_id: `request-${count}` };
}

async function readJson(request: IncomingMessage): Promise<Record<string, any>> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? {} : JSON.parse(text);
}
