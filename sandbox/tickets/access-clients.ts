import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { isLoopback } from '../../src/config/config.ts';
import { AppError } from '../../src/errors.ts';
import { validate } from '../../src/validation/validate.ts';
import type { Store } from '../store.ts';
import { type AccessState, AUTH_METHODS, type RegisteredClient } from './access-state.ts';

const MOST_CLIENTS = 1_000;
const MOST_BYTES = 10_000;

/** An address that browsers are led to: https, or this machine. */
const redirectUri = z
  .url()
  .max(2_000)
  .refine((value) => {
    const url = URL.parse(value);
    return url !== null && url.hash === '' && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)));
  }, 'must be https, or http of this machine, without a fragment');

/** Client metadata (RFC 7591, 2), as far as it matters here; the rest is ignored. */
const metadata = z.object({
  client_name: z.string().max(200).default('An app without a name'),
  redirect_uris: z.array(redirectUri).min(1).max(10),
  token_endpoint_auth_method: z.enum(AUTH_METHODS).default('client_secret_basic'),
});
const document = metadata.extend({ client_id: z.string(), token_endpoint_auth_method: z.literal('none').default('none') });

/** The clients of the tracker: registered ones, and those that publish a document about themselves. */
export class AccessClients {
  readonly #store: Store<AccessState>;

  constructor(store: Store<AccessState>) {
    this.#store = store;
  }

  /** Registers a client. @returns the answer (RFC 7591, 3.2.1) @throws AppError `invalid_request` */
  register(body: unknown): Record<string, unknown> {
    const { client_name: name, redirect_uris: redirectUris, token_endpoint_auth_method: method } = validate(metadata, body);
    const secret = method === 'none' ? undefined : randomBytes(32).toString('base64url');
    const id = `tickets-${randomUUID()}`;
    const { clients } = this.#store.state;
    clients[id] = { name, redirectUris, method, secretHash: secret === undefined ? null : hash(secret) };
    for (const oldest of Object.keys(clients).slice(0, -MOST_CLIENTS)) delete clients[oldest];
    this.#store.save();
    return {
      client_id: id,
      ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: method,
    };
  }

  /** A client by its id. @throws AppError `invalid_request` */
  async find(id: string): Promise<Pick<RegisteredClient, 'name' | 'redirectUris'>> {
    const registered = this.#store.state.clients[id];
    if (registered !== undefined) return registered;
    if (!isDocument(id)) throw new AppError('invalid_request', 'client_id: is not registered');
    return readDocument(id);
  }

  /** The id of the client that sends a form, if it is the one that it says. @param authorization the header */
  authenticate(form: Record<string, string>, authorization: string | undefined): string | undefined {
    const basic = basicCredentials(authorization);
    const id = basic?.id ?? form.client_id ?? '';
    // A client with a document has no secret; its codes and tokens are its own.
    if (isDocument(id)) return basic === undefined && form.client_secret === undefined ? id : undefined;
    const client = this.#store.state.clients[id];
    if (client === undefined) return undefined;
    const used = basic !== undefined ? 'client_secret_basic' : form.client_secret !== undefined ? 'client_secret_post' : 'none';
    if (used !== client.method) return undefined;
    return client.secretHash === null || same(hash(basic?.secret ?? form.client_secret ?? ''), client.secretHash) ? id : undefined;
  }
}

/** Documents of this machine only: the sandbox reaches no other. */
function isDocument(id: string): boolean {
  const url = URL.parse(id);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && isLoopback(url.hostname) && url.pathname !== '/';
}

async function readDocument(id: string): Promise<Pick<RegisteredClient, 'name' | 'redirectUris'>> {
  const given = await fetch(id, { redirect: 'error', headers: { accept: 'application/json' } })
    .then(async (response) => (response.ok ? (await response.text()).slice(0, MOST_BYTES) : ''))
    .then((text): unknown => JSON.parse(text))
    .catch(() => undefined);
  if (given === undefined) throw new AppError('invalid_request', 'client_id: its document cannot be read');
  const { client_id: named, client_name: name, redirect_uris: redirectUris } = validate(document, given);
  if (named !== id) throw new AppError('invalid_request', 'client_id: its document names another one');
  return { name, redirectUris };
}

/** RFC 6749, 2.3.1: identifier and secret are form-encoded in a Basic header. */
function basicCredentials(authorization: string | undefined): { id: string; secret: string } | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 2);
  const decoded = new URLSearchParams(`id=${id}&secret=${secret}`);
  return { id: decoded.get('id') ?? '', secret: decoded.get('secret') ?? '' };
}

function hash(value: string): string {
  return createHash('sha256').update(value).digest('base64url');
}

function same(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
