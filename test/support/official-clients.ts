import {
  Client as CurrentClient,
  type ClientOptions as CurrentOptions,
  StreamableHTTPClientTransport as CurrentTransport,
} from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

const INFO = { name: 'official', version: '1.0.0' };

export interface ToolResult {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: any;
}

export interface ToolCallOptions {
  signal?: AbortSignal;
  onprogress?(progress: { progress: number; message?: string | undefined }): void;
}

/** What both lines of the official client do, under one name. */
export interface OfficialClient {
  /** The revision that it and the service agreed on. */
  readonly revision: string | undefined;
  tools(): Promise<any[]>;
  call(name: string, input?: Record<string, unknown>, options?: ToolCallOptions): Promise<ToolResult>;
  prompts(): Promise<any[]>;
  close(): Promise<void>;
}

/** Options of a transport: a header with a token, or how to get one. */
export interface Credentials {
  requestInit?: RequestInit;
  authProvider?: any;
  fetch?: typeof fetch;
}

export interface Line {
  name: string;
  revision: string;
  connect(url: string, credentials: Credentials): Promise<OfficialClient>;
}

/** Both lines, and the current one as it speaks to servers that know no newer revision. */
export const LINES: readonly Line[] = [
  { name: 'sdk 1.32', revision: '2025-11-25', connect: connectEarlier },
  { name: 'client 2.4', revision: '2026-07-28', connect: (url, credentials) => connectCurrent(url, credentials, { pin: '2026-07-28' }) },
  { name: 'client 2.4, not told of revisions', revision: '2025-11-25', connect: (url, credentials) => connectCurrent(url, credentials) },
];

export function bearer(token: string): Credentials {
  return { requestInit: { headers: { authorization: `Bearer ${token}` } } };
}

async function connectEarlier(url: string, credentials: Credentials): Promise<OfficialClient> {
  const client = new EarlierClient(INFO);
  const transport = new EarlierTransport(new URL(`${url}/mcp`), credentials);
  await client.connect(transport as Transport);
  return {
    revision: transport.protocolVersion,
    tools: async () => (await client.listTools()).tools,
    call: async (name, input = {}, options = {}) => (await client.callTool({ name, arguments: input }, undefined, options)) as ToolResult,
    prompts: async () => (await client.listPrompts()).prompts,
    close: () => client.close(),
  };
}

type Negotiation = NonNullable<CurrentOptions['versionNegotiation']>['mode'];

async function connectCurrent(url: string, credentials: Credentials, mode: Negotiation = 'legacy'): Promise<OfficialClient> {
  const client = await currentClient(url, credentials, { versionNegotiation: { mode } });
  return {
    revision: client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, input = {}, options = {}) => (await client.callTool({ name, arguments: input }, options)) as ToolResult,
    prompts: async () => (await client.listPrompts()).prompts,
    close: () => client.close(),
  };
}

/** The current line itself, for what the earlier one lacks. */
export async function currentClient(
  url: string,
  credentials: Credentials,
  options: CurrentOptions,
  prepare: (client: CurrentClient) => void = () => {},
): Promise<CurrentClient> {
  const client = new CurrentClient(INFO, options);
  prepare(client);
  await client.connect(new CurrentTransport(new URL(`${url}/mcp`), credentials));
  return client;
}
