import { z } from 'zod';
import { loadOnce } from '../../concurrency/load-once.ts';
import type { InternalHosts } from '../../config/config.ts';
import { describeProvider, type GrantAccess, type OpenOptions } from '../shared/provider.ts';
import type { SourceAuthorization, SourceClients } from './source-authorization.ts';
import type { SourceCalls } from './source-calls.ts';
import type { SourceSession } from './source-session.ts';

/** Requests to sources. All code for them is loaded with the first one: most services have no source. */
export class McpClient {
  readonly authorization: () => Promise<SourceAuthorization>;
  readonly #calls: () => Promise<SourceCalls>;
  #clients: (() => Promise<SourceClients>) | undefined;
  #openCircuits: () => ReadonlyMap<string, number> = () => new Map();

  constructor(internal: InternalHosts, { publicUrl, limits, clock, telemetry }: OpenOptions) {
    const openOutbound = loadOnce(async () => {
      const { Outbound } = await import('../../outbound/checked-fetch.ts');
      return new Outbound({ clock, internal });
    });
    this.authorization = loadOnce(async () => {
      const { SourceAuthorizer } = await import('./source-authorizer.ts');
      if (this.#clients === undefined) throw new Error('it is not known where registrations are kept');
      return new SourceAuthorizer({ outbound: await openOutbound(), clients: await this.#clients(), publicUrl, limits, clock, telemetry });
    });
    this.#calls = loadOnce(async () => {
      const { SourceCalls } = await import('./source-calls.ts');
      const calls = new SourceCalls({ outbound: await openOutbound(), clock, telemetry });
      this.#openCircuits = () => calls.circuits.open;
      return calls;
    });
  }

  /** Says where registrations at authorization servers are kept; before the first use of {@link authorization}. */
  keepClientsIn(load: () => Promise<SourceClients>): void {
    this.#clients = load;
  }

  /** Users’ connections on which nothing is sent at the moment, because their server fails: how many, by source. */
  get openCircuits(): ReadonlyMap<string, number> {
    return this.#openCircuits();
  }

  /** Ends all connections to servers. */
  async close(): Promise<void> {
    await (await this.#calls()).connections.close();
  }

  session(grant: GrantAccess, signal: AbortSignal): SourceSession {
    let opened: SourceSession | undefined;
    const open = async () => {
      opened ??= (await this.#calls()).session(grant, signal);
      return opened;
    };
    return {
      get mayHaveChanged() {
        return opened?.mayHaveChanged ?? false;
      },
      callTool: async (...call) => (await open()).callTool(...call),
      listTools: async (source) => (await open()).listTools(source),
    };
  }
}

/** Other people's MCP servers, as the integrations file lists them (`sources:`). */
export const mcpDescriptor = describeProvider({
  name: 'mcp',
  settings: ({ internalHosts }) => ({ internalHosts }),
  open: async ({ internalHosts }, options) => new McpClient(internalHosts, options),
  session: (client, grant, signal) => client.session(grant, signal),
  refresh: async (client, refreshToken) => (await client.authorization()).refresh(refreshToken),
  revoke: async (client, token) => (await client.authorization()).revoke(token),
  // What a connection permits is the server's to say, with each call.
  needs: { key: 'scopes', names: [], schema: z.string(), isGranted: () => true, missing: () => [] },
});
