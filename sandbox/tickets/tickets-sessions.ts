import { randomUUID } from 'node:crypto';
import { isInitializeRequest, type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { TicketUser } from './tickets-state.ts';

interface Session {
  user: string;
  transport: WebStandardStreamableHTTPServerTransport;
}

type Options = Parameters<WebStandardStreamableHTTPServerTransport['handleRequest']>[1];

/** Above it, the oldest end. */
const MOST_SESSIONS = 200;
const PROBLEM = -32_000;

/** Sessions of the earlier revisions (MCP 2025-11-25, “Session Management”): each belongs to the user who began it. */
export class TicketSessions {
  readonly #open = new Map<string, Session>();
  readonly #serverOf: (user: TicketUser) => Server;

  constructor(serverOf: (user: TicketUser) => Server) {
    this.#serverOf = serverOf;
  }

  /** Serves a request in its session; `initialize` begins one. */
  async serve(request: Request, user: TicketUser, options: Options): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      if (isInitializeRequest(options?.parsedBody)) return (await this.#begin(user)).handleRequest(request, options);
      return problem(400, 'Mcp-Session-Id is missing: begin with initialize.');
    }
    const session = this.#open.get(id);
    if (session?.user !== user.id) return problem(404, 'This session is over, or was never begun.');
    return session.transport.handleRequest(request, options);
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(open.map(({ transport }) => transport.close()));
  }

  async #begin(user: TicketUser): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#open.set(id, { user: user.id, transport }),
      onsessionclosed: (id) => void this.#open.delete(id),
    });
    const [oldest] = this.#open;
    if (oldest !== undefined && this.#open.size >= MOST_SESSIONS) {
      this.#open.delete(oldest[0]);
      await oldest[1].transport.close();
    }
    await this.#serverOf(user).connect(transport);
    return transport;
  }
}

function problem(status: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code: PROBLEM, message } }, { status });
}
