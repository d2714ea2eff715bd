import { hash } from 'node:crypto';
import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import { notAClient } from '../executor/call/client-grant.ts';
import type { ClientGrantRow } from '../executor/call/client-grants-repository.ts';
import type { ClientGrants } from '../executor/client-grants.ts';
import { nameOfApp } from '../executor/taint/own-name.ts';
import type { AccessToken, VerifyAccessToken } from '../identity/identity.ts';
import type { Principal } from '../principal.ts';

/** After these days, the next sign-in renews a grant. */
const DAYS = 365;

export interface ExternalClientsDeps {
  clock: Clock;
  grants: Pick<ClientGrants, 'create' | 'ofHash' | 'renew'>;
  verify: VerifyAccessToken;
  /** The user whom the issuer knows by this subject, if there is one. @throws AppError `forbidden`, `invalid_token` */
  user(issuer: string, subject: string, issuedAt: number): Promise<{ userId: string; label: string } | undefined>;
}

/**
 * Clients that sign in at the operator's own authorization server. What they may do is in their tokens' scopes; for all
 * else, each has one grant like any other, which its first token makes and which its user can end: what it has read with
 * one token counts for each.
 */
export class ExternalClients {
  readonly #deps: ExternalClientsDeps;

  constructor(deps: ExternalClientsDeps) {
    this.#deps = deps;
  }

  /** @throws AppError `invalid_token`, `forbidden`, `unavailable` */
  async authenticate(token: string): Promise<Principal> {
    const given = await this.#deps.verify(token).catch(toError);
    const user = await this.#deps.user(given.issuer, given.subject, given.issuedAt);
    const access = accessOf(given.scopes);
    if (user === undefined || access === undefined) throw notAClient();
    const grant = await this.#grantOf(user.userId, given);
    if (!this.#isInForce(grant)) throw notAClient();
    const narrowed = access === 'read' ? { access } : {};
    return { userId: user.userId, clientId: grant.id, label: grant.name, expiresAt: given.expiresAt, ...narrowed };
  }

  async #grantOf(userId: string, { issuer, clientId, authTime }: AccessToken): Promise<ClientGrantRow> {
    const { grants } = this.#deps;
    const tokenHash = hash('sha256', JSON.stringify([issuer, clientId, userId]), 'buffer');
    const known = await grants.ofHash(tokenHash);
    if (known === undefined) return this.#create({ userId, clientId, tokenHash });
    if (this.#isInForce(known)) return known;
    // A sign-in after the end begins it again; a token that was only refreshed since then doesn't.
    return (await grants.renew(known, new Date((authTime ?? 0) * 1_000), DAYS)) ?? known;
  }

  async #create({ clientId, ...of }: { userId: string; clientId: string; tokenHash: Buffer }): Promise<ClientGrantRow> {
    const about = { name: nameOfApp(clientId.slice(0, 100)), oauthClientId: clientId, lastFour: null, redirectHost: null };
    const grant = {
      ...of,
      ...about,
      kind: 'external',
      actions: ['*'],
      access: 'write',
      accountIds: null,
      exceptAccountIds: [],
      days: DAYS,
    } as const;
    try {
      return await this.#deps.grants.create(grant);
    } catch (error) {
      // Another request of the client, at the same moment.
      const known = await this.#deps.grants.ofHash(of.tokenHash);
      if (known === undefined) throw error;
      return known;
    }
  }

  #isInForce({ revokedAt, expiresAt }: ClientGrantRow): boolean {
    return revokedAt === null && expiresAt.getTime() > this.#deps.clock.now();
  }
}

function accessOf(scopes: readonly string[]): 'read' | 'write' | undefined {
  if (scopes.includes('write')) return 'write';
  return scopes.includes('read') ? 'read' : undefined;
}

/** What is wrong with a token isn't told. */
function toError(error: unknown): never {
  if (error instanceof AppError && error.code === 'unavailable') throw error;
  throw notAClient();
}
