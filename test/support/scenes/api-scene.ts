import { WorkspaceEmulator } from '../emulators/workspace-emulator.ts';
import { ScriptedServer } from '../servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../steward.ts';
import { type ConnectedGrant, connectGrant } from '../users/refreshing.ts';

/** A service whose provider's APIs return what a test scripts. */
export interface ApiScene {
  steward: TestSteward;
  api: ScriptedServer;
  /** Its sign-in and tokens. */
  provider: WorkspaceEmulator;
  /** Connects an account, for a user of its own. */
  connect(): Promise<ConnectedGrant>;
  stop(): Promise<void>;
}

export async function startApiScene(env: Record<string, string> = {}): Promise<ApiScene> {
  const api = await new ScriptedServer().start();
  const provider = await new WorkspaceEmulator().start();
  const steward = await startSteward({ ...provider.env, GOOGLE_API_URL: api.url, ...env });
  return {
    steward,
    api,
    provider,
    connect: () => connectGrant(steward, provider, steward.sql),
    async stop() {
      await steward.stop();
      await provider.stop();
      await api.stop();
    },
  };
}
