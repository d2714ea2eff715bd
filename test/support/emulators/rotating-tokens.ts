import { randomBytes } from 'node:crypto';
import type { ScriptedResponse } from '../servers/scripted-server.ts';

type TokenResponse = [status: number, body: unknown, headers?: Record<string, string>];

/** The refresh half of an emulated provider: tracks the valid refresh tokens, and waits where a test scripts it. */
export class RotatingTokens {
  readonly #live = new Set<string>();
  /** `strict`: every refresh issues a new refresh token and invalidates the old one. */
  rotation: 'off' | 'strict' = 'strict';
  /** Fields of the response to replace; undefined removes one. */
  fields: Record<string, unknown> = {};
  /** Responses in place of the usual ones, each once, before the request is checked. */
  readonly instead: TokenResponse[] = [];
  /** Awaited before the request is processed. */
  before: () => Promise<void> | void = () => {};
  /** Awaited before the response is sent, after the rotation. */
  after: () => Promise<void> | void = () => {};
  /** Refresh tokens of the requests, in order. */
  readonly asked: string[] = [];
  /** Access tokens issued for them, in order. */
  readonly given: string[] = [];

  /** Makes a refresh token valid. */
  add(token: string): void {
    this.#live.add(token);
  }

  /** @returns whether it was valid */
  revoke(token: string): boolean {
    return this.#live.delete(token);
  }

  get live(): string[] {
    return [...this.#live];
  }

  async respond(form: URLSearchParams): Promise<ScriptedResponse> {
    const token = form.get('refresh_token') ?? '';
    this.asked.push(token);
    await this.before();
    const [status, body, headers] = this.instead.shift() ?? this.#refresh(token);
    await this.after();
    return { status, body, ...(headers && { headers }) };
  }

  #refresh(token: string): TokenResponse {
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
