import { join } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import type { BankSettings, Config, IdentitySettings, SignInSettings, WorkspaceSettings } from '../config/config.ts';
import type { RequestHandler } from '../http/endpoints/endpoint.ts';
import type { Addresses } from '../http/server/http-server.ts';
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
