import type { z } from 'zod';
import type { Clock } from '../../clock/clock.ts';
import type { Config, Limits, ProviderConfig } from '../../config/config.ts';
import type { AppError } from '../../errors.ts';
import type { Telemetry } from '../../observability/telemetry.ts';
import type { FindCall } from './declared-call.ts';

/** The name of a provider: `workspace`, `bank`. */
export type Provider = string;

/** The grant that a session works for. */
export interface GrantAccess {
  userId: string;
  /** A valid access token; at once if it is known. */
  current(): string | Promise<string>;
  /** Another access token, after the provider rejected this one. */
  renewed(rejected: string): Promise<string>;
  /** The grant's version, which every change of it raises; undefined: it is gone. Read before a request that may be rejected. */
  version(): number | undefined | Promise<number | undefined>;
  /**
   * Records that the provider rejected a request because of the grant's state.
   *
   * @param version before the request
   * @returns false when the grant was changed since, so that the rejection says nothing about it
   */
  rejected(version: number | undefined, status: 'reauth_required' | 'relink_required' | 'item_gone'): Promise<boolean>;
}

/** The calls that an action makes to the provider, on behalf of one grant. */
export interface ProviderSession {
  /** Whether a request was sent that may have changed the account. Sessions that only read leave it out. */
  readonly mayHaveChanged?: boolean;
}

/** The result of a refresh (RFC 6749, 6). */
export type Renewal =
  | {
      kind: 'renewed';
      accessToken: string;
      /** Replaces the refresh token that was sent; undefined: that one stays valid. */
      refreshToken: string | undefined;
      /** undefined: unchanged. */
      scopes: string[] | undefined;
      lifeSeconds: number;
    }
  /** The consent has ended; only the user can renew it. */
  | { kind: 'ended'; reason: Error }
  /** The provider rejects this service's own credentials. */
  | { kind: 'misconfigured'; reason: Error }
  /** To be retried, after `retryAfter` seconds where the provider asks for a delay; 0 where it does not. */
  | { kind: 'failed'; reason: Error; retryAfter: number };

/** What an agent of the integrations file declares that its actions may use: scopes, or products. */
export interface AgentNeeds {
  /** Key of the agent in the file. */
  key: string;
  names: readonly string[];
  /** Accepts a name; its errors are shown to the operator. */
  schema: z.ZodType<string>;
  /** Whether a grant with these scopes covers a name. */
  isGranted(scopes: readonly string[], name: string): boolean;
  /** Names that the user can still grant by connecting again. */
  missing(scopes: readonly string[]): readonly string[];
  /**
   * What to tell the user when an error says that the account works, but lacks consent for this call; undefined: another
   * error. Left out: the provider reports this as `missing_scopes`.
   */
  consentMissing?(error: AppError, label: string): string | undefined;
}

export interface OpenOptions {
  /** {base_url} as browsers see it. */
  publicUrl: string;
  limits: Pick<Limits, 'providerTimeoutMs' | 'refreshTimeoutMs'>;
  clock: Clock;
  telemetry: Telemetry;
}

/**
 * Everything that differs between providers and that shared code needs. A provider is added by a folder with its
 * descriptor, an entry in {@link PROVIDERS} (providers.ts) and a migration (CONTRIBUTING.md).
 */
export interface ProviderDescriptor<Settings = unknown, Client = unknown, Session extends ProviderSession = ProviderSession> {
  /** Stored with each grant, and `provider:` of an agent in the integrations file. */
  name: string;
  /** Its name in the start message when it is not the sandbox. Left out: it has no part in it. */
  label?: string;
  /** `false`: users connect nothing, and its agents declare no needs. Its actions work for the user alone. */
  hasAccounts?: false;
  /** Its settings from the configuration; undefined: not configured. */
  settings(config: Config): ProviderConfig<Settings>;
  /** Its settings in the sandbox. Left out: it is never configured as the sandbox. */
  sandboxed?(sandbox: SandboxSettings): Settings;
  /** Loads and creates the client. SDKs are loaded with the first request that needs them. */
  open(settings: Settings, options: OpenOptions): Promise<Client>;
  /** @param signal ends all requests of the session */
  session(client: Client, grant: GrantAccess, signal: AbortSignal): Session;
  /** Gets another access token; never rejects. Left out: the provider's access tokens do not expire. */
  refresh?(client: Client, refreshToken: string): Promise<Renewal>;
  /** Revokes a token; resolves when the provider has confirmed it, and rejects otherwise. */
  revoke(client: Client, token: string): Promise<void>;
  needs: AgentNeeds;
  /**
   * Whether the account has written to each of the addresses, in lower case; of many, some may be absent. Left out: its
   * accounts write to no one.
   *
   * @throws AppError like the session
   */
  writtenTo?(session: Session, addresses: readonly string[]): Promise<ReadonlyMap<string, boolean>>;
  /** Loads the calls that actions of the integrations file may declare. Left out: there are none. */
  calls?(): Promise<FindCall>;
}

/** Settings of the providers that the sandbox contains. */
export type SandboxSettings = { [Name in 'workspace' | 'bank']: Exclude<Config[Name], 'sandbox' | undefined> };

/** A descriptor whose types are checked against each other. */
export function describeProvider<const Name extends string, Settings, Client, Session extends ProviderSession>(
  descriptor: ProviderDescriptor<Settings, Client, Session> & { name: Name },
): ProviderDescriptor<Settings, Client, Session> & { name: Name } {
  return descriptor;
}
