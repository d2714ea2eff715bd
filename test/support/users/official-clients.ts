import {
  Client as CurrentClient,
  type ClientOptions as CurrentOptions,
  StreamableHTTPClientTransport as CurrentTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as EarlierUnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { OAuthApp } from './oauth-app.ts';

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

/** What the user does at an address: signs in, and consents. @returns where the app is called back */
export type Browse = (page: URL) => Promise<URL>;

export interface Line {
  name: string;
  revision: string;
  connect(url: string, credentials: Credentials): Promise<OfficialClient>;
  /** Discovers the sign-in from the error 401, registers, and exchanges the code with which the user comes back. */
  signIn(url: string, app: OAuthApp, browse: Browse): Promise<OfficialClient>;
}

/** Both lines, and the current one as it speaks to servers that know no newer revision. */
export const LINES: readonly Line[] = [
  { name: 'sdk 1.32', revision: '2025-11-25', connect: connectEarlier, signIn: signInEarlier },
  { name: 'client 2.4', revision: '2026-07-28', ...current({ pin: '2026-07-28' }) },
  { name: 'client 2.4, not told of revisions', revision: '2025-11-25', ...current('legacy') },
];

type Negotiation = NonNullable<NonNullable<CurrentOptions['versionNegotiation']>['mode']>;

function current(mode: Negotiation): Pick<Line, 'connect' | 'signIn'> {
  return {
    connect: (url, credentials) => connectCurrent(url, credentials, mode),
    signIn: (url, app, browse) => signInCurrent(url, app, browse, mode),
  };
}

/**
 * In earlier revisions, a client that is connected asks for a stream in the background, which the service doesn't have. With
 * this, tests wait for the response, so that they know which requests are under way.
 */
function watchedStream(): { fetch: typeof fetch; answered: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watched: typeof fetch = async (input, init) => {
    try {
      return await fetch(input, init);
    } finally {
      if (init?.method === 'GET' && new Headers(init.headers).get('accept') === 'text/event-stream') resolve();
    }
  };
  return { fetch: watched, answered: promise };
}

export function bearer(token: string): Credentials {
  return { requestInit: { headers: { authorization: `Bearer ${token}` } } };
}

async function connectEarlier(url: string, credentials: Credentials): Promise<OfficialClient> {
  const client = new EarlierClient(INFO);
  const stream = watchedStream();
  const transport = new EarlierTransport(new URL(`${url}/mcp`), { ...credentials, fetch: stream.fetch });
  await client.connect(transport as Transport);
  await stream.answered;
  return {
    revision: transport.protocolVersion,
    tools: async () => (await client.listTools()).tools,
    call: async (name, input = {}, options = {}) => (await client.callTool({ name, arguments: input }, undefined, options)) as ToolResult,
    prompts: async () => (await client.listPrompts()).prompts,
    close: () => client.close(),
  };
}

async function signInEarlier(url: string, app: OAuthApp, browse: Browse): Promise<OfficialClient> {
  const transport = new EarlierTransport(new URL(`${url}/mcp`), { authProvider: app as never });
  await refused(new EarlierClient(INFO).connect(transport as Transport), EarlierUnauthorizedError);
  await transport.finishAuth((await back(app, browse)).get('code') ?? '');
  return connectEarlier(url, { authProvider: app });
}

async function signInCurrent(url: string, app: OAuthApp, browse: Browse, mode: Negotiation): Promise<OfficialClient> {
  const transport = new CurrentTransport(new URL(`${url}/mcp`), { authProvider: app });
  await refused(new CurrentClient(INFO, { versionNegotiation: { mode } }).connect(transport), UnauthorizedError);
  await transport.finishAuth(await back(app, browse));
  return connectCurrent(url, { authProvider: app }, mode);
}

/** @throws what the connection failed with otherwise */
async function refused(connection: Promise<void>, why: typeof UnauthorizedError | typeof EarlierUnauthorizedError): Promise<void> {
  const error = await connection.then(
    () => new Error('it was connected without a sign-in'),
    (thrown: Error) => thrown,
  );
  if (!(error instanceof why)) throw error;
}

async function back(app: OAuthApp, browse: Browse): Promise<URLSearchParams> {
  if (app.page === undefined) throw new Error('the user was sent nowhere');
  return app.returned(await browse(app.page));
}

async function connectCurrent(url: string, credentials: Credentials, mode: Negotiation): Promise<OfficialClient> {
  const stream = watchedStream();
  const client = await currentClient(url, { ...credentials, fetch: stream.fetch }, { versionNegotiation: { mode } });
  if (mode === 'legacy') await stream.answered;
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
