import { importInTurns } from '../concurrency/import-in-turns.ts';
import { loadOnce } from '../concurrency/load-once.ts';
import { AppError } from '../errors.ts';
import type { McpDeps } from './mcp-deps.ts';
import type { McpHandler } from './mcp-handler.ts';

/** Largest body of a request: a call's arguments. */
export const BODY_BYTES = 64 * 1024;
const RETRY_SECONDS = 5;

/** The handler, whose SDK is loaded with the first request of a client. */
export class McpEndpoint {
  readonly #load: () => Promise<McpHandler>;
  #loaded: McpHandler | undefined;
  #closed = false;

  constructor(deps: McpDeps) {
    this.#load = loadOnce(async () => {
      await importInTurns(['@modelcontextprotocol/server', '@modelcontextprotocol/node']);
      const { mcpHandler } = await import('./mcp-handler.ts');
      this.#loaded = mcpHandler(deps, BODY_BYTES);
      return this.#loaded;
    });
  }

  /** @throws AppError `unavailable` during a shutdown */
  async handler(): Promise<McpHandler> {
    if (this.#closed) throw new AppError('unavailable', 'The service is stopping. Try again.', { retryAfter: RETRY_SECONDS });
    return this.#load();
  }

  /** Tells the clients that listen at this replica. */
  toolsChanged(): void {
    this.#loaded?.toolsChanged();
  }

  /** Ends open streams, which last as long as their clients want otherwise, and begins none. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#loaded?.close();
  }
}
