import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { SignJWT } from 'jose';
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts';
import { RotatingTokens } from './rotating-tokens.ts';

const CLIENT = { id: 'emulated-client', secret: 'emulated-client-secret' };
const ISSUER = 'https://accounts.emulated.invalid';

/** What an approval brings, where it differs from the usual. */
export interface Change {
  /** Scopes of the token response; default the requested ones. */
  scope?: string;
  /** Claims of the id_token to replace. */
  claims?: Record<string, unknown>;
  /** Fields to replace in userinfo. */
  userinfo?: Record<string, unknown>;
  /** Fields to replace in the token response. */
  fields?: Record<string, unknown>;
  /** Fields to leave out of the token response. */
  omit?: string[];
}

interface Approval extends Change {
  email: string;
  challenge: string;
  nonce: string;
  asked: string;
}

/**
 * A workspace provider that returns what a test scripts and has every secret
 * it gave or was shown, to search for them. Stands outside the service, which
 * reaches it by the GOOGLE_* variables.
 */
export class WorkspaceEmulator {
  #server: LoopbackServer | undefined;
  readonly #approvals = new Map<string, Approval>();
  readonly #accessTokens = new Map<string, Approval>();
  url = '';
  /** Access and refresh tokens given out, in turn. */
  readonly issued: string[] = [];
  /** Forms the token endpoint got. */
  readonly exchanges: URLSearchParams[] = [];
  /** Tokens that the revocation endpoint received and accepted. */
  readonly revoked: string[] = [];
  /** What the token endpoint does with refresh tokens. */
  readonly tokens = new RotatingTokens();
  /** Awaited before a code is looked at. */
  beforeExchange: () => Promise<void> | void = () => {};
  /** Responses in place of the usual ones, by path. */
  readonly instead = new Map<string, RequestListener>();

  static async start(): Promise<WorkspaceEmulator> {
    const emulator = new WorkspaceEmulator();
    emulator.#server = await startLoopbackServer((request, response) => void emulator.#answer(request, response));
    emulator.url = emulator.#server.url;
    return emulator;
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  /** The variables that make a service use it, beside the sandbox's identity. */
  get env(): Record<string, string> {
    return {
      GOOGLE_CLIENT_ID: CLIENT.id,
      GOOGLE_CLIENT_SECRET: CLIENT.secret,
      GOOGLE_AUTH_URL: `${this.url}/auth`,
      GOOGLE_TOKEN_URL: `${this.url}/token`,
      GOOGLE_USERINFO_URL: `${this.url}/userinfo`,
      GOOGLE_REVOKE_URL: `${this.url}/revoke`,
      GOOGLE_ISSUER: ISSUER,
      ALLOW_MIXED: '1',
    };
  }

  /** The person agrees, as the account `email`: the address the browser is sent back to. */
  approve(consentUrl: string, email: string, change: Change = {}): string {
    const asked = new URL(consentUrl).searchParams;
    const code = `code-${randomBytes(24).toString('base64url')}`;
    const parameter = (name: string) => asked.get(name) ?? '';
    const approval = { email, challenge: parameter('code_challenge'), nonce: parameter('nonce'), asked: parameter('scope'), ...change };
    this.#approvals.set(code, approval);
    const location = new URL(parameter('redirect_uri'));
    for (const [name, value] of Object.entries({ code, state: parameter('state'), iss: ISSUER })) location.searchParams.set(name, value);
    return location.href;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = new URLSearchParams(await text(request));
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    if (path === '/token') this.exchanges.push(body);
    const instead = this.instead.get(path);
    if (instead !== undefined) return void instead(request, response);
    const [status, answer, headers] = await this.#usual(path, request, body);
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  }

  async #usual(path: string, request: IncomingMessage, body: URLSearchParams): Promise<[number, unknown, Record<string, string>?]> {
    if (path === '/token') return body.get('grant_type') === 'refresh_token' ? this.tokens.answer(body) : this.#exchange(body);
    if (path === '/userinfo') return this.#userinfo(request.headers.authorization?.replace('Bearer ', '') ?? '');
    if (path !== '/revoke') return [404, {}];
    const token = body.get('token') ?? '';
    this.revoked.push(token);
    return this.tokens.revoke(token) || this.issued.includes(token) ? [200, {}] : [400, { error: 'invalid_token' }];
  }

  async #exchange(form: URLSearchParams): Promise<[number, object]> {
    await this.beforeExchange();
    const approval = this.#approvals.get(form.get('code') ?? '');
    this.#approvals.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isClient = form.get('client_id') === CLIENT.id && form.get('client_secret') === CLIENT.secret;
    if (approval === undefined || approval.challenge !== challenge || !isClient) return [400, { error: 'invalid_grant' }];
    const accessToken = `access-${randomBytes(24).toString('base64url')}`;
    const refreshToken = `refresh-${randomBytes(24).toString('base64url')}`;
    const answer: Record<string, unknown> = {
      access_token: accessToken,
      refresh_token: refreshToken,
      token_type: 'Bearer',
      expires_in: 3599,
      scope: approval.scope ?? approval.asked,
      id_token: await idToken(approval),
      ...approval.fields,
    };
    for (const field of approval.omit ?? []) delete answer[field];
    this.issued.push(accessToken, refreshToken);
    this.tokens.add(refreshToken);
    this.#accessTokens.set(accessToken, approval);
    return [200, answer];
  }

  #userinfo(accessToken: string): [number, object] {
    const approval = this.#accessTokens.get(accessToken);
    if (approval === undefined) return [401, { error: 'invalid_token' }];
    const { email } = approval;
    return [200, { sub: subjectOf(email), email, email_verified: true, name: 'Ada Example', picture: '', ...approval.userinfo }];
  }
}

/** The emulated provider's id of an account. */
export function subjectOf(email: string): string {
  return `sub-of-${email}`;
}

function idToken({ email, nonce, claims }: Approval): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const usual = { iss: ISSUER, aud: CLIENT.id, sub: subjectOf(email), email, nonce, iat: now, exp: now + 3600 };
  // The service relies on TLS, not on this signature (OpenID Connect Core, 3.1.3.7, 6).
  return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(randomBytes(32));
}
