import type { Config } from '../config/config.ts';
import type {
  AgentNeeds,
  GrantAccess,
  OpenOptions,
  ProviderDescriptor,
  ProviderSession,
  Renewal,
  SandboxSettings,
} from './shared/provider.ts';

type ClientOf<Descriptor> = Descriptor extends ProviderDescriptor<infer _Settings, infer Client, infer _Session> ? Client : never;

/** The providers of the service, and the clients of those that are configured. */
export class Providers {
  readonly #descriptors: ReadonlyMap<string, ProviderDescriptor>;
  readonly #clients: ReadonlyMap<string, unknown>;
  readonly #telemetry: OpenOptions['telemetry'];

  /** @param clients of the configured providers, by name */
  constructor(descriptors: readonly ProviderDescriptor[], clients: ReadonlyMap<string, unknown>, telemetry: OpenOptions['telemetry']) {
    this.#descriptors = new Map(descriptors.map((descriptor) => [descriptor.name, descriptor]));
    this.#clients = clients;
    this.#telemetry = telemetry;
  }

  isConfigured(name: string): boolean {
    return this.#clients.has(name);
  }

  /** What agents of a provider declare. */
  needs(name: string): AgentNeeds {
    return this.#described(name).needs;
  }

  /** Whether users connect accounts of a provider. */
  hasAccounts(name: string): boolean {
    return this.#described(name).hasAccounts ?? true;
  }

  /** A provider's own client, for the feature that connects its accounts; undefined: not configured. */
  client<Descriptor extends ProviderDescriptor>(descriptor: Descriptor): ClientOf<Descriptor> | undefined {
    return this.#clients.get(descriptor.name) as ClientOf<Descriptor> | undefined;
  }

  /** Opens a session on a grant. @returns undefined: the provider is not configured */
  session(name: string, grant: GrantAccess, signal: AbortSignal): ProviderSession | undefined {
    const descriptor = this.#descriptors.get(name);
    return this.isConfigured(name) ? descriptor?.session(this.#clients.get(name), grant, signal) : undefined;
  }

  /** Those of the addresses that the session's account has written to; undefined: the provider doesn't know. */
  async writtenTo(name: string, session: ProviderSession, addresses: readonly string[]): Promise<ReadonlyMap<string, boolean> | undefined> {
    return this.#descriptors.get(name)?.writtenTo?.(session, addresses);
  }

  /** Refreshes access tokens, by provider. Providers whose tokens do not expire have no function. */
  refreshers(): Record<string, (refreshToken: string) => Promise<Renewal>> {
    const refreshers = this.#configured().flatMap(([{ name, refresh }, client]) => {
      if (refresh === undefined) return [];
      const step = { kind: 'refresh', name } as const;
      return [
        [
          name,
          (token: string) =>
            this.#telemetry.step(
              step,
              () => refresh(client, token),
              ({ kind }) => kind,
            ),
        ] as const,
      ];
    });
    return Object.fromEntries(refreshers);
  }

  /** Revokes tokens, by provider. */
  revokers(): Record<string, (token: string) => Promise<void>> {
    return Object.fromEntries(
      this.#configured().map(([descriptor, client]) => [descriptor.name, (token: string) => descriptor.revoke(client, token)]),
    );
  }

  #described(name: string): ProviderDescriptor {
    const descriptor = this.#descriptors.get(name);
    if (descriptor === undefined) throw new Error(`there is no provider ${name}`);
    return descriptor;
  }

  #configured(): [ProviderDescriptor, unknown][] {
    return [...this.#clients].map(([name, client]) => [this.#descriptors.get(name) as ProviderDescriptor, client]);
  }
}

/**
 * Opens the providers that are configured; the code of the others is not loaded.
 *
 * @param sandbox undefined: no provider is configured as the sandbox's
 */
export async function openProviders(
  descriptors: readonly ProviderDescriptor[],
  config: Config,
  sandbox: SandboxSettings | undefined,
  options: OpenOptions,
): Promise<Providers> {
  const clients = new Map<string, unknown>();
  for (const descriptor of descriptors) {
    const part = descriptor.settings(config);
    const settings = part === 'sandbox' ? sandbox && descriptor.sandboxed?.(sandbox) : part;
    if (settings !== undefined) clients.set(descriptor.name, await descriptor.open(settings, options));
  }
  return new Providers(descriptors, clients, options.telemetry);
}
