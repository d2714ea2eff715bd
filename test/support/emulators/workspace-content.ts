import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CalendarState } from '../../../sandbox/google/calendar-events.ts';
import type { Account } from '../../../sandbox/workspace-accounts.ts';
import { AppError } from '../../../src/errors.ts';
import type { CallResult } from '../../../src/executor/executor.ts';
import { type ConnectOptions, connect, newName, outcome } from '../scenes/flows.ts';
import type { TestSteward } from '../steward.ts';
import { callAction } from '../users/agents.ts';
import { type HttpResponse, send } from '../users/request.ts';

/** Calls the sandbox's APIs with a connected account's token, without the agents. */
export async function callGoogle(
  steward: TestSteward,
  verb: string,
  path: string,
  body?: unknown,
  email = 'demo@example.com',
): Promise<HttpResponse> {
  const rows = await steward.sql<{ userId: string; grantId: string }>(
    'select user_id as "userId", grant_id as "grantId" from workspace_accounts where email = $1 limit 1',
    [email],
  );
  const { userId = '', grantId = '' } = rows[0] ?? {};
  const token = await steward.context.tokens.current(userId, grantId);
  return send(steward.url, `/sandbox/workspace/api${path}`, {
    method: verb,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** The sandbox provider's own record of an address. */
export async function googleAccount(steward: TestSteward, email = 'demo@example.com'): Promise<Account> {
  const { accounts } = await steward.control('state');
  return { sub: accounts.find((account: Account) => account.email === email).sub, email, name: 'Demo' };
}

/** What the sandbox calendar would have mailed, oldest first. */
export async function calendarNotices(steward: TestSteward, email?: string): Promise<CalendarState['notices']> {
  return (await calendarState(steward, email)).notices;
}

/** The sandbox calendar as it is stored, with what the account may not read. */
export async function calendarState(steward: TestSteward, email = 'demo@example.com'): Promise<CalendarState> {
  const file = sandboxFile(steward, 'calendar', await googleAccount(steward, email));
  return JSON.parse(readFileSync(file, 'utf8')) as CalendarState;
}

/** Where the sandbox keeps an account's data of an API. */
export function sandboxFile({ dataDir }: Pick<TestSteward, 'dataDir'>, api: string, { sub }: Account): string {
  const name = createHash('sha256').update(sub).digest('hex').slice(0, 20);
  return join(dataDir, 'sandbox', 'content', `${api}-${name}.json`);
}

/** A user with one account at the sandbox provider, who approves every action. */
export interface Person {
  email: string;
  token: string;
  act(action: string, input?: unknown): Promise<any>;
  google(verb: string, path: string, body?: unknown): Promise<HttpResponse>;
}

/** Connects an account for a new user, so that tests do not share changes and calls. */
export async function newPerson(steward: TestSteward, options: Pick<ConnectOptions, 'email' | 'untick'> = {}): Promise<Person> {
  const name = newName();
  const { email = `${name}@example.net` } = options;
  const token = await steward.signIn(name);
  const { callback } = await connect(steward, { ...options, token, email });
  const { account_id: accountId, ...rest } = outcome(callback);
  if (accountId === undefined) throw new Error(`not connected: ${JSON.stringify(rest)}`);
  return {
    email,
    token,
    act: (action, input) => actApproved(steward, token, action, input),
    google: (verb, path, body) => callGoogle(steward, verb, path, body, email),
  };
}

/** Runs an action, and approves it if it needs approval. @returns its data */
export async function actApproved(steward: TestSteward, token: string, action: string, input: unknown = {}): Promise<any> {
  return (await callApproved(steward, token, action, input)).data;
}

/** As {@link actApproved}, with the result's `meta`. */
export async function callApproved(
  steward: TestSteward,
  token: string,
  action: string,
  input: unknown = {},
): Promise<CallResult & { data: any }> {
  try {
    return await callAction(steward, action, input, { token });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'approval_required') throw error;
    const user = await steward.context.sessions.authenticate(token);
    const approvalId = String(error.details?.approvalId);
    const signal = new AbortController().signal;
    return await steward.context.executor.approve({ user, surface: 'socket', approvalId, approved: true, signal });
  }
}
