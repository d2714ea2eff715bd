import { FormBrowser } from '../browser/browser.ts';
import type { Service, TestSteward } from '../steward.ts';
import { eventually } from '../time/eventually.ts';
import type { HttpResponse } from '../users/request.ts';
import { locationOf } from '../users/sign-in.ts';

export interface ConnectOptions {
  token?: string;
  /** The requested account. */
  email?: string;
  /** The account chosen on the consent page; default the requested one. */
  chosen?: string;
  redirectUri?: string;
  browser?: FormBrowser;
  /** Scopes to untick. */
  untick?: string[];
  decision?: 'allow' | 'deny';
}

/** Step 1 and 2 in one browser: ends at the provider's consent page. */
export async function openConsent(steward: Service, options: ConnectOptions = {}) {
  const browser = options.browser ?? new FormBrowser(steward.url);
  const token = options.token ?? (await steward.signIn());
  const form = {
    email: options.email ?? 'demo@example.com',
    ...(options.redirectUri !== undefined && { redirect_uri: options.redirectUri }),
  };
  const request = await browser.visit('/workspace_access_request', { form, token });
  const login = await browser.visit(request.body.login_url);
  return { browser, token, request, login, consentUrl: login.headers.get('location') ?? '' };
}

/** Submits the consent page and returns the address to which the provider redirects. */
export async function consent(browser: FormBrowser, consentUrl: string, options: ConnectOptions = {}): Promise<string> {
  const page = await browser.visit(consentUrl);
  const response = await browser.submit(page, consentUrl, (fields) => {
    const chosen = options.chosen ?? options.email;
    if (chosen !== undefined) {
      fields.delete('account');
      fields.set('other_account', chosen);
    }
    const granted = fields.getAll('scope').filter((scope) => !(options.untick ?? []).some((unticked) => scope.endsWith(unticked)));
    fields.delete('scope');
    for (const scope of granted) fields.append('scope', scope);
    fields.set('decision', options.decision ?? 'allow');
  });
  return locationOf(response);
}

/** Connects through every redirect; the last response is the callback's. */
export async function connect(steward: Service, options: ConnectOptions = {}) {
  const opened = await openConsent(steward, options);
  const callbackUrl = await consent(opened.browser, opened.consentUrl, options);
  const callback = await opened.browser.visit(callbackUrl);
  return { ...opened, callbackUrl, callback };
}

/** The query parameters of the redirect that ends a flow. */
export function outcome(response: HttpResponse): Record<string, string> {
  const location = locationOf(response);
  return location === '' ? {} : Object.fromEntries(new URL(location).searchParams);
}

/** Links a bank on the sandbox's page and returns the response to the public token. */
export async function linkBank(steward: Service, token: string, institution = 'ins_109508'): Promise<HttpResponse> {
  const publicToken = await createPublicToken(steward, institution);
  return steward.call('/auth/bank/set_access_token', { token, form: { public_token: publicToken } });
}

/** A public token as the widget would return it. */
export async function createPublicToken(steward: Service, institution = 'ins_109508'): Promise<string> {
  const response = await steward.call('/sandbox/bank/sandbox/public_token/create', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: 'sandbox',
      secret: 'sandbox',
      institution_id: institution,
      initial_products: ['transactions', 'auth'],
    }),
  });
  return response.body.public_token;
}

let names = 0;

/** A name that no test of the file has used, for users and for the local part of addresses. */
export function newName(): string {
  names += 1;
  return `person${names}`;
}

/** Connects in a browser without the binding cookie: the last response is the confirmation page. */
export async function connectUnbound(steward: Service, options: ConnectOptions = {}) {
  const token = options.token ?? (await steward.signIn());
  const form = {
    email: options.email ?? 'demo@example.com',
    ...(options.redirectUri !== undefined && { redirect_uri: options.redirectUri }),
  };
  const request = await steward.call('/workspace_access_request', { form, token });
  const browser = options.browser ?? new FormBrowser(steward.url);
  const login = await browser.visit(request.body.login_url);
  const callbackUrl = await consent(browser, login.headers.get('location') ?? '', options);
  const page = await browser.visit(callbackUrl);
  return { token, browser, callbackUrl, page };
}

/** Presses a button of the confirmation page. */
export function answerConfirmation(browser: FormBrowser, page: HttpResponse, decision: 'confirm' | 'cancel'): Promise<HttpResponse> {
  return browser.submit(page, '/auth/workspace/confirm', (fields) => fields.set('decision', decision));
}

/** The user's accounts as the interface lists them. */
export async function workspaceAccounts(steward: Service, token: string): Promise<Record<string, any>[]> {
  return (await steward.call('/auth/workspace/accounts', { token })).body.accounts;
}

/** How many code exchanges reached the sandbox. */
export async function exchanges(steward: Service): Promise<number> {
  return (await steward.control('state')).calls.workspace.exchanges ?? 0;
}

/** Valid tokens of an account at the sandbox. */
export async function liveTokens(steward: Service, email: string): Promise<{ access: number; refresh: number }> {
  const { accounts } = await steward.control('state');
  const account = accounts.find((candidate: { email: string }) => candidate.email === email);
  return { access: account?.access_tokens ?? 0, refresh: account?.refresh_tokens ?? 0 };
}

/** The queue's installation begins after `ready` and occupies the embedded database's one connection. */
export async function queueInstalled(steward: TestSteward): Promise<void> {
  await eventually(() => steward.logs.some((line) => line.includes('background work has started')));
}

/** Takes the next hour's minutes of a job that runs every minute, so that it runs only when a test starts it. */
export async function unschedule(sql: TestSteward['sql'], job: string): Promise<void> {
  const minutes = `
    insert into pgboss.job (name, policy, state, singleton_on)
    select $1, 'exclusive', 'completed', date_trunc('minute', now() at time zone 'utc') + n * interval '1 minute'
    from generate_series(0, 60) n on conflict do nothing`;
  await eventually(() => sql(minutes, [job]));
}

const minuteJob = (job: string) =>
  `insert into pgboss.job (name, policy, retry_limit) values ('${job}', 'exclusive', 0) on conflict do nothing returning id`;

/** SQL, while no process runs: the background sweep runs when the next process starts, instead of within the minute. */
export const SWEEP_AT_START = minuteJob('sweep');

/**
 * Makes a job that runs every minute run now, too: from its beginning, after a run that is in progress, which may have
 * passed what the test has just changed.
 */
export async function runNow({ sql }: Pick<TestSteward, 'sql'>, job: string): Promise<void> {
  await eventually(async () => (await sql(minuteJob(job))).length === 1);
}

/** Makes the background sweep run now instead of within the minute. */
export const sweepNow = (steward: Pick<TestSteward, 'sql'>): Promise<void> => runNow(steward, 'sweep');

/** One background sweep, to its end. */
export async function sweepToEnd(steward: Pick<TestSteward, 'sql'>): Promise<void> {
  await sweepNow(steward);
  await eventually(async () => (await steward.sql(`select 1 from pgboss.job where name = 'sweep' and state < 'completed'`)).length === 0);
}
