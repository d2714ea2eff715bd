import { loadOnce } from '../threads/load-once.ts';
import type { McpDeps } from './mcp-deps.ts';
import type { McpHandler } from './mcp-handler.ts';

/** Largest body: a call's arguments. */
const BODY_BYTES = 64 * 1024;

/** The handler, whose SDK is loaded with the first request of a client. */
export class McpEndpoint {
  readonly #load: () => Promise<McpHandler>;
  #loaded: McpHandler | undefined;

  constructor(deps: McpDeps) {
    this.#load = loadOnce(async () => {
      const { mcpHandler } = await import('./mcp-handler.ts');
      this.#loaded = mcpHandler(deps, BODY_BYTES);
      return this.#loaded;
    });
  }

  handler(): Promise<McpHandler> {
    return this.#load();
  }

  /** Tells the clients that listen at this replica. */
  toolsChanged(): void {
    this.#loaded?.toolsChanged();
  }

  /** Ends open streams, which last as long as their clients want otherwise. */
  async close(): Promise<void> {
    await this.#loaded?.close();
  }
}
