import type { BankSettings, WorkspaceSettings } from '../config/config.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import type { ProviderLimits } from '../providers/workspace/workspace-provider.ts';

interface ProviderSettings {
  workspace: WorkspaceSettings | undefined;
  bank: BankSettings | undefined;
}

export type OpenProviders = Awaited<ReturnType<typeof openProviders>>;

/**
 * The providers that are configured; undefined for the others, whose code isn't loaded either.
 *
 * @param callbackUrl where the workspace provider sends the browser back to
 */
export async function openProviders(
  { workspace, bank }: ProviderSettings,
  callbackUrl: string,
  limits: ProviderLimits,
  telemetry: Telemetry,
) {
  return {
    ...(workspace && (await openWorkspace(workspace, callbackUrl, limits, telemetry))),
    ...(bank && (await openBank(bank, limits.providerTimeoutMs, telemetry))),
  };
}

async function openWorkspace(settings: WorkspaceSettings, callbackUrl: string, limits: ProviderLimits, telemetry: Telemetry) {
  const { WorkspaceProvider } = await import('../providers/workspace/workspace-provider.ts');
  const { WorkspaceApi } = await import('../providers/workspace/workspace-api.ts');
  return {
    workspace: new WorkspaceProvider(settings, callbackUrl, limits, telemetry),
    workspaceApi: new WorkspaceApi({ apiUrl: settings.apiUrl, timeoutMs: limits.providerTimeoutMs, telemetry }),
  };
}

async function openBank(settings: BankSettings, timeoutMs: number, telemetry: Telemetry) {
  const { BankProvider } = await import('../providers/bank/bank-provider.ts');
  const { WebhookKeys } = await import('../providers/bank/bank-webhook-keys.ts');
  const bank = new BankProvider(settings, timeoutMs, telemetry);
  return { bank, webhookKeys: new WebhookKeys({ load: (kid) => bank.webhookKey(kid) }) };
}
