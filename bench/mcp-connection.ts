// One keep-alive connection to /mcp, over a raw socket and with prepared bytes, so that the client costs little of what it measures.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';
/** The last chunk, without trailers (RFC 9112, 7.1). */
const LAST_CHUNK = '\r\n0\r\n\r\n';
const REVISION = '2026-07-28';

export class McpConnection {
  readonly #socket: Socket;
  readonly #host: string;
  readonly #token: string;
  #pending = '';
  #done: ((response: string) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  private constructor(socket: Socket, port: number, token: string) {
    this.#socket = socket;
    this.#host = `127.0.0.1:${port}`;
    this.#token = token;
    socket.setEncoding('utf8').on('data', (chunk: string) => this.#receive(chunk));
    socket.on('close', () => this.#failed?.(new Error('the server closed the connection')));
  }

  static async open(port: number, token: string): Promise<McpConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new McpConnection(socket, port, token);
  }

  /** The bytes of a request. */
  prepare(method: string, params: { name?: string; [name: string]: unknown }): string {
    const meta = { 'io.modelcontextprotocol/protocolVersion': REVISION, 'io.modelcontextprotocol/clientCapabilities': {} };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
    return [
      'POST /mcp HTTP/1.1',
      `Host: ${this.#host}`,
      `Authorization: Bearer ${this.#token}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `MCP-Protocol-Version: ${REVISION}`,
      `Mcp-Method: ${method}`,
      ...(params.name === undefined ? [] : [`Mcp-Name: ${params.name}`]),
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n');
  }

  /** Sends a prepared request. @returns the whole response @throws Error for any but a result */
  async send(request: string): Promise<string> {
    const response = await new Promise<string>((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
      this.#socket.write(request);
    });
    if (!response.startsWith('HTTP/1.1 200 ') || !response.includes('"result":') || response.includes('"isError":true')) {
      throw new Error(`unexpected response: ${response.slice(0, 1_000)}`);
    }
    return response;
  }

  close(): void {
    this.#failed = undefined;
    this.#socket.destroy();
  }

  #receive(chunk: string): void {
    this.#pending += chunk;
    if (!this.#isComplete()) return;
    const response = this.#pending;
    this.#pending = '';
    this.#done?.(response);
  }

  #isComplete(): boolean {
    const headEnd = this.#pending.indexOf(HEAD_END);
    if (headEnd === -1) return false;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#pending.slice(0, headEnd))?.[1];
    if (length === undefined) return this.#pending.endsWith(LAST_CHUNK);
    return Buffer.byteLength(this.#pending.slice(headEnd + HEAD_END.length)) >= Number(length);
  }
}
