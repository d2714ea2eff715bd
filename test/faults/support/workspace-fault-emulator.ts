import { randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import { type Answered, type Asked, FaultEmulator } from './fault-emulator.ts';
import type { Steps } from './steps.ts';

const CLIENT = { id: 'faults-client', secret: 'faults-client-secret' };
const ISSUER = 'https://accounts.faults.invalid';
const DEFAULT_LIFE_SECONDS = 3_600;

/** One consent and all the tokens issued for it. */
export interface Family {
  email: string;
  /** In the order of their creation. */
  number: number;
  live: boolean;
  refreshToken: string;
  spent: Set<string>;
  access: Map<string, number>;
  /** The code that it was exchanged for. */
  code: string;
  /** The response with the first tokens never arrived. */
  lostExchange: boolean;
  /** The same for a response with a rotated token. */
  lostRotation: boolean;
  /** Its history, shown if a token is lost. */
  history: string[];
}

/** A workspace provider that knows which tokens are valid, and every message it received. */
export class WorkspaceFaultEmulator {
  readonly server: FaultEmulator;
  readonly families: Family[] = [];
  /** Messages sent or drafted, by subject, with their number. */
  readonly kept = new Map<string, number>();
  /** A refresh invalidates the token that it used. Its reuse is rejected, and with `strict` invalidates them all. */
  rotation: 'off' | 'lenient' | 'strict' = 'off';
  lifeSeconds = DEFAULT_LIFE_SECONDS;
  /** The reported lifetime of a token; `{ expires_in: undefined }` reports none. */
  toldLife: { expires_in?: unknown } = {};
  /** The token endpoint rejects the service's own credentials. */
  invalidClient = false;
  readonly #codes = new Map<string, { email: string; nonce: string; asked: string }>();

  constructor(steps: Steps) {
    this.server = new FaultEmulator('workspace', steps, (asked) => this.#answer(asked));
    this.server.onLost = (asked) => this.#lost(asked);
  }

  get env(): Record<string, string> {
    const { url } = this.server;
    return {
      GOOGLE_CLIENT_ID: CLIENT.id,
      GOOGLE_CLIENT_SECRET: CLIENT.secret,
      GOOGLE_AUTH_URL: `${url}/auth`,
      GOOGLE_TOKEN_URL: `${url}/token`,
      GOOGLE_USERINFO_URL: `${url}/userinfo`,
      GOOGLE_REVOKE_URL: `${url}/revoke`,
      GOOGLE_API_URL: `${url}/api`,
      GOOGLE_ISSUER: ISSUER,
    };
  }

  /** The user consents: the query of the redirect to the callback. */
  approve(consentUrl: string, email: string): URLSearchParams {
    const asked = new URL(consentUrl).searchParams;
    const code = secret('code');
    this.#codes.set(code, { email, nonce: asked.get('nonce') ?? '', asked: asked.get('scope') ?? '' });
    return new URLSearchParams({ code, state: asked.get('state') ?? '', iss: ISSUER });
  }

  familiesOf(email: string): Family[] {
    return this.families.filter((family) => family.email === email);
  }

  async #answer(asked: Asked): Promise<Answered> {
    const form = new URLSearchParams(asked.body);
    if (asked.path === '/token') {
      if (this.invalidClient) return { status: 401, body: { error: 'invalid_client' } };
      return form.get('grant_type') === 'refresh_token' ? this.#refresh(form.get('refresh_token') ?? '') : this.#exchange(form);
    }
    if (asked.path === '/revoke') return this.#revoke(form.get('token') ?? '');
    const token = asked.headers.authorization?.replace('Bearer ', '') ?? '';
    const family = this.families.find(({ live, access }) => live && (access.get(token) ?? 0) > Date.now());
    if (family === undefined) return { status: 401, body: { error: { code: 401, errors: [{ reason: 'authError' }] } } };
    if (asked.path === '/userinfo') return { status: 200, body: profileOf(family.email) };
    return this.#api(asked);
  }

  async #exchange(form: URLSearchParams): Promise<Answered> {
    const code = form.get('code') ?? '';
    const approval = this.#codes.get(code);
    this.#codes.delete(code);
    if (approval === undefined) return { status: 400, body: { error: 'invalid_grant' } };
    const family: Family = {
      email: approval.email,
      number: this.families.length,
      live: true,
      refreshToken: secret('refresh'),
      spent: new Set(),
      access: new Map(),
      code,
      lostExchange: false,
      lostRotation: false,
      history: ['exchanged'],
    };
    this.families.push(family);
    const id_token = await idToken(approval.email, approval.nonce);
    return { status: 200, body: { ...this.#grant(family), refresh_token: family.refreshToken, scope: approval.asked, id_token } };
  }

  #refresh(token: string): Answered {
    const family = this.families.find(({ refreshToken, spent }) => refreshToken === token || spent.has(token));
    if (family?.live !== true) return { status: 400, body: { error: 'invalid_grant' } };
    if (this.rotation === 'off') return { status: 200, body: this.#grant(family) };
    if (token !== family.refreshToken) {
      if (this.rotation === 'strict') end(family, 'ended, since a spent token was used again');
      return { status: 400, body: { error: 'invalid_grant' } };
    }
    family.spent.add(token);
    family.history.push('rotated');
    family.refreshToken = secret('refresh');
    return { status: 200, body: { ...this.#grant(family), refresh_token: family.refreshToken } };
  }

  #grant(family: Family): Record<string, unknown> {
    const token = secret('access');
    family.access.set(token, Date.now() + this.lifeSeconds * 1000);
    return { access_token: token, token_type: 'Bearer', expires_in: this.lifeSeconds, ...this.toldLife };
  }

  /** Like the real one: revoking any token ends every consent of the account to this client. */
  #revoke(token: string): Answered {
    const family = this.families.find(({ live, refreshToken, access }) => live && (refreshToken === token || access.has(token)));
    if (family === undefined) {
      for (const each of this.families) if (each.spent.has(token)) each.history.push('revocation by a spent token refused');
      return { status: 400, body: { error: 'invalid_token' } };
    }
    for (const each of this.familiesOf(family.email)) end(each, 'revoked');
    return { status: 200, body: {} };
  }

  #api({ method, path, body }: Asked): Answered {
    if (method === 'POST') {
      const posted = JSON.parse(body) as { raw?: string; message?: { raw?: string } };
      const mail = Buffer.from(posted.raw ?? posted.message?.raw ?? '', 'base64url').toString();
      const marker = /^Subject: (\S+)/m.exec(mail)?.[1] ?? '';
      this.kept.set(marker, (this.kept.get(marker) ?? 0) + 1);
      const message = { id: `m${this.kept.size}`, threadId: 't1' };
      return { status: 200, body: path.endsWith('/drafts') ? { id: `d${this.kept.size}`, message } : message };
    }
    return { status: 200, body: {} };
  }

  #lost({ path, body }: Asked): void {
    if (path !== '/token') return;
    const form = new URLSearchParams(body);
    for (const family of this.families) {
      if (family.code === form.get('code')) family.lostExchange = true;
      if (!family.spent.has(form.get('refresh_token') ?? '')) continue;
      family.lostRotation = true;
      family.history.push('the answer with the rotated token was lost');
    }
  }
}

function end(family: Family, why: string): void {
  if (family.live) family.history.push(why);
  family.live = false;
}

/** The provider's own id of an account. */
export function subjectOf(email: string): string {
  return `sub-of-${email}`;
}

function secret(kind: string): string {
  return `${kind}-${randomBytes(24).toString('base64url')}`;
}

function profileOf(email: string) {
  return { sub: subjectOf(email), email, email_verified: true, name: 'Ada Example', picture: '' };
}

function idToken(email: string, nonce: string): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  // An hour more than the clock's error in this suite.
  const claims = { iss: ISSUER, aud: CLIENT.id, sub: subjectOf(email), email, nonce, iat: now, exp: now + 7_200 };
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(randomBytes(32));
}
