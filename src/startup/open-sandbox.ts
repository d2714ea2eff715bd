import { join } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import type { BankSettings, Config, IdentitySettings, MailSettings, SignInSettings, WorkspaceSettings } from '../config/config.ts';
import type { RequestHandler } from '../http/endpoints/endpoint.ts';
import type { Addresses } from '../http/server/http-server.ts';
import { type Catalog, SANDBOX_URL } from '../integrations/catalog.ts';
import type { Logger } from '../observability/logger.ts';

/** The local providers of development (sandbox/). Only main.ts imports them. */
export interface Sandbox {
  router: RequestHandler;
  /** Metadata of its authorization servers, at /.well-known. */
  wellKnown: RequestHandler;
  identity: IdentitySettings;
  signIn: SignInSettings;
  workspace: WorkspaceSettings;
  bank: BankSettings;
  /** The stand-in for a language model. */
  model: { baseUrl: string };
  /** Address of the MCP server that it plays as a source. */
  tickets: { url: string };
  /** The mail server that it plays, which starts with the first call. */
  smtp?(): Promise<MailSettings>;
  close(): void;
}

export type LoadSandbox = (
  options: Addresses & { directory: string; allowedOrigins: string[]; logger: Logger; clock: Clock },
) => Promise<Sandbox>;

/**
 * Opens the sandbox if the configuration uses it for a provider.
 *
 * @param load undefined in production builds, which do not contain the sandbox
 * @param resources closes the sandbox when disposed
 */
export async function openSandbox(
  config: Config,
  addresses: Addresses,
  { clock, logger }: { clock: Clock; logger: Logger },
  load: LoadSandbox | undefined,
  resources: AsyncDisposableStack,
): Promise<Sandbox | undefined> {
  if (![config.identity, config.workspace, config.bank].includes('sandbox')) return undefined;
  if (load === undefined) throw new Error('the sandbox is not part of this build; set the providers’ variables');
  const directory = join(config.dataDir, 'sandbox');
  const sandbox = await load({ ...addresses, directory, allowedOrigins: config.allowedOrigins, logger, clock });
  resources.defer(() => sandbox.close());
  return sandbox;
}

/** The settings of the identity provider: those of the configuration, or the sandbox's. */
export function identitySettings({ identity }: Config, sandbox: Sandbox | undefined): IdentitySettings {
  const settings = identity === 'sandbox' ? sandbox?.identity : identity;
  if (settings === undefined) throw new Error('no identity provider is configured');
  return settings;
}

/**
 * Gives the source that the sandbox plays its address. Without the sandbox, there is neither that source nor its agents.
 *
 * @param url undefined: without the sandbox
 */
export function sourcesOfSandbox(url: string | undefined): (catalog: Catalog) => Catalog {
  const made = new WeakMap<Catalog, Catalog>();
  return (catalog) => {
    const known = made.get(catalog) ?? withSandbox(catalog, url);
    made.set(catalog, known);
    return known;
  };
}

function withSandbox(catalog: Catalog, url: string | undefined): Catalog {
  const played = [...catalog.sources.values()].filter((source) => source.url === SANDBOX_URL);
  if (played.length === 0) return catalog;
  const sources = new Map(catalog.sources);
  for (const source of played) {
    if (url === undefined) sources.delete(source.name);
    else sources.set(source.name, { ...source, url });
  }
  const agents = entries(catalog.agents, ({ source }) => source === undefined || sources.has(source));
  const actions = entries(catalog.actions, ({ agent }) => agents.has(agent));
  const tools = entries(catalog.tools, (action) => actions.has(action));
  return { ...catalog, sources, agents, actions, tools };
}

function entries<Value>(map: ReadonlyMap<string, Value>, isKept: (value: Value) => boolean): Map<string, Value> {
  return new Map([...map].filter(([, value]) => isKept(value)));
}
