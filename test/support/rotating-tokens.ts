import { randomBytes } from 'node:crypto';

type TokenAnswer = [status: number, body: unknown, headers?: Record<string, string>];

/** The refresh half of an emulated provider: tracks the valid refresh tokens, and waits where a test scripts it. */
export class RotatingTokens {
  readonly #live = new Set<string>();
  /** `strict`: every refresh gives a new refresh token and ends the old one. */
  rotation: 'off' | 'strict' = 'strict';
  /** Fields of the response to replace; undefined removes one. */
  fields: Record<string, unknown> = {};
  /** Responses in place of the usual ones, each once, before the request is checked. */
  readonly instead: TokenAnswer[] = [];
  /** Awaited before the request is looked at: nothing has happened yet. */
  before: () => Promise<void> | void = () => {};
  /** Awaited before the response is sent: the provider has rotated already. */
  after: () => Promise<void> | void = () => {};
  /** Refresh tokens that requests brought, in turn. */
  readonly asked: string[] = [];
  /** Access tokens given out for them, in turn. */
  readonly given: string[] = [];

  /** A refresh token from now on. */
  add(token: string): void {
    this.#live.add(token);
  }

  /** @returns false when it was none */
  revoke(token: string): boolean {
    return this.#live.delete(token);
  }

  get live(): string[] {
    return [...this.#live];
  }

  async answer(form: URLSearchParams): Promise<TokenAnswer> {
    const token = form.get('refresh_token') ?? '';
    this.asked.push(token);
    await this.before();
    const answer = this.instead.shift() ?? this.#refresh(token);
    await this.after();
    return answer;
  }

  #refresh(token: string): TokenAnswer {
    if (!this.#live.has(token)) return [400, { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' }];
    const accessToken = `access-${randomBytes(24).toString('base64url')}`;
    this.given.push(accessToken);
    const body: Record<string, unknown> = { access_token: accessToken, token_type: 'Bearer', expires_in: 3599 };
    if (this.rotation === 'strict') {
      const next = `refresh-${randomBytes(24).toString('base64url')}`;
      this.#live.delete(token);
      this.#live.add(next);
      body.refresh_token = next;
    }
    return [200, { ...body, ...this.fields }];
  }
}
