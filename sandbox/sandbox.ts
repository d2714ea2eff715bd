import type { Clock } from '../src/clock/clock.ts';
import { createBankSandbox } from './bank/bank-sandbox.ts';
import { Controls } from './controls.ts';
import type { EmulatorOptions } from './emulator-options.ts';
import { IdentityIssuer } from './identity/identity-issuer.ts';
import { createModelSandbox, type ModelSandboxOptions } from './model/model-sandbox.ts';
import { createNotificationsSandbox } from './notifications/notifications-sandbox.ts';
import { sandboxRoutes } from './sandbox-routes.ts';
import { openSigningKeys } from './signing-keys.ts';
import { createTicketsSandbox } from './tickets/tickets-sandbox.ts';
import { createWorkspaceProvider } from './workspace/workspace-provider.ts';

export interface SandboxOptions extends Omit<EmulatorOptions, 'controls'>, Pick<ModelSandboxOptions, 'slowMs'> {
  clock?: Clock;
  /** Moves that clock. */
  moveClock?: (milliseconds: number) => void;
}

export type Sandbox = Awaited<ReturnType<typeof createSandbox>>;

/**
 * Opens the local emulators of the three providers, a tracker that is a source, and the stand-in for a language model, with their data in
 * `directory`. For development only, because any user can sign in.
 */
export async function createSandbox(options: SandboxOptions) {
  const controls = new Controls(options.clock, options.moveClock);
  const shared = { ...options, controls };
  const keys = openSigningKeys(options.directory);
  const identity = new IdentityIssuer({ ...shared, signingKey: keys.identity });
  const workspace = createWorkspaceProvider({ ...shared, signingKey: keys.workspace });
  const bank = createBankSandbox(shared);
  const model = createModelSandbox(shared);
  const tickets = createTicketsSandbox({ ...shared, signingKey: keys.identity });
  const notifications = createNotificationsSandbox(shared);
  const { publicUrl, allowedOrigins } = options;
  return {
    /** To be mounted at /sandbox, before any body parser. */
    router: sandboxRoutes({ identity, workspace, bank, model, tickets, notifications, controls, publicUrl, allowedOrigins }),
    identity: identity.settings,
    signIn: identity.signIn,
    workspace: workspace.settings,
    bank: bank.settings,
    /** Metadata of the tickets' server, to be mounted at /.well-known. */
    wellKnown: tickets.wellKnown,
    model: { baseUrl: model.baseUrl },
    tickets: { url: tickets.url },
    /** The mail server for notifications, which starts with the first call. */
    smtp: () => notifications.mail.settings(),
    /** Ends timers and hanging calls. */
    close(): void {
      bank.close();
      tickets.close();
      notifications.close();
      controls.close();
    },
  };
}
