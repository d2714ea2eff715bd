import { hash, randomBytes } from 'node:crypto';
import type { FormBrowser } from '../browser/browser.ts';
import { TcpProxy } from '../servers/tcp-proxy.ts';
import type { Service, TestSteward } from '../steward.ts';
import { eventually } from '../time/eventually.ts';
import type { HttpResponse } from '../users/request.ts';
import { locationOf } from '../users/sign-in.ts';

export const REDIRECT = 'https://app.example.com/callback';

export interface OAuthClient {
  client_id: string;
  client_secret?: string;
  [name: string]: unknown;
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
}

/** Registers a client; without a secret unless `more` says otherwise. */
export function register(service: Service, more: object = {}): Promise<HttpResponse> {
  const metadata = { client_name: 'Notes', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none', ...more };
  return service.call('/oauth/register', {
    body: JSON.stringify(metadata),
    headers: { 'content-type': 'application/json' },
  });
}

export async function newClient(service: Service, more: object = {}): Promise<OAuthClient> {
  const { status, body, text } = await register(service, more);
  if (status !== 201) throw new Error(`registration: ${status} ${text}`);
  return body;
}

/** An authorization that a client has begun in a browser. */
export class Authorization {
  readonly verifier = randomBytes(32).toString('base64url');
  readonly state = randomBytes(8).toString('hex');
  readonly client: OAuthClient;
  readonly browser: FormBrowser;
  #parameters: Record<string, string>;

  constructor(client: OAuthClient, browser: FormBrowser, parameters: Record<string, string | undefined> = {}) {
    this.client = client;
    this.browser = browser;
    const all = {
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: REDIRECT,
      state: this.state,
      code_challenge: hash('sha256', this.verifier, 'base64url'),
      code_challenge_method: 'S256',
      ...parameters,
    };
    this.#parameters = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<string, string>;
  }

  get path(): string {
    return `/oauth/authorize?${new URLSearchParams(this.#parameters)}`;
  }

  /** Opens the authorization. @returns the path of the consent page */
  async begin(): Promise<string> {
    const response = await this.browser.visit(this.path);
    if (response.status !== 303) throw new Error(`authorize: ${response.status} ${response.text}`);
    return pathOf(locationOf(response));
  }

  /** Decides on the consent page. @returns where the client is sent */
  async decide(consent: string, change: (fields: URLSearchParams) => void = () => {}, decision = 'allow'): Promise<URL> {
    const page = await this.browser.visit(consent);
    const decided = await submitConsent(this.browser, page, consent, (fields) => {
      fields.set('decision', decision);
      change(fields);
    });
    if (decided.status !== 200) throw new Error(`consent: ${decided.status} ${decided.text}`);
    const back = await this.browser.visit(pathOf(locationOf(decided)));
    return new URL(locationOf(back));
  }

  /** The whole way to a code. */
  async code(change?: (fields: URLSearchParams) => void): Promise<string> {
    const code = (await this.decide(await this.begin(), change)).searchParams.get('code');
    if (code === null) throw new Error('there is no code');
    return code;
  }

  /** Exchanges a code. */
  exchange(service: Service, code: string, more: Record<string, string> = {}): Promise<HttpResponse> {
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.#parameters.redirect_uri ?? REDIRECT,
      code_verifier: this.verifier,
      client_id: this.client.client_id,
      ...more,
    };
    return service.call('/oauth/token', { form });
  }
}

export function refresh(
  service: Service,
  client: OAuthClient,
  refreshToken: string,
  more: Record<string, string> = {},
): Promise<HttpResponse> {
  return service.call('/oauth/token', {
    form: { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: client.client_id, ...more },
  });
}

/** Sends a refresh whose connection is cut once the service has sent its response, of which the client receives nothing. */
export async function refreshCut(address: string, client: OAuthClient, refreshToken: string): Promise<void> {
  const { hostname: host, port } = new URL(address);
  const proxy = new TcpProxy({ host, port: Number(port) });
  await proxy.open();
  proxy.hold();
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: client.client_id });
  const lost = fetch(`http://127.0.0.1:${proxy.port}/oauth/token`, { method: 'POST', body }).then(
    () => true,
    () => false,
  );
  await eventually(() => proxy.holding > 0);
  await proxy.close();
  if (await lost) throw new Error('the client has received a response');
}

/** As if a refresh token had been used so many seconds earlier; its response is repeated for ten. */
export async function usedEarlier(sql: TestSteward['sql'], refreshToken: string, seconds = 10): Promise<void> {
  const moved = await sql(
    `update oauth_entries set consumed_at = consumed_at - make_interval(secs => $2)
     where id_hash = sha256($1::text::bytea) and consumed_at is not null returning 1`,
    [refreshToken, seconds],
  );
  if (moved.length === 0) throw new Error('the refresh token was not used');
}

export function revoke(service: Service, client: OAuthClient, token: string): Promise<HttpResponse> {
  return service.call('/oauth/revoke', { form: { token, client_id: client.client_id } });
}

/** Tokens of a new client of a browser that is signed in. */
export async function authorized(
  service: Service,
  browser: FormBrowser,
  change?: (fields: URLSearchParams) => void,
): Promise<{ client: OAuthClient; tokens: Tokens; authorization: Authorization }> {
  const client = await newClient(service);
  const authorization = new Authorization(client, browser);
  const response = await authorization.exchange(service, await authorization.code(change));
  if (response.status !== 200) throw new Error(`token: ${response.status} ${response.text}`);
  return { client, tokens: response.body, authorization };
}

/** Posts the form as browsers do from a page without referrer. */
export function submitConsent(
  browser: FormBrowser,
  page: HttpResponse,
  consent: string,
  change: (fields: URLSearchParams) => void = (fields) => fields.set('decision', 'allow'),
): Promise<HttpResponse> {
  return browser.submit(page, consent, change, { origin: 'null', 'sec-fetch-site': 'same-origin' });
}

export function pathOf(address: string): string {
  const url = new URL(address, 'http://relative');
  return url.pathname + url.search;
}
