import express, { type NextFunction, type Request, type Response } from 'express';
import { Configuration, PlaidApi } from 'plaid';
import { afterEach, beforeEach } from 'vitest';
import { type BankSandbox, createBankSandbox } from '../../../sandbox/bank/bank-sandbox.ts';
import { Controls } from '../../../sandbox/controls.ts';
import { AppError } from '../../../src/errors.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { type LoopbackServer, startLoopbackServer } from '../servers/loopback-server.ts';
import { temporaryDirectory } from './sandbox-host.ts';

export type Body = Record<string, unknown>;
/** A call through the SDK; its closed enums are plain strings on the wire. */
type Call = (request: never) => Promise<{ data: unknown }>;

export interface Host {
  url: string;
  bank: BankSandbox;
  controls: Controls;
  plaid: PlaidApi;
  /** Scheduled retries of webhooks. */
  waiting: { ms: number; run: () => void }[];
  stop(): Promise<void>;
}

export const FRONT_END = 'https://app.example';
export const PLATYPUS = 'ins_109508';
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export let directory: ReturnType<typeof temporaryDirectory>;
/** The running sandbox of the test. */
export let host: Host;

/** Gives every test of the file a fresh sandbox, {@link host}. */
export function useBankSandbox(): void {
  beforeEach(async () => {
    directory = temporaryDirectory();
    host = await start();
  });
  afterEach(async () => {
    await host.stop();
    directory.remove();
  });
}

/** Restarts the sandbox on its stored state; `between` runs while it is stopped. */
export async function restart(between: () => void): Promise<void> {
  await host.stop();
  between();
  host = await start();
}

async function start(): Promise<Host> {
  const app = express();
  const server = await startLoopbackServer(app);
  const { url } = server;
  const controls = new Controls();
  const waiting: Host['waiting'] = [];
  const schedule = (run: () => void, ms: number) => {
    const entry = { run, ms };
    waiting.push(entry);
    return () => void waiting.splice(waiting.indexOf(entry), 1);
  };
  const bank = createBankSandbox({
    directory: directory.path,
    publicUrl: url,
    selfUrl: url,
    controls,
    logger: createLogger('silent'),
    allowedOrigins: [FRONT_END],
    schedule,
  });
  app.use('/sandbox/bank', bank.router);
  app.use('/sandbox/control/bank', bank.controlRouter);
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const known = error instanceof AppError ? error : new AppError('internal', 'Something went wrong.');
    response.status(known.status).json({ code: known.code, message: known.message });
  });
  return { url, bank, controls, waiting, plaid: sdk(bank.settings), stop: () => stop(bank, controls, server) };
}

async function stop(bank: BankSandbox, controls: Controls, server: LoopbackServer): Promise<void> {
  bank.close();
  controls.close();
  await server.close();
}

export function sdk({ baseUrl, clientId, secret }: { baseUrl: string; clientId: string; secret: string }): PlaidApi {
  const headers = { 'PLAID-CLIENT-ID': clientId, 'PLAID-SECRET': secret };
  return new PlaidApi(new Configuration({ basePath: baseUrl, baseOptions: { headers, proxy: false } }));
}

/** The response to an SDK call. */
export async function call(method: keyof PlaidApi, request: object): Promise<Body> {
  const send = (host.plaid[method] as unknown as Call).bind(host.plaid);
  return (await send(request as never)).data as Body;
}

/** Status and error object of an SDK call that must fail. */
export async function refusal(method: keyof PlaidApi, request: object, plaid = host.plaid): Promise<Body> {
  const send = (plaid[method] as unknown as Call).bind(plaid);
  try {
    await send(request as never);
  } catch (error) {
    const { response } = error as { response?: { status: number; data: Body } };
    if (response !== undefined) return { status: response.status, ...response.data };
    throw error;
  }
  throw new Error('the call was not refused');
}

export async function raw(path: string, body: string, headers: Record<string, string> = {}): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${host.url}/sandbox/bank${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { status: response.status, body: (await response.json()) as Body };
}

export async function control(path: string, body: object): Promise<Body> {
  const response = await fetch(`${host.url}/sandbox/control/bank/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const result = (await response.json()) as Body;
  if (response.status !== 200) throw new Error(`control ${path}: ${response.status} ${JSON.stringify(result)}`);
  return result;
}

export interface Linked {
  accessToken: string;
  itemId: string;
}

/** An item, as after a user has completed Link. */
export async function link(institution = PLATYPUS, options: object = {}): Promise<Linked> {
  const { public_token } = await call('sandboxPublicTokenCreate', {
    institution_id: institution,
    initial_products: ['transactions', 'auth'],
    options,
  });
  const { access_token, item_id } = await call('itemPublicTokenExchange', { public_token });
  return { accessToken: access_token as string, itemId: item_id as string };
}

export const linkRequest = {
  client_name: 'Steward',
  language: 'en',
  country_codes: ['US'],
  user: { client_user_id: 'user-1' },
  products: ['transactions', 'auth'],
};

export interface Account extends Body {
  account_id: string;
  name: string;
  mask: string | null;
}

export async function accounts(accessToken: string): Promise<Account[]> {
  return (await call('accountsGet', { access_token: accessToken })).accounts as Account[];
}

export interface Page extends Body {
  added: { transaction_id: string; pending: boolean; pending_transaction_id: string | null; date: string; amount: number }[];
  modified: { transaction_id: string; name: string }[];
  removed: { transaction_id: string }[];
  next_cursor: string;
  has_more: boolean;
}

export async function sync(accessToken: string, cursor = '', count = 500): Promise<Page> {
  return (await call('transactionsSync', { access_token: accessToken, cursor, count })) as Page;
}
