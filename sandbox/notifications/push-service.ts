import { createECDH, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { jwtVerify } from 'jose';
import type { Controls } from '../controls.ts';
import type { Store } from '../store.ts';
import { keep } from './kept.ts';
import { decryptPush, type PushKeys } from './push-decryption.ts';

interface StoredSubscription extends PushKeys {
  id: string;
  /** The only key that may send to it (RFC 8292, 4), in base64url. */
  applicationServerKey?: string | undefined;
}

/** Subscriptions last as long as the channels of the service that send to them. */
export interface PushState {
  subscriptions: StoredSubscription[];
}

/** A message that the service has sent. */
export interface PushedMessage {
  subscription: string;
  /** RFC 3339. */
  at: string;
  ttl: number;
  topic?: string | undefined;
  urgency?: string | undefined;
  /** Decrypted; JSON as an object. */
  payload: unknown;
}

/** RFC 8292, 2. */
const LONGEST_TOKEN_SECONDS = 24 * 3_600;
/** RFC 8030, 7.2. */
const MOST_BYTES = 4_096;
const CURVE = 'prime256v1';

/** A push service (RFC 8030) and the browsers that it delivers to. */
export class PushService {
  /** The newest last. */
  readonly messages: PushedMessage[] = [];
  readonly #store: Store<PushState>;
  readonly #controls: Controls;
  readonly #root: string;

  /** @param root the address that endpoints are below */
  constructor(store: Store<PushState>, controls: Controls, root: string) {
    this.#store = store;
    this.#controls = controls;
    this.#root = root;
  }

  /** A new subscription, as `PushSubscription.toJSON()` gives it. */
  subscribe(applicationServerKey: string | undefined): object {
    const pair = createECDH(CURVE);
    const publicKey = pair.generateKeys('base64url');
    const auth = randomBytes(16).toString('base64url');
    const id = randomBytes(12).toString('base64url');
    this.#store.state.subscriptions.push({ id, publicKey, privateKey: pair.getPrivateKey('base64url'), auth, applicationServerKey });
    this.#store.save();
    return { endpoint: `${this.#root}/${id}`, expirationTime: null, keys: { p256dh: publicKey, auth } };
  }

  /** The browser gives it up. */
  unsubscribe(id: string): void {
    this.#store.state.subscriptions = this.#store.state.subscriptions.filter((one) => one.id !== id);
    this.#store.save();
  }

  /** @returns the status of the response: 201, or why the message is not delivered */
  async receive(id: string, headers: IncomingHttpHeaders, body: Buffer): Promise<number> {
    const subscription = this.#store.state.subscriptions.find((one) => one.id === id);
    if (subscription === undefined) return 410;
    if (body.length > MOST_BYTES) return 413;
    const ttl = /^\d{1,9}$/.exec(String(headers.ttl))?.[0];
    if (ttl === undefined || headers['content-encoding'] !== 'aes128gcm') return 400;
    const refused = await this.#refusal(subscription, headers.authorization);
    if (refused !== undefined) return refused;
    try {
      const text = decryptPush(body, subscription);
      const at = new Date(this.#controls.now()).toISOString();
      const { topic, urgency } = headers as Record<string, string | undefined>;
      keep(this.messages, { subscription: id, at, ttl: Number(ttl), topic, urgency, payload: parsed(text) });
      return 201;
    } catch {
      return 400;
    }
  }

  /** The status of a message whose sender is unknown, or not the one that the browser subscribed to (RFC 8292, 4.2). */
  async #refusal({ applicationServerKey }: StoredSubscription, authorization = ''): Promise<number | undefined> {
    const parameters = Object.fromEntries([...authorization.matchAll(/\b([tk])=([\w.=-]+)/g)].map(([, name, value]) => [name, value]));
    const { t: token, k: key } = parameters as Record<string, string | undefined>;
    if (!/^vapid /i.test(authorization) || token === undefined || key === undefined) return 401;
    if (applicationServerKey !== undefined && applicationServerKey !== key) return 403;
    try {
      const now = this.#controls.now();
      const audience = new URL(this.#root).origin;
      const { payload } = await jwtVerify(token, jwkOf(key), { algorithms: ['ES256'], audience, currentDate: new Date(now) });
      const isShort = payload.exp !== undefined && payload.exp - now / 1_000 <= LONGEST_TOKEN_SECONDS;
      return isShort && /^(?:mailto:|https:)/.test(payload.sub ?? '') ? undefined : 403;
    } catch {
      return 403;
    }
  }
}

/** @param key a point that is not compressed, in base64url (RFC 8292, 3.2) */
function jwkOf(key: string): { kty: 'EC'; crv: string; x: string; y: string } {
  const point = Buffer.from(key, 'base64url');
  return { kty: 'EC', crv: 'P-256', x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
