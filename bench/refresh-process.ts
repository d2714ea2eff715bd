import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LanesResult } from './lanes.ts';

export interface RefreshOrder {
  userId?: string;
  /** Ids of grants, or of rows of the reference; a repeated one = another caller. */
  grants: string[];
  /** Concurrent callers. */
  lanes: number;
}

/** A service or a reference that refreshes on request, in a separate process. */
export class RefreshProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(file: string, env: Record<string, string>): Promise<RefreshProcess> {
    const child = fork(join(import.meta.dirname, file), {
      env: { PATH: process.env.PATH ?? '', TZ: 'UTC', PORT: '0', PUBLIC_URL: 'http://127.0.0.1:1', ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await once(child, 'message');
    return new RefreshProcess(child);
  }

  async run(order: RefreshOrder): Promise<LanesResult> {
    this.#child.send(order);
    const [result] = (await once(this.#child, 'message')) as [LanesResult];
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }
}
