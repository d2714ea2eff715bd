import type { RequestListener } from 'node:http';
import { startFileAgents } from './file-agents.ts';
import { startLoopbackServer } from './loopback-server.ts';
import { connectGrant } from './refreshing.ts';
import type { TestSteward } from './steward.ts';
import { WorkspaceEmulator } from './workspace-emulator.ts';

/** Drive and documents agents whose provider's APIs respond as a test scripts. */
export interface FileAgentsApi {
  /** A service whose user `demo` has connected demo@example.com. */
  steward: TestSteward;
  /** Sets the response to every later call to the provider's APIs. */
  answer: RequestListener;
  /** Calls so far, as `GET /apis/drive/v3/files?…`. */
  calls: string[];
  stop(): Promise<void>;
}

export async function startFileAgentsApi(): Promise<FileAgentsApi> {
  const calls: string[] = [];
  const { url, close } = await startLoopbackServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    api.answer(request, response);
  });
  const emulator = await WorkspaceEmulator.start();
  const steward = await startFileAgents({ ...emulator.env, GOOGLE_API_URL: `${url}/apis` });
  await connectGrant(steward, emulator, steward.sql, { token: await steward.signIn(), email: 'demo@example.com' });
  const api: FileAgentsApi = {
    steward,
    answer: (_request, response) => void response.writeHead(404).end(),
    calls,
    async stop() {
      await steward.stop();
      await emulator.stop();
      await close();
    },
  };
  return api;
}

/** Responds with JSON. */
export function json(body: unknown, status = 200): RequestListener {
  return (_request, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
