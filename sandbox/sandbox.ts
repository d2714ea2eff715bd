import type { BankSettings, OidcSettings, WorkspaceSettings } from '../src/config/config.ts';
import type { Logger } from '../src/observability/logger.ts';
import { createBankSandbox } from './bank/bank-sandbox.ts';
import { Controls } from './controls.ts';
import { IdentityIssuer } from './identity/identity-issuer.ts';
import { sandboxRoutes } from './sandbox-routes.ts';
import { createWorkspaceProvider } from './workspace/workspace-provider.ts';

export interface SandboxOptions {
  /** Folder of the sandbox's data. */
  directory: string;
  /** {base_url} as browsers see it, no trailing slash. */
  publicUrl: string;
  /** http://127.0.0.1:<port>, where the service reaches itself. */
  selfUrl: string;
  allowedOrigins: string[];
  logger: Logger;
}

export interface Sandbox {
  /** To be mounted at /sandbox, before any body parser. */
  router: ReturnType<typeof sandboxRoutes>;
  identity: OidcSettings;
  workspace: WorkspaceSettings;
  bank: BankSettings;
  /** Ends timers and hanging calls. */
  close(): void;
}

/**
 * Opens the local emulators of the three providers with their data in `directory`. For development only, because any user
 * can sign in.
 */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const controls = new Controls();
  const shared = { ...options, controls };
  const identity = new IdentityIssuer(shared);
  const workspace = createWorkspaceProvider(shared);
  const bank = createBankSandbox(shared);
  const { publicUrl, allowedOrigins } = options;
  return {
    router: sandboxRoutes({ identity, workspace, bank, controls, publicUrl, allowedOrigins }),
    identity: identity.settings,
    workspace: workspace.settings,
    bank: bank.settings,
    close(): void {
      bank.close();
      controls.close();
    },
  };
}
