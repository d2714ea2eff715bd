import { createHash, randomBytes } from 'node:crypto';
import { FormBrowser } from '../browser/browser.ts';
import type { Browse } from '../users/official-clients.ts';
import { locationOf } from '../users/sign-in.ts';

/** What a user does on the page of the sandbox's tracker. */
export interface TicketsChoice {
  user?: 'dana' | 'milo';
  /** Whether the app may change tickets; by default it may. */
  write?: boolean;
  decision?: 'allow' | 'deny';
}

/** Signs in to the tracker, and decides. @returns where the app is called back */
export function atTickets({ user = 'dana', write = true, decision = 'allow' }: TicketsChoice = {}): Browse {
  return async (page) => {
    const browser = new FormBrowser(page.origin);
    const shown = await browser.visit(page.href);
    const decided = await browser.submit(shown, page.href, (fields) => {
      fields.set('user', user);
      fields.set('decision', decision);
      if (!write) fields.delete('write');
    });
    return new URL(locationOf(decided));
  };
}

export const REDIRECT = 'http://127.0.0.1:9/callback';

/** An app that speaks OAuth with the tracker itself, so that tests can say anything. */
export class TicketsApp {
  readonly verifier = randomBytes(32).toString('base64url');
  readonly resource: string;
  readonly #root: string;

  /** @param url {base_url} of the sandbox */
  constructor(url: string) {
    this.#root = `${url}/sandbox/tickets`;
    this.resource = `${this.#root}/mcp`;
  }

  register(metadata: object = {}): Promise<{ status: number; body: any }> {
    const body = { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none', client_name: 'A test', ...metadata };
    return this.#send('/register', JSON.stringify(body), { 'content-type': 'application/json' });
  }

  /** The address of an authorization request. @param change parameters instead; undefined: left out */
  page(clientId: string, change: Record<string, string | undefined> = {}): URL {
    const parameters: Record<string, string | undefined> = {
      client_id: clientId,
      redirect_uri: REDIRECT,
      response_type: 'code',
      state: 'the-state',
      scope: 'openid email tickets:read tickets:write',
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource: this.resource,
      ...change,
    };
    const url = new URL(`${this.#root}/authorize`);
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
    return url;
  }

  /** A code that a user allowed. */
  async code(clientId: string, choice: TicketsChoice = {}): Promise<string> {
    const back = await atTickets(choice)(this.page(clientId));
    return back.searchParams.get('code') ?? '';
  }

  /** @param change fields instead; undefined: left out */
  exchange(clientId: string, code: string, change: Record<string, string | undefined> = {}, headers: Record<string, string> = {}) {
    return this.token(
      { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: REDIRECT, code_verifier: this.verifier, ...change },
      headers,
    );
  }

  refresh(clientId: string, refreshToken: string, change: Record<string, string | undefined> = {}) {
    return this.token({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken, ...change });
  }

  token(fields: Record<string, string | undefined>, headers: Record<string, string> = {}): Promise<{ status: number; body: any }> {
    return this.#send('/token', form({ resource: this.resource, ...fields }), headers);
  }

  revoke(clientId: string, token: string): Promise<{ status: number; body: any }> {
    return this.#send('/revoke', form({ client_id: clientId, token }));
  }

  /** The tokens of a new client. */
  async signIn(choice: TicketsChoice = {}): Promise<{ clientId: string; access: string; refresh: string; body: any }> {
    const clientId = (await this.register()).body.client_id;
    const { body } = await this.exchange(clientId, await this.code(clientId, choice));
    return { clientId, access: body.access_token, refresh: body.refresh_token, body };
  }

  /** Sends a message to the server. */
  mcp(token: string | undefined, message: unknown, headers: Record<string, string | undefined> = {}): Promise<Response> {
    const sent = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      authorization: token === undefined ? undefined : `Bearer ${token}`,
      ...headers,
    };
    const given = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return fetch(this.resource, { method: 'POST', headers: given, body: JSON.stringify(message) });
  }

  async #send(path: string, body: string | URLSearchParams, headers: Record<string, string> = {}): Promise<{ status: number; body: any }> {
    const response = await fetch(this.#root + path, { method: 'POST', body, headers });
    return { status: response.status, body: await response.json() };
  }
}

function form(fields: Record<string, string | undefined>): URLSearchParams {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(given);
}
