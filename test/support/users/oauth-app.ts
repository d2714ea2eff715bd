import { randomBytes } from 'node:crypto';
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { FormBrowser } from '../browser/browser.ts';
import { pathOf } from '../scenes/oauth-scene.ts';
import type { Browse } from './official-clients.ts';
import { locationOf } from './sign-in.ts';

export interface OAuthAppOptions {
  redirectUrl: string;
  /** Address of the app's published document; left out: it registers itself. */
  document?: string;
}

/** An app of a user: what it stores about its sign-in, as both lines of the official client ask for it. */
export class OAuthApp implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadataUrl?: string;
  /** Every token response, oldest first. */
  readonly issued: StoredOAuthTokens[] = [];
  /** What the service knows the app by. */
  information: StoredOAuthClientInformation | undefined;
  /** Where the user was last sent. */
  page: URL | undefined;
  readonly #state = randomBytes(16).toString('hex');
  #tokens: StoredOAuthTokens | undefined;
  #verifier = '';
  #discovered: OAuthDiscoveryState | undefined;

  constructor({ redirectUrl, document }: OAuthAppOptions) {
    this.redirectUrl = redirectUrl;
    if (document !== undefined) this.clientMetadataUrl = document;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'Official',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state(): string {
    return this.#state;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.information;
  }

  saveClientInformation(information: StoredOAuthClientInformation): void {
    this.information = information;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
    this.issued.push(tokens);
  }

  /** The app uses these from now on, as one does that has stored nothing since. */
  restore(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(page: URL): void {
    this.page = page;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(discovered: OAuthDiscoveryState): void {
    this.#discovered = discovered;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'all' || scope === 'client') this.information = undefined;
    if (scope === 'all' || scope === 'tokens') this.#tokens = undefined;
    if (scope === 'all' || scope === 'discovery') this.#discovered = undefined;
  }

  /** The parameters with which the user came back. @throws Error if they are the answer to another request */
  returned(address: URL): URLSearchParams {
    if (address.searchParams.get('state') !== this.#state) throw new Error(`another state: ${address.search}`);
    return address.searchParams;
  }
}

/** A user whose browser is signed in, and who lets the app do what it asks for. */
export function consenting(browser: FormBrowser, access: 'read' | 'write' = 'write'): Browse {
  return async (page) => {
    const consent = pathOf(locationOf(await browser.visit(pathOf(page.href))));
    const decided = await browser.submit(await browser.visit(consent), consent, (fields) => {
      fields.set('decision', 'allow');
      fields.set('access', access);
    });
    return new URL(locationOf(await browser.visit(pathOf(locationOf(decided)))));
  };
}
