import { describeProvider } from '../shared/provider.ts';
import type { WorkspaceApi } from './workspace-api.ts';
import type { WorkspaceProvider } from './workspace-provider.ts';
import { isScopeGranted, missingScopes, SCOPE_NAMES, scopeName } from './workspace-scopes.ts';

/** Two clients, because the SDK of the APIs must never receive a refresh token. */
export interface WorkspaceClient {
  provider: WorkspaceProvider;
  api: WorkspaceApi;
}

/** Google Workspace. */
export const workspaceDescriptor = describeProvider({
  name: 'workspace',
  label: 'real provider',
  settings: (config) => config.workspace,
  sandboxed: (sandbox) => sandbox.workspace,
  async open(settings, { publicUrl, limits, clock, telemetry }): Promise<WorkspaceClient> {
    const { WorkspaceProvider } = await import('./workspace-provider.ts');
    const { WorkspaceApi } = await import('./workspace-api.ts');
    return {
      provider: new WorkspaceProvider(settings, `${publicUrl}/auth/workspace/callback`, limits, clock, telemetry),
      api: new WorkspaceApi({ apiUrl: settings.apiUrl, timeoutMs: limits.providerTimeoutMs, clock, telemetry }),
    };
  },
  session: ({ api }, grant, signal) => api.session(grant.userId, grant, signal),
  refresh: ({ provider }, refreshToken) => provider.refresh(refreshToken),
  revoke: ({ provider }, token) => provider.revoke(token),
  needs: {
    key: 'scopes',
    names: SCOPE_NAMES,
    schema: scopeName,
    isGranted: isScopeGranted,
    missing: missingScopes,
  },
  async writtenTo(session, addresses) {
    const { writtenTo } = await import('./written-to.ts');
    return writtenTo(session, addresses);
  },
  async calls() {
    const { workspaceCalls } = await import('./workspace-calls.ts');
    return workspaceCalls();
  },
});
