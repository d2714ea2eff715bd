import { systemClock } from '../clock/clock.ts';
import { internalHostsSetting } from '../config/load-config.ts';
import { AppError } from '../errors.ts';
import { type ProposedSource, proposedAgent } from '../integrations/proposed-agent.ts';
import { UNMEASURED } from '../observability/telemetry.ts';
import { accessCredential } from '../providers/mcp/credentials.ts';
import { McpClient } from '../providers/mcp/mcp-descriptor.ts';
import type { ListedTools } from '../providers/mcp/source-session.ts';
import type { SourceSettings } from '../providers/mcp/source-settings.ts';
import type { GrantAccess } from '../providers/shared/provider.ts';
import { LoopbackCallback, signInAt } from './loopback-sign-in.ts';

/** A header that the server wants, with its value. */
export interface GivenHeader {
  name: string;
  value: string;
}

const TIMEOUT_MS = 30_000;
const BEARER = 'Bearer ';

/**
 * Reads the tools of a server of the Model Context Protocol, and proposes how the integrations file can offer them. Where the server
 * wants a sign-in, the operator makes one in a browser.
 *
 * @param show tells the operator an address to open
 * @returns a part of the file
 * @throws AppError when the server can't be reached, or does not list its tools
 */
export async function discoverTools(url: string, header: GivenHeader | undefined, show: (address: string) => void): Promise<string> {
  const source: SourceSettings = { name: 'discovered', url, auth: 'oauth', trust: 'third_party', label: new URL(url).host };
  await using callback = new LoopbackCallback();
  const client = openClient(await callback.open(), source);
  const first = { url, ...(header !== undefined && { header }) };
  try {
    const listed = await list(client, source, accessCredential(first));
    return proposedAgent({ url, ...authOf(header) }, listed);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'reauth_required')) throw error;
    if (header !== undefined) throw new AppError('forbidden', 'The server refuses the header.', { cause: error });
  }
  const token = await signInAt(await client.authorization(), source, callback, show);
  return proposedAgent({ url, auth: 'oauth' }, await list(client, source, token));
}

/** @param publicUrl where a browser comes back to */
function openClient(publicUrl: string, source: SourceSettings): McpClient {
  const limits = { providerTimeoutMs: TIMEOUT_MS, refreshTimeoutMs: TIMEOUT_MS };
  const client = new McpClient(internalHostsSetting(), { publicUrl, limits, clock: systemClock, telemetry: UNMEASURED });
  // A registration for this sign-in only.
  client.keepClientsIn(async () => ({ load: async () => new Map(), save: async () => {}, settings: () => source }));
  return client;
}

function list(client: McpClient, source: SourceSettings, credential: string): Promise<ListedTools> {
  const refuse = () => Promise.reject(new AppError('forbidden', 'The server refuses the token that it has given.'));
  const grant: GrantAccess = {
    userId: '',
    current: () => credential,
    renewed: refuse,
    version: () => undefined,
    rejected: async () => true,
  };
  return client
    .session(grant, new AbortController().signal)
    .listTools(source)
    .finally(() => client.close());
}

function authOf(header: GivenHeader | undefined): Omit<ProposedSource, 'url'> {
  if (header === undefined) return { auth: 'none' };
  const prefix = header.value.startsWith(BEARER) ? BEARER : undefined;
  // These are the usual ones.
  if (prefix !== undefined && header.name.toLowerCase() === 'authorization') return { auth: 'header' };
  return { auth: 'header', header: header.name, ...(prefix !== undefined && { prefix }) };
}
