import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FormBrowser } from './browser.ts';
import { startFileAgents } from './file-agents.ts';
import type { TestSteward } from './steward.ts';
import { WorkspaceEmulator } from './workspace-emulator.ts';

export interface ApiStandIn {
  /** A service whose user `demo` has connected demo@example.com. */
  steward: TestSteward;
  /** Sets the response to every later call to the provider's APIs. */
  answer: RequestListener;
  /** Calls so far, as `GET /apis/drive/v3/files?…`. */
  calls: string[];
  stop(): Promise<void>;
}

/** A service whose provider's APIs return what a test scripts. */
export async function startOnApiStandIn(): Promise<ApiStandIn> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);

    standIn.answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const emulator = await WorkspaceEmulator.start();
  const { port } = server.address() as AddressInfo;
  const steward = await startFileAgents({ ...emulator.env, GOOGLE_API_URL: `http://127.0.0.1:${port}/apis` });
  await connectTo(emulator, steward);
  const standIn: ApiStandIn = {
    steward,
    answer: (_request, response) => void response.writeHead(404).end(),
    calls,
    async stop() {
      await steward.stop();
      await emulator.stop();
      server.close();
      server.closeAllConnections();
    },
  };
  return standIn;
}

/** Responds with JSON. */
export function json(body: unknown, status = 200): RequestListener {
  return (_request, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function connectTo(emulator: WorkspaceEmulator, steward: TestSteward): Promise<void> {
  const browser = new FormBrowser(steward.url);
  const form = { email: 'demo@example.com' };
  const request = await browser.visit('/workspace_access_request', { form, token: await steward.signIn() });
  const login = await browser.visit(request.body.login_url);
  await browser.visit(emulator.approve(login.headers.get('location') ?? '', form.email));
}
