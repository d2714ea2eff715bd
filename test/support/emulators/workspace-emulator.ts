import { createHash, randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import { type Clock, systemClock } from '../../../src/clock/clock.ts';
import { type ScriptedCall, type ScriptedResponse, ScriptedServer } from '../servers/scripted-server.ts';
import { RotatingTokens } from './rotating-tokens.ts';

const CLIENT = { id: 'emulated-client', secret: 'emulated-client-secret' };
const ISSUER = 'https://accounts.emulated.invalid';

/** Deviations of a consent from the default. */
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
  requested: string;
}

/**
 * A workspace provider outside the service, which reaches it by the GOOGLE_* variables. It keeps every secret that it
 * issued or received, so that tests can search for them.
 */
export class WorkspaceEmulator extends ScriptedServer {
  readonly #approvals = new Map<string, Approval>();
  readonly #accessTokens = new Map<string, Approval>();
  /** Access and refresh tokens issued, in order. */
  readonly issued: string[] = [];
  /** Forms that the token endpoint received. */
  readonly exchanges: URLSearchParams[] = [];
  /** Tokens that the revocation endpoint received and accepted. */
  readonly revoked: string[] = [];
  /** What the token endpoint does with refresh tokens. */
  readonly tokens = new RotatingTokens();
  /** Dates ID tokens. */
  clock: Clock = systemClock;
  /** Awaited before a code is checked. */
  beforeExchange: () => Promise<void> | void = () => {};

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

  /** The user consents with the account `email`. Returns the address that the browser is redirected to. */
  approve(consentUrl: string, email: string, change: Change = {}): string {
    const requested = new URL(consentUrl).searchParams;
    const code = `code-${randomBytes(24).toString('base64url')}`;
    const parameter = (name: string) => requested.get(name) ?? '';
    const approval = { email, challenge: parameter('code_challenge'), nonce: parameter('nonce'), requested: parameter('scope'), ...change };
    this.#approvals.set(code, approval);
    const location = new URL(parameter('redirect_uri'));
    for (const [name, value] of Object.entries({ code, state: parameter('state'), iss: ISSUER })) location.searchParams.set(name, value);
    return location.href;
  }

  protected override received({ path, text }: ScriptedCall): void {
    if (path === '/token') this.exchanges.push(new URLSearchParams(text));
  }

  protected override async usual(call: ScriptedCall): Promise<ScriptedResponse> {
    const form = new URLSearchParams(call.text);
    if (call.path === '/token') return form.get('grant_type') === 'refresh_token' ? this.tokens.respond(form) : this.#exchange(form);
    if (call.path === '/userinfo') return this.#userinfo(call.headers.authorization?.replace('Bearer ', '') ?? '');
    if (call.path !== '/revoke') return super.usual(call);
    const token = form.get('token') ?? '';
    this.revoked.push(token);
    return this.tokens.revoke(token) || this.issued.includes(token) ? { body: {} } : { status: 400, body: { error: 'invalid_token' } };
  }

  async #exchange(form: URLSearchParams): Promise<ScriptedResponse> {
    await this.beforeExchange();
    const approval = this.#approvals.get(form.get('code') ?? '');
    this.#approvals.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isClient = form.get('client_id') === CLIENT.id && form.get('client_secret') === CLIENT.secret;
    if (approval === undefined || approval.challenge !== challenge || !isClient) return { status: 400, body: { error: 'invalid_grant' } };
    const accessToken = `access-${randomBytes(24).toString('base64url')}`;
    const refreshToken = `refresh-${randomBytes(24).toString('base64url')}`;
    const body: Record<string, unknown> = {
      access_token: accessToken,
      refresh_token: refreshToken,
      token_type: 'Bearer',
      expires_in: 3599,
      scope: approval.scope ?? approval.requested,
      id_token: await idToken(approval, this.clock.now()),
      ...approval.fields,
    };
    for (const field of approval.omit ?? []) delete body[field];
    this.issued.push(accessToken, refreshToken);
    this.tokens.add(refreshToken);
    this.#accessTokens.set(accessToken, approval);
    return { body };
  }

  #userinfo(accessToken: string): ScriptedResponse {
    const approval = this.#accessTokens.get(accessToken);
    if (approval === undefined) return { status: 401, body: { error: 'invalid_token' } };
    const { email } = approval;
    return { body: { sub: subjectOf(email), email, email_verified: true, name: 'Ada Example', picture: '', ...approval.userinfo } };
  }
}

/** The emulated provider's id of an account. */
export function subjectOf(email: string): string {
  return `sub-of-${email}`;
}

function idToken({ email, nonce, claims }: Approval, nowMs: number): Promise<string> {
  const now = Math.floor(nowMs / 1000);
  const usual = { iss: ISSUER, aud: CLIENT.id, sub: subjectOf(email), email, nonce, iat: now, exp: now + 3600 };
  // The service relies on TLS, not on this signature (OpenID Connect Core, 3.1.3.7, 6).
  return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(randomBytes(32));
}
