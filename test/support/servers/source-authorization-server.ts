import { createHash, randomUUID } from 'node:crypto';
import { type ScriptedCall, type ScriptedResponse, ScriptedServer } from './scripted-server.ts';

export interface AuthorizationServerOptions {
  /** Path of its issuer, or none. */
  path: '' | '/tenant';
  announcesIss: boolean;
}

interface Grant {
  challenge: string;
  clientId: string;
  redirectUri: string;
  resource: string;
  scope: string;
}

/** An MCP server with its authorization server, on one host: RFC 9728, RFC 8414, RFC 7591, RFC 8707, RFC 7636, RFC 7009. */
export class SourceAuthorizationServer extends ScriptedServer {
  options: AuthorizationServerOptions = { path: '', announcesIss: true };
  /** Members of the two documents that a test replaces; undefined removes one. */
  resource: Record<string, unknown> = {};
  metadata: Record<string, unknown> = {};
  registration: Record<string, unknown> = {};
  /** Members of an answer of the token endpoint. */
  answer: Record<string, unknown> = {};
  /** Secrets of clients, by id; undefined: it has none. */
  readonly clients = new Map<string, string | undefined>();
  /** Everything that only this server and its client may know. */
  readonly secrets = new Set<string>();
  readonly #codes = new Map<string, Grant>();
  readonly #refreshTokens = new Map<string, string>();
  readonly revoked: string[] = [];

  get address(): string {
    return `${this.url}/mcp`;
  }

  get issuer(): string {
    return `${this.url}${this.options.path}`;
  }

  restart(options: AuthorizationServerOptions): void {
    this.reset();
    Object.assign(this, { options, resource: {}, metadata: {}, registration: {}, answer: {} });
    this.clients.clear();
    this.revoked.length = 0;
  }

  /** What a user's browser is answered at the authorization endpoint. */
  authorize(url: string): { code: string; iss: string | undefined; state: string } {
    const query = new URL(url).searchParams;
    const read = (name: string) => query.get(name) ?? '';
    if (!url.startsWith(`${this.url}/authorize`) || read('code_challenge_method') !== 'S256') throw new Error('not as it should be');
    if (!this.clients.has(read('client_id')) && !read('client_id').startsWith('https://')) throw new Error('an unknown client');
    const code = this.#secret('code');
    this.#codes.set(code, {
      challenge: read('code_challenge'),
      clientId: read('client_id'),
      redirectUri: read('redirect_uri'),
      resource: read('resource'),
      scope: read('scope'),
    });
    return { code, iss: this.options.announcesIss ? this.issuer : undefined, state: read('state') };
  }

  protected override usual(call: ScriptedCall): ScriptedResponse {
    const { path, issuer } = { path: this.options.path, issuer: this.issuer };
    switch (call.path) {
      case '/mcp': {
        const challenge = `Bearer resource_metadata="${this.url}/.well-known/oauth-protected-resource/mcp", scope="read write"`;
        return { status: 401, headers: { 'www-authenticate': challenge } };
      }
      case '/.well-known/oauth-protected-resource/mcp':
        return { body: { resource: this.address, authorization_servers: [issuer], scopes_supported: ['read', 'all'], ...this.resource } };
      case `/.well-known/oauth-authorization-server${path}`:
        return { body: { ...this.#metadata(), ...this.metadata } };
      case '/register':
        return this.#register(call);
      case '/token':
        return this.#token(call);
      case '/revoke':
        this.revoked.push(new URLSearchParams(call.text).get('token') ?? '');
        return { body: '' };
      default:
        return { status: 404, body: {} };
    }
  }

  #metadata(): Record<string, unknown> {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      registration_endpoint: `${this.url}/register`,
      revocation_endpoint: `${this.url}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      ...(this.options.announcesIss && { authorization_response_iss_parameter_supported: true }),
    };
  }

  #register({ body }: ScriptedCall): ScriptedResponse {
    const clientId = `client-${randomUUID()}`;
    const secret = body.token_endpoint_auth_method === 'none' ? undefined : this.#secret('client-secret');
    this.clients.set(clientId, secret);
    return { status: 201, body: { ...body, client_id: clientId, client_secret: secret, ...this.registration } };
  }

  #token({ text, headers }: ScriptedCall): ScriptedResponse {
    const form = new URLSearchParams(text);
    const [basicId, basicSecret] = basicOf(headers.authorization);
    const clientId = basicId ?? form.get('client_id') ?? '';
    const isKnown = this.clients.has(clientId) || clientId.startsWith('https://');
    if (!isKnown || this.clients.get(clientId) !== (basicSecret ?? form.get('client_secret') ?? undefined)) {
      return { status: 401, body: { error: 'invalid_client' } };
    }
    if (form.get('resource') !== this.address) return { status: 400, body: { error: 'invalid_target' } };
    if (form.get('grant_type') === 'refresh_token') {
      const sent = form.get('refresh_token') ?? '';
      if (this.#refreshTokens.get(sent) !== clientId) return { status: 400, body: { error: 'invalid_grant' } };
      this.#refreshTokens.delete(sent);
      return this.#issue(clientId);
    }
    const grant = this.#codes.get(form.get('code') ?? '');
    this.#codes.delete(form.get('code') ?? '');
    const verifier = form.get('code_verifier') ?? '';
    const isHolder = grant?.challenge === createHash('sha256').update(verifier).digest('base64url') && grant.clientId === clientId;
    if (!isHolder || grant.redirectUri !== form.get('redirect_uri') || grant.resource !== this.address) {
      return { status: 400, body: { error: 'invalid_grant' } };
    }
    return this.#issue(clientId);
  }

  #issue(clientId: string): ScriptedResponse {
    const refreshToken = this.#secret('refresh');
    this.#refreshTokens.set(refreshToken, clientId);
    const answer = { access_token: this.#secret('access'), token_type: 'Bearer', expires_in: 600, refresh_token: refreshToken };
    return { body: { ...answer, ...this.answer } };
  }

  #secret(kind: string): string {
    const value = `${kind}-${randomUUID()}`;
    this.secrets.add(value);
    return value;
  }
}

function basicOf(authorization: string | undefined): [string | undefined, string | undefined] {
  if (authorization?.startsWith('Basic ') !== true) return [undefined, undefined];
  const [id = '', secret = ''] = Buffer.from(authorization.slice(6), 'base64').toString().split(':');
  const decoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
  return [decoded(id), decoded(secret)];
}
