import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock/clock.ts';
import { importInTurns } from '../concurrency/import-in-turns.ts';
import type { Database } from '../database/database.ts';
import type { ClientGrants } from '../executor/client-grants.ts';
import type { Request } from '../http/endpoints/endpoint.ts';
import { networkOfRequest } from '../http/server/client-address.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import { redactUrl } from '../observability/redact-url.ts';
import { throttledLog } from '../observability/throttled-log.ts';
import { FixedWindowLimiter } from '../rate-limit/fixed-window.ts';
import type { ServiceSecret, ServiceSecrets } from '../vault/keys/service-secrets.ts';
import type { AuthorizationProvider, Respond } from './authorization-provider.ts';
import { documentFetcher, type FetchDocument } from './clients/client-documents.ts';
import { Entries } from './entries/entries.ts';
import { selectEmail } from './entries/entries-repository.ts';

/** The largest parts of the library first: 180 modules, most of which import each other. */
const LIBRARY = ['helpers/configuration', 'models/index', 'actions/index', 'index'].map((part) => `oidc-provider/lib/${part}.js`);

export interface AuthorizationServerDeps {
  db: Database;
  clock: Clock;
  publicUrl: string;
  secrets: ServiceSecrets;
  clientGrants: ClientGrants;
  /** @throws AppError `forbidden` for users whom the operator does not admit any more */
  assertAllowed(email: string | null): void;
  /** Documents of clients that one address can have fetched in a minute. */
  documentsPerMinute: number;
  isDevelopment: boolean;
  logger: Logger;
  /** Instead of a request to the internet. */
  fetchDocument?: FetchDocument | undefined;
}

interface Loaded {
  secrets: readonly ServiceSecret[];
  provider: AuthorizationProvider;
  respond: Respond;
}

/** The OAuth authorization server of MCP clients. Its library is loaded at the first use. */
export class AuthorizationServer {
  readonly entries: Entries;
  readonly #deps: AuthorizationServerDeps;
  readonly #fetchDocument: ReturnType<typeof documentFetcher>;
  readonly #log: ReturnType<typeof throttledLog>;
  readonly #fetches: FixedWindowLimiter;
  #loaded: Loaded | undefined;

  constructor(deps: AuthorizationServerDeps) {
    this.#deps = deps;
    this.entries = new Entries(deps);
    this.#fetches = new FixedWindowLimiter(deps.clock, 'Too many documents of clients. Slow down.');
    this.#log = throttledLog(deps.clock, deps.logger, 'info');
    this.#fetchDocument = documentFetcher(deps.fetchDocument);
  }

  get clock(): Clock {
    return this.#deps.clock;
  }

  get publicUrl(): string {
    return this.#deps.publicUrl;
  }

  /** Responds to a request of the protocol. @throws AppError `unavailable`, `rate_limited`; nothing is sent then */
  async respond(request: IncomingMessage, response: ServerResponse, userId?: string): Promise<void> {
    const { respond } = await this.#load();
    await respond(request, response, userId);
  }

  /** The library, for the consent page. @throws AppError `unavailable` */
  async provider(): Promise<AuthorizationProvider> {
    return (await this.#load()).provider;
  }

  /** Public keys of the server (RFC 7517). @throws AppError `unavailable` */
  async publicKeys(): Promise<object> {
    const secrets = await this.#deps.secrets.current();
    return { keys: secrets.map(({ signingKey: { d: _, ...publicKey } }) => publicKey) };
  }

  /** Set up again when the secrets have changed. */
  async #load(): Promise<Loaded> {
    const secrets = await this.#deps.secrets.current();
    if (this.#loaded?.secrets === secrets) return this.#loaded;
    await importInTurns(LIBRARY);
    const { createProvider } = await import('./authorization-provider.ts');
    const { clock, publicUrl, isDevelopment, documentsPerMinute } = this.#deps;
    this.#loaded = {
      secrets,
      ...createProvider({
        clock,
        publicUrl,
        entries: this.entries,
        secrets,
        isDevelopment,
        logUnreachable: (clientId, error) =>
          this.#log({ client: redactUrl(clientId), err: describeError(error) }, 'a client’s document could not be fetched'),
        fetchDocument: this.#fetchDocument,
        countFetch: (request) => this.#fetches.take(networkOfRequest(request as Request), documentsPerMinute),
        isAllowed: (userId) => this.#isAllowed(userId),
      }),
    };
    return this.#loaded;
  }

  async #isAllowed(userId: string): Promise<boolean> {
    const user = await selectEmail(this.entries.queryable, userId);
    if (user === undefined) return false;
    try {
      this.#deps.assertAllowed(user.email);
      return true;
    } catch {
      return false;
    }
  }
}
