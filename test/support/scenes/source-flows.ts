import { FormBrowser } from '../browser/browser.ts';
import type { SourceAuthorizationServer } from '../servers/source-authorization-server.ts';
import type { Service } from '../steward.ts';
import { eventually } from '../time/eventually.ts';
import type { HttpResponse } from '../users/request.ts';
import { SessionPage } from '../users/session-page.ts';
import { locationOf } from '../users/sign-in.ts';
import { outcome } from './flows.ts';

export interface ConnectSourceOptions {
  token?: string;
  source?: string;
  /** Fields of the request. */
  form?: Record<string, string>;
  decision?: 'allow' | 'deny';
  /** The browser of the flow; by default the one that asks for it. */
  browser?: FormBrowser;
}

/** Asks for a flow and opens it in the same browser. */
export async function openSource(steward: Service, options: ConnectSourceOptions = {}) {
  const asking = new FormBrowser(steward.url);
  const browser = options.browser ?? asking;
  const token = options.token ?? (await steward.signIn());
  const request = await asking.visit(`/auth/sources/${options.source ?? 'tickets'}/connect`, { form: { ...options.form }, token });
  const login = request.status === 200 ? await browser.visit(request.body.login_url) : request;
  return { browser, token, request, login };
}

/** Answers the tracker's question. @returns the address to which it leads */
export async function consentAtTickets(browser: FormBrowser, url: string, decision: 'allow' | 'deny' = 'allow'): Promise<string> {
  const page = await browser.visit(url);
  return locationOf(await browser.submit(page, url, (fields) => fields.set('decision', decision)));
}

/** Connects to the tracker through every redirect; the last response is the callback's. */
export async function connectSource(steward: Service, options: ConnectSourceOptions = {}) {
  const opened = await openSource(steward, options);
  const callbackUrl = await consentAtTickets(opened.browser, locationOf(opened.login), options.decision);
  const callback = await opened.browser.visit(callbackUrl);
  return { ...opened, callbackUrl, callback };
}

/** Connects to the tracker, whose tools have been read when it ends. */
export async function connectTickets(steward: Service, token: string): Promise<void> {
  const { callback } = await connectSource(steward, { token, form: { redirect_uri: 'http://localhost:5173/done' } });
  const { status, ...rest } = outcome(callback);
  if (status !== 'connected') throw new Error(`not connected: ${JSON.stringify(rest)}`);
  await eventually(async () => (await sourceAccounts(steward, token))[0]?.listed_at !== null);
}

/** The user's consent at a server that a test scripts: the browser, and the address to which it leads. */
export async function consentAt(server: SourceAuthorizationServer, steward: Service, token: string) {
  const { browser, request, login } = await openSource(steward, { token });
  if (request.status !== 200) throw new Error(request.text);
  const { code, iss = '', state } = server.authorize(locationOf(login));
  return { browser, callbackUrl: `${steward.url}/auth/sources/callback?${new URLSearchParams({ code, iss, state })}` };
}

/** The user's connections as the interface lists them. */
export async function sourceAccounts(steward: Service, token: string): Promise<Record<string, any>[]> {
  return (await steward.call('/auth/sources/accounts', { token })).body.accounts;
}

/** Their tools by name. */
export async function sourceTools(steward: Service, token: string, id: string): Promise<Record<string, any>> {
  const { body } = await steward.call(`/auth/sources/accounts/${id}/tools`, { token });
  return Object.fromEntries(body.tools.map((tool: { tool: string }) => [tool.tool, tool]));
}

/** The page on which a user finishes a flow without a sign-in at the source. */
export async function openEntry(steward: Service, options: ConnectSourceOptions = {}) {
  const opened = await openSource(steward, options);
  const session = await SessionPage.open(steward, opened.token);
  const path = new URL(locationOf(opened.login)).pathname;
  const headers = { cookie: session.cookie, accept: 'text/html' };
  const page = await steward.call(path, { headers });
  /** Posts one of its forms. */
  const post = (form: Record<string, string>, accept = 'text/html'): Promise<HttpResponse> =>
    steward.call(path, {
      form: { csrf: session.csrf, ...form },
      headers: { ...headers, accept, origin: steward.url, 'sec-fetch-site': 'same-origin' },
    });
  return { ...opened, path, page, post, session };
}
