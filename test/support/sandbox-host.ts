import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express, { type NextFunction, type Request, type Response } from 'express';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { AppError } from '../../src/errors.ts';
import { createLogger } from '../../src/observability/logger.ts';

export interface SandboxHost {
  url: string;
  sandbox: Sandbox;
  /** POST to a path below /sandbox/control. */
  control(path: string, body: object): Promise<ControlAnswer>;
  state(): Promise<SandboxState>;
  stop(): Promise<void>;
}

type ControlAnswer = Record<string, unknown>;

interface SandboxState {
  now: string;
  calls: Record<'identity' | 'workspace' | 'bank', Record<string, number>>;
  accounts: { email: string; sub: string; access_tokens: number; refresh_tokens: number }[];
}

/** A fresh folder for a sandbox's state. */
export function temporaryDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'steward-sandbox-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Serves the sandbox on a free loopback port, as the service does, with the least around it. */
export async function hostSandbox(directory: string, allowedOrigins: string[] = []): Promise<SandboxHost> {
  const app = express();
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sandbox = await createSandbox({ directory, publicUrl: url, selfUrl: url, allowedOrigins, logger: createLogger('silent') });
  app.use('/sandbox', sandbox.router);
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const known = error instanceof AppError ? error : new AppError('internal', 'Something went wrong.');
    response.status(known.status).json({ status: 'error', code: known.code, message: known.message, request_id: 'test' });
  });
  return {
    url,
    sandbox,
    async control(path, body) {
      const response = await fetch(`${url}/sandbox/control/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as ControlAnswer;
      if (response.status !== 200) throw new Error(`control ${path}: ${response.status} ${JSON.stringify(answer)}`);
      return answer;
    },
    async state() {
      return (await (await fetch(`${url}/sandbox/control/state`)).json()) as SandboxState;
    },
    async stop() {
      sandbox.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
