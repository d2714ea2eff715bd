import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { type Answered, type Asked, FaultEmulator } from './fault-emulator.ts';
import type { Steps } from './steps.ts';

interface Item {
  id: string;
  accessToken: string;
  institution: string;
  removed: boolean;
  publicToken: string;
  /** The response with its access token never arrived. */
  lostExchange: boolean;
}

/** A bank-data aggregator that knows which items are valid. Each public token works once. */
export class BankFaultEmulator {
  readonly server: FaultEmulator;
  readonly items: Item[] = [];
  readonly #publicTokens = new Map<string, string>();
  readonly #key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #keyId = randomUUID();

  constructor(steps: Steps) {
    this.server = new FaultEmulator('bank', steps, (asked) => this.#answer(asked));
    this.server.onLost = (asked) => this.#lost(asked);
  }

  get env(): Record<string, string> {
    return { PLAID_CLIENT_ID: 'faults-bank', PLAID_SECRET: 'faults-bank-secret', PLAID_BASE_URL: this.server.url };
  }

  /** What the widget returns after the user has selected a bank. */
  publicToken(institution: string): string {
    const token = `public-${randomBytes(12).toString('hex')}`;
    this.#publicTokens.set(token, institution);
    return token;
  }

  itemsOf(institution: string): Item[] {
    return this.items.filter((item) => item.institution === institution);
  }

  /** An event of an item, with the signature for its header. */
  async webhook(institution: string): Promise<{ body: string; proof: string }> {
    const body = JSON.stringify({
      webhook_type: 'ITEM',
      webhook_code: 'NEW_ACCOUNTS_AVAILABLE',
      item_id: this.itemsOf(institution).at(-1)?.id,
      error: null,
      environment: 'sandbox',
    });
    const claims = { request_body_sha256: createHash('sha256').update(body).digest('hex') };
    const header = { alg: 'ES256', kid: this.#keyId, typ: 'JWT' };
    return { body, proof: await new SignJWT(claims).setProtectedHeader(header).setIssuedAt().sign(this.#key.privateKey) };
  }

  #answer({ path, body }: Asked): Answered {
    if (path === '/webhook_verification_key/get') return { status: 200, body: { key: this.#publicKey(), request_id: 'faults' } };
    const given = JSON.parse(body === '' ? '{}' : body) as { public_token?: string; access_token?: string };
    if (path === '/item/public_token/exchange') return this.#exchange(given.public_token ?? '');
    const item = this.items.find(({ accessToken, removed }) => accessToken === given.access_token && !removed);
    if (item === undefined) return error('ITEM_ERROR', 'ITEM_NOT_FOUND');
    if (path === '/item/remove') item.removed = true;
    const { id, institution } = item;
    const shown = { item_id: id, institution_id: institution, institution_name: institution, webhook: null, error: null };
    const accounts = [{ account_id: `a-${id}`, persistent_account_id: null, name: 'Current', mask: '4242' }];
    return { status: 200, body: { item: shown, accounts, request_id: 'faults' } };
  }

  #lost({ path, body }: Asked): void {
    if (path !== '/item/public_token/exchange') return;
    const { public_token: token } = JSON.parse(body) as { public_token?: string };
    for (const item of this.items) if (item.publicToken === token) item.lostExchange = true;
  }

  #publicKey(): object {
    const shown = { alg: 'ES256', kid: this.#keyId, use: 'sig', created_at: 1, expired_at: null };
    return { ...this.#key.publicKey.export({ format: 'jwk' }), ...shown };
  }

  #exchange(publicToken: string): Answered {
    const institution = this.#publicTokens.get(publicToken);
    this.#publicTokens.delete(publicToken);
    if (institution === undefined) return error('INVALID_INPUT', 'INVALID_PUBLIC_TOKEN');
    const item = {
      id: `item-${this.items.length}`,
      accessToken: `access-${randomBytes(12).toString('hex')}`,
      institution,
      removed: false,
      publicToken,
      lostExchange: false,
    };
    this.items.push(item);
    return { status: 200, body: { access_token: item.accessToken, item_id: item.id, request_id: 'faults' } };
  }
}

function error(type: string, code: string): Answered {
  return { status: 400, body: { error_type: type, error_code: code, error_message: code, display_message: null, request_id: 'faults' } };
}
