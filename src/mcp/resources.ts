import { type ListResourceTemplatesResult, ProtocolError, ProtocolErrorCode, type ReadResourceResult } from '@modelcontextprotocol/server';
import { asAppError } from '../errors.ts';
import { toolOutput } from '../tools/tool-output.ts';
import { cutText } from '../validation/cut-text.ts';
import { toBeApproved } from './call-results.ts';
import { type McpClient, type McpDeps, SURFACE } from './mcp-deps.ts';
import { permittedActions } from './permitted-actions.ts';

interface Kind {
  /** The part of the address before the id. */
  path: string;
  name: string;
  title: string;
  description: string;
  /** The built-in action that reads one. */
  action: string;
  /** The argument that takes the id. */
  argument: string;
}

/** What results name by ids. */
const KINDS: readonly Kind[] = [
  {
    path: 'mail/message',
    name: 'message',
    title: 'Message',
    description: 'A mail message by its id.',
    action: 'mail.read',
    argument: 'message',
  },
  {
    path: 'mail/thread',
    name: 'thread',
    title: 'Thread',
    description: 'All messages of a mail thread.',
    action: 'mail.read',
    argument: 'thread',
  },
  { path: 'calendar/event', name: 'event', title: 'Event', description: 'An event by its id.', action: 'calendar.get', argument: 'id' },
  { path: 'drive/file', name: 'file', title: 'File', description: 'A file’s text by its id.', action: 'drive.read', argument: 'id' },
  {
    path: 'document',
    name: 'document',
    title: 'Document',
    description: 'A document as Markdown.',
    action: 'documents.read',
    argument: 'id',
  },
];

const SCHEME = 'steward:';
const MIME = 'application/json';

/** Kinds of which the client may read one. */
export async function listResourceTemplates(
  deps: Pick<McpDeps, 'catalog' | 'executor' | 'providers'>,
  client: McpClient,
): Promise<ListResourceTemplatesResult> {
  const permitted = await permittedActions(deps, client);
  const kinds = KINDS.filter(({ action }) => permitted.has(action));
  return {
    resourceTemplates: kinds.map(({ path, name, title, description }) => ({
      uriTemplate: `${SCHEME}//${path}/{id}{?account}`,
      name,
      title,
      description,
      mimeType: MIME,
    })),
  };
}

/** Reads one through the executor, like a call of its action. @throws ProtocolError */
export async function readResource(deps: McpDeps, client: McpClient, uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
  const { kind, id, account } = addressed(uri);
  const configured = (await permittedActions(deps, client)).get(kind.action);
  if (configured === undefined) throw notFound(uri);
  try {
    const result = await deps.executor.invoke({
      user: client,
      surface: SURFACE,
      action: configured.name,
      input: { [kind.argument]: id },
      signal,
      ...(account !== null && { account }),
    });
    const { data, meta } = toolOutput(result, () => undefined);
    const { account: used, integrity, truncated, hint } = meta;
    return { contents: [{ uri, mimeType: MIME, text: JSON.stringify({ data, account: used, integrity, truncated, hint }) }] };
  } catch (thrown) {
    const error = asAppError(thrown);
    const { code, message } = error;
    if (code === 'not_found') throw notFound(uri);
    if (code === 'approval_required') {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${code}: ${toBeApproved(error)}`, { code, ...error.details });
    }
    const kindOfError = code === 'internal' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
    throw new ProtocolError(kindOfError, `${code}: ${message}`, { code });
  }
}

function addressed(uri: string): { kind: Kind; id: string; account: string | null } {
  const url = uri.length <= 1_000 ? URL.parse(uri) : null;
  const path = url?.protocol === SCHEME ? `${url.host}${url.pathname}` : '';
  const kind = KINDS.find((one) => path.startsWith(`${one.path}/`));
  const id = kind && decoded(path.slice(kind.path.length + 1));
  if (url === null || kind === undefined || id === undefined || id === '') throw notFound(uri);
  return { kind, id, account: url.searchParams.get('account') };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Of the protocol's revision 2026-07-28; earlier ones had a code of their own. */
function notFound(uri: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such resource.', { uri: cutText(uri, 1_000) });
}
