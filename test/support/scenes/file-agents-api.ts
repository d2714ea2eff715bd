import { WorkspaceEmulator } from '../emulators/workspace-emulator.ts';
import { ScriptedServer } from '../servers/scripted-server.ts';
import { connectGrant } from '../users/refreshing.ts';
import type { ApiScene } from './api-scene.ts';
import { startFileAgents } from './file-agents.ts';

/** Drive and documents agents whose provider's APIs respond as a test scripts; the user `demo` has connected demo@example.com. */
export type FileAgentsApi = Pick<ApiScene, 'steward' | 'api' | 'stop'>;

export async function startFileAgentsApi(): Promise<FileAgentsApi> {
  const api = await new ScriptedServer().start();
  const provider = await new WorkspaceEmulator().start();
  const steward = await startFileAgents({ ...provider.env, GOOGLE_API_URL: `${api.url}/apis` });
  await connectGrant(steward, provider, steward.sql, { token: await steward.signIn(), email: 'demo@example.com' });
  return {
    steward,
    api,
    async stop() {
      await steward.stop();
      await provider.stop();
      await api.stop();
    },
  };
}
