import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express, { type NextFunction, type Request, type Response } from 'express';
import { createSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import { AppError } from '../../../src/errors.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { startLoopbackServer } from '../servers/loopback-server.ts';
import { provideSandboxKeys } from './sandbox-keys.ts';

export interface SandboxHost {
  url: string;
  sandbox: Sandbox;
  /** POST to a path below /sandbox/control. */
  control(path: string, body: object): Promise<ControlResponse>;
  state(): Promise<SandboxState>;
  stop(): Promise<void>;
}

type ControlResponse = Record<string, unknown>;

interface SandboxState {
  now: string;
  calls: Record<'identity' | 'workspace' | 'bank' | 'model' | 'tickets', Record<string, number>>;
  accounts: { email: string; sub: string; access_tokens: number; refresh_tokens: number }[];
}

/** A fresh folder for a sandbox's state. */
export function temporaryDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'steward-sandbox-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Serves the sandbox alone on a free loopback port. @param slowMs between the deltas of a slow answer of the stand-in */
export async function hostSandbox(directory: string, allowedOrigins: string[] = [], slowMs?: number): Promise<SandboxHost> {
  const app = express();
  const { url, close } = await startLoopbackServer(app);
  provideSandboxKeys(directory);
  const sandbox = await createSandbox({
    directory,
    publicUrl: url,
    selfUrl: url,
    allowedOrigins,
    logger: createLogger('silent'),
    ...(slowMs !== undefined && { slowMs }),
  });
  app.use('/sandbox', sandbox.router);
  app.use('/.well-known', sandbox.wellKnown);
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
      const result = (await response.json()) as ControlResponse;
      if (response.status !== 200) throw new Error(`control ${path}: ${response.status} ${JSON.stringify(result)}`);
      return result;
    },
    async state() {
      return (await (await fetch(`${url}/sandbox/control/state`)).json()) as SandboxState;
    },
    async stop() {
      sandbox.close();
      await close();
    },
  };
}
